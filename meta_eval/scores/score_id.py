"""The address of a score: which score it is, and by which measure or surrogate."""

from typing import NamedTuple

_HUMAN = "_hj"


class ScoreId(NamedTuple):
    """A score by name, and the measure it was made with: the surrogate of a human score.

    >>> ScoreId("perseval_hj", "rouge-l").is_human
    True
    """

    score: str
    measure: str

    @property
    def is_human(self) -> bool:
        return self.score.endswith(_HUMAN)
