"""What both sides of a coefficient hold whatever raters say: the rule, its mark, and its words."""

from collections.abc import Iterable
from typing import Protocol

from meta_eval.scores.names import ACCURACY

MARK = "†"
"""Behind a measure that is its own surrogate: both sides share its distances."""
SAME_MEASURE = "surrogate and measure are the same, so both sides share distances."
PENALTY_NOTE = "Both sides of PerSEval hold a penalty in which no rating has a part."
NOT_SHUFFLED = (
    "No p of raters stands here, because the ratings were not shuffled for this table: it alone does not "
    "show that raters support a number."
)
"""Beside tables of agreement with people for which nobody computed what shuffled ratings give."""


class _Row(Protocol):
    @property
    def shared_input(self) -> bool: ...
    @property
    def shared(self) -> str | None: ...


def shared_note(rows: Iterable[_Row], *, marked: bool = True) -> str:
    """What the sides of these coefficients share, in sentences; nothing where they share nothing.

    `marked`: the mark stands in the table behind each measure that is meant.
    """
    kept = list(rows)
    same = f"{MARK}: {SAME_MEASURE}" if marked else SAME_MEASURE.capitalize()
    said = [same] if any(row.shared_input for row in kept) else []
    return " ".join([*said, *penalty_shared(row.shared for row in kept)])


def penalty_shared(parts: Iterable[str | None]) -> list[str]:
    """The sentence on the penalty, where any of these `shared` names it."""
    return [PENALTY_NOTE] if any("penalty" in part for part in parts if part) else []


def shares_input(human: str, surrogate: str | None, measure: str, *, normalise: str = "document") -> bool:
    """Whether a human score and an automatic one rest on distances of the same measure.

    Bare distances (`normalise` none) leave the surrogate to the penalty, which PerSEval alone has.
    """
    return surrogate == measure and (normalise == "document" or human == "perseval_hj")


_PARTS = ("penalty", "distances")


def shared_parts(
    human: str,
    surrogate: str | None,
    measure: str,
    *,
    automatic: str | None = None,
    normalise: str = "document",
) -> str | None:
    """What stands on both sides of a coefficient whatever raters say, in words; None for nothing.

    PerSEval's penalty holds no human input, and the penalties of different measures agree, so both sides of
    PerSEval share it under any two measures. The `automatic` score is the twin of the human one where it is
    None; accuracy has no penalty.
    """
    penalty = human == "perseval_hj" and automatic != ACCURACY
    distances = shares_input(human, surrogate, measure, normalise=normalise)
    return _in_words(name for name, is_shared in zip(_PARTS, (penalty, distances), strict=True) if is_shared)


def shared_by_any(*parts: str | None) -> str | None:
    """What a ranking that joins several scores shares with people: what any of them does.

    >>> shared_by_any("penalty", "distances", None)
    'penalty and distances'
    """
    return _in_words(name for name in _PARTS if any(name in part for part in parts if part))


def shared_in_aggregation(
    surrogate: str, measure: str, accuracy: str, *, normalise: str = "document"
) -> dict[str, str | None]:
    """What PerSEval-HJ shares with PerSEval, with an accuracy measure, and with both rankings joined."""
    sides = ("perseval_hj", surrogate)
    alone = shared_parts(*sides, measure, normalise=normalise)
    contrast = shared_parts(*sides, accuracy, automatic=ACCURACY, normalise=normalise)
    return {"perseval": alone, "accuracy": contrast, "both": shared_by_any(alone, contrast)}


def _in_words(parts: Iterable[str]) -> str | None:
    return " and ".join(parts) or None
