"""What the checks say of each rater. They flag; an admin decides."""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import cast

import numpy as np

from meta_eval.design.plan import ControlKind
from meta_eval.ratings.checks import (
    GoldSeparation,
    Page,
    find_heavy_markers,
    is_straight,
    separate_gold_by_rater,
)
from survey_site.batches.effort import ReadingLoad, reading_load
from survey_site.batches.models import Batch
from survey_site.batches.states import AssignmentState
from survey_site.quality.controls import ControlCount, count_control_ratings
from survey_site.quality.queries import MetItem, assessed_assignments, met_items, reason_of
from survey_site.survey.models import Assignment, Rater
from survey_site.survey.rating.validators import SCALE
from survey_site.uploads.queries import upload_of

HURRIED_WORDS_PER_MINUTE = 600
"""Three times the reading speed that plans assume: nobody reads a page much faster."""

HURRIED_SECONDS_PER_PAIR = 1
PERMUTATIONS = 1_999


@dataclass(frozen=True)
class CheckedPage:
    """One submitted questionnaire. `values` in page order; seconds from claim to submit, pauses included.

    marked: each pair, by its item's key, and whether the rater could not judge it; fills_place: whether the
    questionnaire is complete with it. gold_first: the ratings that count, empty without a gold pair;
    controls: kind and rating of each control, which are not among them. timed: whether the seconds are those
    of a person who was watched by this site; what a program does, or what was rated elsewhere, has no times
    worth judging.
    """

    assignment: Assignment
    values: tuple[int, ...]
    marked: Mapping[int, bool]
    fills_place: bool
    gold_first: Page
    controls: tuple[tuple[ControlKind, int], ...]
    seconds: float
    least_seconds: float
    timed: bool
    reason: str

    @property
    def marks(self) -> int:
        """Pairs that the rater could not judge."""
        return sum(self.marked.values())

    @property
    def straight(self) -> bool:
        return is_straight(self.values)

    @property
    def hurried(self) -> bool:
        """Too fast to have read the page."""
        return self.timed and self.seconds < self.least_seconds

    @property
    def seconds_per_pair(self) -> float | None:
        """None where the time says nothing."""
        return self.seconds / len(self.marked) if self.timed and self.marked else None

    @property
    def duration(self) -> timedelta:
        return timedelta(seconds=round(self.seconds))


def counts_for_nothing(*, excluded: int, submitted: int) -> bool:
    """Whether no page that a rater submitted counts: each of them is excluded."""
    return excluded >= submitted


def awaits_decision(flags: Collection[str], *, is_excluded: bool) -> bool:
    """Whether an admin is to look at a rater: a check flags them, and some of their pages still count."""
    return bool(flags) and not is_excluded


@dataclass(frozen=True)
class CheckedRater:
    """`submitted`: all pages to judge the rater by. marks_much: see `find_heavy_markers`."""

    rater: Rater
    submitted: tuple[CheckedPage, ...]
    gold: GoldSeparation
    contrary: bool
    controls: tuple[ControlCount, ...]
    marks_much: bool

    @property
    def pages(self) -> tuple[CheckedPage, ...]:
        """The completed ones; the others have marks and fill no place."""
        return tuple(page for page in self.submitted if page.fills_place)

    @property
    def marks(self) -> int:
        """Pairs that this rater could not judge."""
        return sum(page.marks for page in self.submitted)

    @property
    def met(self) -> int:
        return sum(len(page.marked) for page in self.submitted)

    @property
    def straight(self) -> int:
        return sum(page.straight for page in self.pages)

    @property
    def hurried(self) -> int:
        return sum(page.hurried for page in self.pages)

    @property
    def timed(self) -> bool:
        return all(page.timed for page in self.submitted)

    @property
    def excluded(self) -> int:
        return sum(bool(page.reason) for page in self.submitted)

    @property
    def is_excluded(self) -> bool:
        return counts_for_nothing(excluded=self.excluded, submitted=len(self.submitted))

    @property
    def awaits_decision(self) -> bool:
        return awaits_decision(self.flags, is_excluded=self.is_excluded)

    @property
    def median_duration(self) -> timedelta:
        return timedelta(seconds=round(float(np.median([page.seconds for page in self.submitted]))))

    @property
    def points(self) -> tuple[int, ...]:
        """How often this rater gave each point of the scale."""
        counts = Counter(value for page in self.submitted for value in page.values)
        return tuple(counts[point] for point in SCALE)

    @property
    def times(self) -> tuple[float, ...]:
        """Seconds a pair of each page whose time says something."""
        found = (page.seconds_per_pair for page in self.submitted)
        return tuple(seconds for seconds in found if seconds is not None)

    @property
    def gold_p(self) -> float | None:
        """Two-sided: twice the smaller side, at most 1."""
        if self.gold.p_above is None or self.gold.p_below is None:
            return None
        return min(1.0, 2 * self.gold.p_above, 2 * self.gold.p_below)

    @property
    def flags(self) -> list[str]:
        """What an admin should look at, in words."""
        pages = len(self.pages)
        found = {
            "gold opposite to the others": self.contrary,
            f"{self.straight} of {pages} rated all alike": 0 < pages <= 2 * self.straight,
            f"{self.hurried} of {pages} too fast": 0 < pages <= 2 * self.hurried,
            f"{self.marks} of {self.met} pairs not judged": self.marks_much,
            **{one.words: one.flagged for one in self.controls},
        }
        return [words for words, flagged in found.items() if flagged]


def check_raters(batch: Batch) -> list[CheckedRater]:
    """Every rater who completed a questionnaire or submitted one with marks, flagged ones first.

    Excluded ones are checked too. None of uploaded ratings whose file does not say who rated.
    """
    pages = check_pages(batch)
    rng = np.random.default_rng(batch.seed)
    ratings = {code: [page.gold_first for page in own if page.fills_place] for code, own in pages.items()}
    met: dict[str, dict[Hashable, bool]] = {
        code: {item: is_marked for page in own for item, is_marked in page.marked.items()}
        for code, own in pages.items()
    }
    heavy = find_heavy_markers(met)
    gold, contrary = separate_gold_by_rater(ratings, rng=rng, permutations=PERMUTATIONS)
    checked = [
        judge_rater(batch, own, gold[code], contrary=code in contrary, marks_much=code in heavy)
        for code, own in pages.items()
    ]
    return sorted(checked, key=lambda one: (not one.flags, one.rater.code))


def check_pages(batch: Batch, *, rater: str | None = None) -> dict[str, list[CheckedPage]]:
    """The pages to judge raters by, by the rater's code and in the order of submitting: of one, or of all."""
    upload = upload_of(batch)
    if upload and not upload.knows_raters:
        return {}
    pages: dict[str, list[CheckedPage]] = defaultdict(list)
    load = reading_load(batch.corpus, document_shown=batch.document_shown)
    assessed = assessed_assignments(batch)
    if rater is not None:
        assessed = assessed.filter(rater__code=rater)
    assignments = list(assessed)  # before what stands on them, which is then there for each that is not gone
    met = met_items(batch, rater=rater)
    for assignment in assignments:
        if items := met.pop(assignment.pk, []):
            page = _check_page(assignment, items, load, here=upload is None)
            pages[assignment.rater.code].append(page)
    return pages


def judge_rater(
    batch: Batch, pages: Sequence[CheckedPage], gold: GoldSeparation, *, contrary: bool, marks_much: bool
) -> CheckedRater:
    """One rater by their pages and by what stands out beside all the others."""
    given = count_control_ratings((one for page in pages for one in page.controls), scale=batch.scale)
    return CheckedRater(pages[0].assignment.rater, tuple(pages), gold, contrary, given, marks_much)


def count_all_controls(checked: Iterable[CheckedRater], *, scale: str) -> tuple[ControlCount, ...]:
    """The ratings of controls by all raters, without what is excluded."""
    pages = (page for one in checked for page in one.pages if not page.reason)
    return count_control_ratings((one for page in pages for one in page.controls), scale=scale)


def count_flagged(checked: Iterable[CheckedRater]) -> int:
    """Raters whom a check flags and no exclusion has dealt with."""
    return sum(one.awaits_decision for one in checked)


def _check_page(
    assignment: Assignment, met: Sequence[MetItem], load: ReadingLoad, *, here: bool
) -> CheckedPage:
    rated = [(one, one.value) for one in met if one.value is not None]  # the rest is marked
    values = tuple(value for one, value in rated if not one.copied)
    scored = [(one, value) for one, value in rated if not one.control]
    by_gold = sorted(scored, key=lambda one: not one[0].is_gold)
    has_gold = any(one.is_gold for one, _ in scored)
    submitted = assignment.submitted_at or assignment.claimed_at
    return CheckedPage(
        assignment=assignment,
        values=values,
        marked={one.item: one.marked for one in met if not one.copied},
        fills_place=assignment.state == AssignmentState.SUBMITTED,
        gold_first=[value for _, value in by_gold] if has_gold else [],
        controls=tuple((cast(ControlKind, one.control), value) for one, value in rated if one.control),
        seconds=(submitted - assignment.claimed_at).total_seconds(),
        least_seconds=_least_seconds(load, values),
        timed=here and not assignment.rater.simulated,
        reason=reason_of(assignment),
    )


def _least_seconds(load: ReadingLoad, values: Sequence[int]) -> float:
    words = load.document + 2 * len(values) * load.text
    return 60 * words / HURRIED_WORDS_PER_MINUTE + HURRIED_SECONDS_PER_PAIR * len(values)
