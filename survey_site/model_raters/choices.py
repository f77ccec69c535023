"""How a model is to be asked, as an admin chooses it, and as a run keeps it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from django.conf import settings

from survey_site.common.errors import InvalidInputError

MOST_DRAWS = 20


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One model and how it is asked: in both orders, how often, how freely, with a reason or without.

    kind: "http" asks the configured server; "replay" knows kept replies alone and makes no connection.
    """

    model: str
    both_orders: bool = True
    draws: int = 1
    temperature: float = 0.0
    explain: bool = False
    kind: Literal["http", "replay"] = "http"

    def __post_init__(self) -> None:
        if self.draws > 1 and self.temperature == 0:
            raise InvalidInputError(
                f"{self.draws} draws at temperature 0 would be the same reply {self.draws} times.",
                action="Set a temperature above 0, such as 0.7, or ask for one draw.",
            )

    def as_options(self) -> dict[str, Any]:
        """What a run keeps of it, with the place and the prices of this moment where something is sent."""
        chosen = {
            "kind": self.kind,
            "model": self.model,
            "temperature": self.temperature,
            "both_orders": self.both_orders,
            "draws": self.draws,
            "explain": self.explain,
        }
        if self.kind == "replay":
            return chosen
        prices = {"price_in": settings.CONCORD_LLM_PRICE_IN, "price_out": settings.CONCORD_LLM_PRICE_OUT}
        return {**chosen, "url": settings.CONCORD_LLM_URL, **prices}


def choices_of(asked: Mapping[str, Any]) -> list[Choice]:
    """A choice for each of `models`, all asked in one way.

    Raises InvalidInputError for a model that is not set up, and for draws that would all be the same.
    """
    allowed = list(settings.CONCORD_LLM_MODELS)
    if unknown := [name for name in asked["models"] if name not in allowed]:
        words = f"Not set up on this site: {', '.join(unknown)}. Choose from {', '.join(allowed)}."
        raise InvalidInputError("There are no such models.", action=words, fields={"models": [words]})
    how = {name: asked[name] for name in ("both_orders", "explain", "draws", "temperature")}
    return [Choice(model=name, **how) for name in dict.fromkeys(asked["models"])]
