"""How a model is to be asked, as an admin chooses it, and as a run keeps it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.conf import settings

from survey_site.common.errors import InvalidInputError

MOST_DRAWS, MOST_PROFILE = 20, 20


@dataclass(frozen=True, kw_only=True)
class AnyChoice:
    """One model, how often and how freely it is asked.

    kind: "http" asks the configured server; "replay" knows kept replies alone and makes no connection.
    """

    model: str
    draws: int = 1
    temperature: float = 0.0
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
            "draws": self.draws,
        }
        if self.kind == "replay":
            return chosen
        prices = {"price_in": settings.CONCORD_LLM_PRICE_IN, "price_out": settings.CONCORD_LLM_PRICE_OUT}
        return {**chosen, "url": settings.CONCORD_LLM_URL, **prices}


@dataclass(frozen=True, kw_only=True)
class Choice(AnyChoice):
    """A model as a rater: also whether it is asked in both orders, and with a reason or without."""

    both_orders: bool = True
    explain: bool = False

    def as_options(self) -> dict[str, Any]:
        """What a run keeps of it."""
        return {**super().as_options(), "both_orders": self.both_orders, "explain": self.explain}


@dataclass(frozen=True, kw_only=True)
class JudgeChoice(AnyChoice):
    """A model as a judge in readers' places: what it sees of a reader, and which controls are asked.

    own: it judges each summary under the profiles of the document's other readers, too. shuffled: all is
    asked under another reader's profile once more.
    """

    profile_size: int = 3
    own: bool = True
    shuffled: bool = True


def choices_of(asked: Mapping[str, Any]) -> list[Choice]:
    """A choice for each of `models`, all asked in one way.

    Raises InvalidInputError for a model that is not set up, and for draws that would all be the same.
    """
    _require_set_up(asked["models"])
    how = {name: asked[name] for name in ("both_orders", "explain", "draws", "temperature")}
    return [Choice(model=name, **how) for name in dict.fromkeys(asked["models"])]


def judge_choice_of(asked: Mapping[str, Any]) -> JudgeChoice:
    """The judge of `model`; raises as `choices_of` does."""
    _require_set_up([asked["model"]])
    names = ("model", "profile_size", "own", "shuffled", "draws", "temperature")
    return JudgeChoice(**{name: asked[name] for name in names})


def _require_set_up(models: Sequence[str]) -> None:
    allowed = list(settings.CONCORD_LLM_MODELS)
    if unknown := [name for name in models if name not in allowed]:
        words = f"Not set up on this site: {', '.join(unknown)}. Choose from {', '.join(allowed)}."
        raise InvalidInputError("There are no such models.", action=words, fields={"models": [words]})
