"""How raters rate the pairs whose rating is known beforehand, one line a kind of control."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from meta_eval.design.plan import CONTROLS, ControlKind
from meta_eval.ratings.checks import ATTENTION, describe_failure, fails_control
from meta_eval.ratings.rating import Scale
from meta_eval.stats.raters.agreement import CATEGORIES

FLAGGED_SHARE = 3
"""One in so many of a kind rated wrong flags a rater. Simulated careful raters fail one identical pair in
fifty and hardly an unrelated one, random ones two in three and one in two. With five of each, that flags 99 %
of the random raters and 1 % of the careful ones; half of a kind would flag 90 % and 0.2 %."""


@dataclass(frozen=True)
class ControlCount:
    """Ratings of one kind of control. counts: how many 1, 2, .. 6; failed: as no careful rater rates them."""

    kind: ControlKind
    scale: Scale
    counts: tuple[int, ...]
    failed: int

    @property
    def total(self) -> int:
        return sum(self.counts)

    @property
    def failing(self) -> str:
        """Which ratings fail, such as "below 5"."""
        return describe_failure(self.kind, self.scale)

    @property
    def words(self) -> str:
        """What happened, for the admin who decides."""
        pairs = "pair" if self.total == 1 else "pairs"
        return f"{self.failed} of {self.total} {self.kind} {pairs} rated {self.failing}"

    @property
    def flagged(self) -> bool:
        return self.failed > 0 and FLAGGED_SHARE * self.failed >= self.total

    @property
    def percent_failed(self) -> float:
        return 100 * self.failed / self.total


def count_control_ratings(
    ratings: Iterable[tuple[ControlKind, int]], *, scale: str
) -> tuple[ControlCount, ...]:
    """One line for each kind that was rated at all."""
    counted = Counter(ratings)
    counts = {kind: tuple(counted[kind, rating] for rating in CATEGORIES) for kind in CONTROLS}
    return tuple(_count(kind, cast(Scale, scale), each) for kind, each in counts.items() if any(each))


def controls_note(planned: Mapping[ControlKind, int], rated: Iterable[ControlCount]) -> str:
    """One line for reports: how many questionnaires carry each kind, and how they were rated; "" for none."""
    if not planned:
        return ""
    carried = " and ".join(f"{number} {_WORDS[kind]}" for kind, number in planned.items())
    found = ", ".join(one.words for one in rated)
    how = f"; {found}, as no careful rater does" if found else ""
    return f"{ATTENTION} among the pairs, which enter no score: {carried}{how}"


_WORDS: Mapping[ControlKind, str] = {
    "identical": "identical (one text twice)",
    "unrelated": "unrelated (texts on two documents)",
}


def _count(kind: ControlKind, scale: Scale, counts: tuple[int, ...]) -> ControlCount:
    failed = sum(
        n for rating, n in zip(CATEGORIES, counts, strict=True) if fails_control(kind, rating, scale)
    )
    return ControlCount(kind, scale, counts, failed)
