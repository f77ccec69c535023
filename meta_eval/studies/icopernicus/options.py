"""What a study of prompts asks: styles, cases and how much of them."""

from dataclasses import dataclass
from typing import Literal

from meta_eval.errors import InputError
from meta_eval.scores.prompt_styles import CONTRASTIVE, SHOTS, STYLES
from meta_eval.studies.icopernicus.plans import (
    EXAMPLES,
    PlanName,
)
from meta_eval.studies.icopernicus.shots import (
    MOST_EXAMPLES,
)
from meta_eval.studies.icopernicus.styles import (
    HistoryEnd,
)

Several = Literal["first", "last"]
"""Which headline counts where a reader has several for a document: of the first pair, or the last row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationOptions:
    """What is asked: `styles`, which cases (`plan`), also `adversarial` prompts of the contrastive styles.

    `documents` draws so many target documents; None asks about all. `examples` are those of `k-shot` and
    `dialogue`; every other style has its own number. `seed` is of all that is drawn here.
    """

    styles: tuple[str, ...] = STYLES
    plan: PlanName = "paper"
    several: Several = "first"
    history: HistoryEnd = "first"
    adversarial: bool = False
    documents: int | None = None
    examples: int = EXAMPLES
    seed: int = 0

    def __post_init__(self) -> None:
        if unknown := [style for style in self.styles if style not in (*STYLES, *SHOTS)]:
            raise InputError(f"{unknown[0]!r} is no prompt style; there are {', '.join((*STYLES, *SHOTS))}")
        if not 1 <= self.examples <= MOST_EXAMPLES:
            raise InputError(f"a prompt has 1 to {MOST_EXAMPLES} examples, not {self.examples}")
        if self.examples != EXAMPLES and not set(self.styles) & set(SHOTS):
            raise InputError(f"the number of examples can be set of {' and '.join(SHOTS)}: name one of them")
        if self.adversarial and not set(self.styles) & set(CONTRASTIVE):
            raise InputError(f"adversarial prompts are of {', '.join(CONTRASTIVE)}: name one of these styles")

    @property
    def runs(self) -> list[tuple[str, bool]]:
        """Each style, and whether its prompts are adversarial."""
        plain = [(style, False) for style in dict.fromkeys(self.styles)]
        return plain + [(style, True) for style, _ in plain if self.adversarial and style in CONTRASTIVE]
