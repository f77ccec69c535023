"""Reads about marks: what raters could not judge, why, and which pairs were given up for it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, Q, QuerySet
from django.utils.translation import override

from survey_site.batches.models import Batch, Item, scored_items
from survey_site.batches.states import AssignmentState
from survey_site.common.csvfile import csv_line
from survey_site.survey.models import Assignment, Mark, MarkReason
from survey_site.survey.rating.marks import given_up_items
from survey_site.survey.rating_rows import GOLD, UNCOUNTED

MARK_COLUMNS = (
    *("questionnaire", "doc_id", "system", "reader_a", "reader_b", "control", "position"),
    *("rater", "simulated", "state", "reason", "words", "marked_at", "given_up"),
)


@dataclass(frozen=True)
class MarkSummary:
    """What was marked on submitted pages of raters who count.

    by_reason: each reason in words with its marks, all reasons; given_up: the pairs that nobody is asked
    about any more, with how many marks each has. pages: submitted ones that do not count for their marks.
    """

    marks: int
    raters: int
    pages: int
    by_reason: tuple[tuple[str, int], ...]
    given_up: tuple[Item, ...]


def submitted_marks(batch: Batch) -> "QuerySet[Mark]":
    """Those on submitted pages, without what an admin excluded; one for pairs that were shown as one."""
    return Mark.objects.filter(
        assignment_item__assignment__questionnaire__batch=batch,
        assignment_item__assignment__state__in=[AssignmentState.SUBMITTED, *UNCOUNTED],
        assignment_item__assignment__exclusion=None,
        assignment_item__assignment__rater__exclusion=None,
        assignment_item__same_as=None,
    )


def summarise_marks(batch: Batch) -> MarkSummary:
    rows = submitted_marks(batch).values_list("reason", "assignment_item__assignment__rater")
    found = list(rows)
    counts = Counter(reason for reason, _ in found)
    given_up = given_up_items(batch.questionnaires.all()).order_by("questionnaire__number", "pk")
    pages = Assignment.objects.filter(
        questionnaire__batch=batch,
        state=AssignmentState.MARKED,
        exclusion=None,
        rater__exclusion=None,
    ).count()
    with override("en"):
        by_reason = tuple((str(reason.label), counts[reason]) for reason in MarkReason)
    return MarkSummary(
        marks=len(found),
        raters=len({rater for _, rater in found}),
        pages=pages,
        by_reason=by_reason,
        given_up=tuple(given_up.select_related("system", "questionnaire__document")),
    )


def pairs_not_judged(batch: Batch) -> "QuerySet[Item]":
    """Given up, in scores, and without all the ratings that were wanted."""
    counted = Count(
        "placements__rating",
        filter=Q(
            placements__assignment__state=AssignmentState.SUBMITTED,
            placements__assignment__exclusion=None,
            placements__assignment__rater__exclusion=None,
        ),
    )
    # By number, for a planner that cannot know how few these are counts every rating of the batch first.
    given_up = list(given_up_items(batch.questionnaires.all()).values_list("pk", flat=True))
    rows = Item.objects.filter(scored_items(), pk__in=given_up).annotate(counted=counted)
    return rows.filter(counted__lt=F("questionnaire__slots"))


def count_pairs_not_judged(batch: Batch) -> int:
    """How many pairs those are; one that stands in several questionnaires is one."""
    pair = ("questionnaire__document", "system", "questionnaire__reader_a", "questionnaire__reader_b")
    return len(set(pairs_not_judged(batch).values_list(*pair)))


def describe_marks(batch: Batch) -> list[str]:
    """At most one sentence for reports: how often raters could not judge a pair, why, and what came of it."""
    found = summarise_marks(batch) if batch.marks_allowed else None
    if found is None or not found.marks:
        return []
    why = ", ".join(f"{words}: {number}" for words, number in found.by_reason if number)
    said, times = _count(found.raters, "rater"), _count(found.marks, "time")
    return [
        " ".join(
            [f"{said} said {times} that they could not judge a pair ({why}).", *_what_came(batch, found)]
        )
    ]


def _what_came(batch: Batch, found: MarkSummary) -> Iterator[str]:
    """What became of pairs and pages, in sentences of their own."""
    lacking, raters = count_pairs_not_judged(batch), _count(batch.raters, "rater")
    if lacking:
        were, them, lack = ("was", "it", "lacks") if lacking == 1 else ("were", "them", "lack")
        pairs = _count(lacking, "pair")
        yield f"{pairs} {were} given up, since {raters} could not judge {them}, and {lack} ratings."
    if found.pages:
        whose = "its rater" if found.pages == 1 else "their raters"
        pages = _count(found.pages, "questionnaire")
        why = f"{whose} could not judge a pair that was not given up"
        yield f"The ratings of {pages} do not count, because {why}."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def mark_lines(batch: Batch) -> Iterator[str]:
    """All marks as CSV, of pages that are still open and of excluded raters too, in the order of the plan."""
    given_up = set(given_up_items(batch.questionnaires.all()).values_list("pk", flat=True))
    marks = Mark.objects.filter(assignment_item__assignment__questionnaire__batch=batch).select_related(
        "assignment_item__item__system",
        "assignment_item__assignment__rater__exclusion",
        "assignment_item__assignment__exclusion",
        "assignment_item__assignment__questionnaire__document",
        "assignment_item__assignment__questionnaire__reader_a",
        "assignment_item__assignment__questionnaire__reader_b",
    )
    yield csv_line(MARK_COLUMNS)
    place = ("assignment_item__assignment__questionnaire__number", "assignment_item__assignment")
    for mark in marks.order_by(*place, "assignment_item__position"):
        yield csv_line(_row(mark, given_up))


def _row(mark: Mark, given_up: set[int]) -> tuple[Any, ...]:
    placement = mark.assignment_item
    item, page = placement.item, placement.assignment
    asked = page.questionnaire
    system = item.system.name if item.system else GOLD
    readers = (asked.reader_a.key, asked.reader_b.key)
    is_excluded = hasattr(page, "exclusion") or hasattr(page.rater, "exclusion")
    return (
        *(asked.number, asked.document.key, *(("", "", "") if item.control else (system, *readers))),
        *(item.control, placement.position, page.rater.code, page.rater.simulated),
        *("excluded" if is_excluded else page.state, mark.reason, mark.words, mark.updated_at),
        item.pk in given_up,
    )
