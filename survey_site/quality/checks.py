"""What the checks say of each rater. They flag; an admin decides."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import cast

import numpy as np

from meta_eval.design.plan import ControlKind
from meta_eval.ratings.checks import GoldSeparation, Page, is_straight, separate_gold_by_rater
from survey_site.batches.effort import ReadingLoad, reading_load
from survey_site.batches.models import Batch
from survey_site.quality.controls import ControlCount, count_control_ratings
from survey_site.quality.queries import completed_assignments, reason_of
from survey_site.survey.models import Assignment, Rater
from survey_site.uploads.queries import upload_of

HURRIED_WORDS_PER_MINUTE = 600
"""Three times the reading speed that plans assume: nobody reads a page much faster."""

HURRIED_SECONDS_PER_PAIR = 1
PERMUTATIONS = 1_999


@dataclass(frozen=True)
class CheckedPage:
    """One completed questionnaire. `values` in page order; seconds from claim to submit, pauses included.

    gold_first: the ratings that count, empty without a gold pair; controls: kind and rating of each control,
    which are not among them. timed: whether the seconds are those of a person who was watched by this site;
    what a program does, or what was rated elsewhere, has no times worth judging.
    """

    assignment: Assignment
    values: tuple[int, ...]
    gold_first: Page
    controls: tuple[tuple[ControlKind, int], ...]
    seconds: float
    least_seconds: float
    timed: bool
    reason: str

    @property
    def straight(self) -> bool:
        return is_straight(self.values)

    @property
    def hurried(self) -> bool:
        """Too fast to have read the page."""
        return self.timed and self.seconds < self.least_seconds

    @property
    def duration(self) -> timedelta:
        return timedelta(seconds=round(self.seconds))


@dataclass(frozen=True)
class CheckedRater:
    rater: Rater
    pages: tuple[CheckedPage, ...]
    gold: GoldSeparation
    contrary: bool
    controls: tuple[ControlCount, ...]

    @property
    def straight(self) -> int:
        return sum(page.straight for page in self.pages)

    @property
    def hurried(self) -> int:
        return sum(page.hurried for page in self.pages)

    @property
    def timed(self) -> bool:
        return all(page.timed for page in self.pages)

    @property
    def excluded(self) -> int:
        return sum(bool(page.reason) for page in self.pages)

    @property
    def median_duration(self) -> timedelta:
        return timedelta(seconds=round(float(np.median([page.seconds for page in self.pages]))))

    @property
    def gold_p(self) -> float | None:
        """Two-sided: twice the smaller side, at most 1."""
        if self.gold.p_above is None or self.gold.p_below is None:
            return None
        return min(1.0, 2 * self.gold.p_above, 2 * self.gold.p_below)

    @property
    def flags(self) -> list[str]:
        """What an admin should look at, in words."""
        found = {
            "gold opposite to the others": self.contrary,
            f"{self.straight} of {len(self.pages)} rated all alike": 2 * self.straight >= len(self.pages),
            f"{self.hurried} of {len(self.pages)} too fast": 2 * self.hurried >= len(self.pages),
            **{one.words: one.flagged for one in self.controls},
        }
        return [words for words, flagged in found.items() if flagged]


def check_raters(batch: Batch) -> list[CheckedRater]:
    """Every rater with a completed questionnaire, flagged ones first; excluded ones are checked too.

    None of uploaded ratings whose file does not say who rated.
    """
    upload = upload_of(batch)
    if upload and not upload.knows_raters:
        return []
    pages: dict[str, list[CheckedPage]] = defaultdict(list)
    load = reading_load(batch.corpus, document_shown=batch.document_shown)
    for assignment in completed_assignments(batch):
        pages[assignment.rater.code].append(_check_page(assignment, load, here=upload is None))
    rng = np.random.default_rng(batch.seed)
    ratings = {code: [page.gold_first for page in own] for code, own in pages.items()}
    gold, contrary = separate_gold_by_rater(ratings, rng=rng, permutations=PERMUTATIONS)
    checked = [
        CheckedRater(
            own[0].assignment.rater,
            tuple(own),
            gold[code],
            code in contrary,
            count_control_ratings((one for page in own for one in page.controls), scale=batch.scale),
        )
        for code, own in pages.items()
    ]
    return sorted(checked, key=lambda one: (not one.flags, one.rater.code))


def count_all_controls(checked: Iterable[CheckedRater], *, scale: str) -> tuple[ControlCount, ...]:
    """The ratings of controls by all raters, without what is excluded."""
    pages = (page for one in checked for page in one.pages if not page.reason)
    return count_control_ratings((one for page in pages for one in page.controls), scale=scale)


def count_flagged(checked: Iterable[CheckedRater]) -> int:
    """Raters whom a check flags and no exclusion has dealt with."""
    return sum(bool(one.flags) and one.excluded < len(one.pages) for one in checked)


def _check_page(assignment: Assignment, load: ReadingLoad, *, here: bool) -> CheckedPage:
    placements = [one for one in assignment.placements.all() if hasattr(one, "rating")]  # the rest is marked
    values = tuple(one.rating.value for one in placements)
    scored = [one for one in placements if not one.item.control]
    by_gold = sorted(scored, key=lambda one: not one.item.is_gold)
    has_gold = any(one.item.is_gold for one in scored)
    controls = [one for one in placements if one.item.control]
    submitted = assignment.submitted_at or assignment.claimed_at
    return CheckedPage(
        assignment=assignment,
        values=values,
        gold_first=[one.rating.value for one in by_gold] if has_gold else [],
        controls=tuple((cast(ControlKind, one.item.control), one.rating.value) for one in controls),
        seconds=(submitted - assignment.claimed_at).total_seconds(),
        least_seconds=_least_seconds(load, values),
        timed=here and not assignment.rater.simulated,
        reason=reason_of(assignment),
    )


def _least_seconds(load: ReadingLoad, values: Sequence[int]) -> float:
    words = load.document + 2 * len(values) * load.text
    return 60 * words / HURRIED_WORDS_PER_MINUTE + HURRIED_SECONDS_PER_PAIR * len(values)
