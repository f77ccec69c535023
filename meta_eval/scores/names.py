"""The scores that people's ratings give, too: each with its title, its direction and its human twin."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

ScoreName = Literal["degress", "egises", "perseval"]


@dataclass(frozen=True, slots=True)
class ScoreKind:
    """An automatic score and the human one that judges it.

    `mirrors` names the score of which it is 1 - that score on both sides, so that whatever is said of one's
    coefficients holds for the other's.
    """

    automatic: ScoreName
    title: str
    higher_is_better: bool
    mirrors: ScoreName | None = None

    @property
    def human(self) -> str:
        return f"{self.automatic}_hj"

    @property
    def studied(self) -> ScoreName:
        """The score whose coefficients and studies hold for this one too: DEGRESS for EGISES, else itself."""
        return self.mirrors or self.automatic


SCORE_KINDS = (
    ScoreKind("degress", "DEGRESS", higher_is_better=True),
    ScoreKind("egises", "EGISES", higher_is_better=False, mirrors="degress"),
    ScoreKind("perseval", "PerSEval", higher_is_better=True),
)
"""Each pair of scores points the same way, so a positive coefficient always means agreement."""

OWN_KINDS = tuple(kind for kind in SCORE_KINDS if kind.mirrors is None)
"""Those with coefficients of their own: what holds for DEGRESS holds for EGISES, its mirror."""

SCORES: Mapping[str, ScoreKind] = {kind.automatic: kind for kind in SCORE_KINDS}
SCORE_NAMES: tuple[ScoreName, ...] = tuple(kind.automatic for kind in SCORE_KINDS)
HUMAN_SCORES = tuple(kind.human for kind in SCORE_KINDS)
AS_SHOWN: tuple[ScoreName, ...] = ("degress", "perseval", "egises")
"""The order in which readers see them: DEGRESS, which the answer is about, first."""

ACCURACY = "accuracy"
"""The automatic score without a human twin: people's PerSEval judges it, as the contrast to PerSEval."""

TWINS: tuple[tuple[str, str], ...] = tuple((kind.human, kind.automatic) for kind in SCORE_KINDS)
"""Each human score with its automatic twin."""

COMPARED = (*TWINS, ("perseval_hj", ACCURACY))
"""What `correlate` sets against what: the twins, and people's PerSEval and automatic accuracy."""
