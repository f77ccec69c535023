"""Reads about exclusions and about what each rater did."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, cast

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from meta_eval.design.plan import CONTROLS, ControlKind
from survey_site.batches.models import Batch, Item, scored_items
from survey_site.batches.states import AssignmentState
from survey_site.quality.controls import controls_note, count_control_ratings
from survey_site.quality.models import Exclusion, Snapshot
from survey_site.survey.models import Assignment, AssignmentItem, Mark, Rating
from survey_site.survey.rating_rows import UNCOUNTED, rating_rows
from survey_site.uploads.queries import upload_of

EXCLUDED = Q(exclusion__isnull=False) | Q(rater__exclusion__isnull=False)


def completed_assignments(batch: Batch) -> "QuerySet[Assignment]":
    """Submitted questionnaires that hold a place, excluded ones among them."""
    return (
        Assignment.objects.filter(questionnaire__batch=batch, state=AssignmentState.SUBMITTED)
        .select_related("rater__exclusion", "questionnaire", "exclusion")
        .order_by("rater__pk", "submitted_at", "pk")
    )


def assessed_assignments(batch: Batch) -> "QuerySet[Assignment]":
    """Those that raters are judged by: the completed ones, and those that fill no place and have marks.

    Who could not judge a single pair has completed none, and has to be looked at all the same.
    """
    marks = Mark.objects.filter(assignment_item__assignment=OuterRef("pk"))
    with_marks = Q(Exists(marks), state=AssignmentState.SURPLUS) | Q(state=AssignmentState.MARKED)
    return (
        Assignment.objects.filter(Q(state=AssignmentState.SUBMITTED) | with_marks, questionnaire__batch=batch)
        .select_related("rater__exclusion", "questionnaire", "exclusion")
        .order_by("rater__pk", "submitted_at", "pk")
    )


@dataclass(frozen=True, slots=True)
class MetItem:
    """An item as somebody met it on a page that they submitted: its rating, or None where it is marked.

    copied: it was not shown, and has the answer to the pair of the same two texts.
    """

    item: int
    control: str
    is_gold: bool
    value: int | None
    marked: bool
    copied: bool = False


def met_items(batch: Batch, *, rater: str | None = None) -> dict[int, list[MetItem]]:
    """What stands on each submitted page, by the page's id and in its order; of one rater, or of all.

    As plain values: objects of a hundred thousand ratings would take half a gigabyte.
    """
    states = [AssignmentState.SUBMITTED, *UNCOUNTED]
    rows = AssignmentItem.objects.filter(
        assignment__questionnaire__batch=batch, assignment__state__in=states
    ).order_by("assignment", "position")
    if rater is not None:
        rows = rows.filter(assignment__rater__code=rater)
    columns = (
        "assignment_id",
        "item_id",
        "item__control",
        "item__system_id",
        "rating__value",
        "mark__pk",
        "same_as_id",
    )
    pages: dict[int, list[MetItem]] = defaultdict(list)
    for page, item, control, system, value, mark, same_as in rows.values_list(*columns).iterator():
        is_gold = system is None and not control
        pages[page].append(MetItem(item, control, is_gold, value, mark is not None, same_as is not None))
    return pages


def exclusions_of(batch: Batch) -> "QuerySet[Exclusion]":
    return Exclusion.objects.filter(Q(rater__batch=batch) | Q(assignment__rater__batch=batch)).select_related(
        "rater", "assignment__rater", "assignment__questionnaire", "excluded_by"
    )


def count_excluded(batch: Batch) -> int:
    """Completed questionnaires that do not count because they, or their rater, are excluded."""
    return completed_assignments(batch).filter(EXCLUDED).count()


def describe_exclusions(batch: Batch) -> list[str]:
    """One line a reason for reports: how many completed questionnaires it keeps out."""
    reasons: Counter[str] = Counter()
    for assignment in completed_assignments(batch).filter(EXCLUDED):
        reasons[reason_of(assignment)] += 1
    return [
        f"{count} completed questionnaire{'s' if count > 1 else ''} excluded by an admin: {reason}"
        for reason, count in sorted(reasons.items())
    ]


def describe_controls(batch: Batch) -> list[str]:
    """At most one line for reports: the plan's control pairs, and how they were rated where it counts."""
    planned = Item.objects.filter(questionnaire__batch=batch).exclude(scored_items())
    numbers = Counter(planned.values_list("control", flat=True))
    counted = completed_assignments(batch).exclude(EXCLUDED)
    rated = Rating.objects.filter(assignment_item__assignment__in=counted).exclude(
        scored_items("assignment_item__item")
    )
    given = rated.values_list("assignment_item__item__control", "value")
    counts = count_control_ratings(
        ((cast(ControlKind, kind), value) for kind, value in given), scale=batch.scale
    )
    note = controls_note({kind: numbers[kind] for kind in CONTROLS if numbers[kind]}, counts)
    return [note] if note else []


def reason_of(assignment: Assignment) -> str:
    """Why this questionnaire is excluded; empty where it counts. The rater's exclusion comes first."""
    for holder in (assignment.rater, assignment):
        if exclusion := getattr(holder, "exclusion", None):
            return str(exclusion.reason)
    return ""


def excluded_rows(batch: Batch) -> Iterator[dict[str, Any]]:
    """The rows of `rating_rows` that are excluded, controls too, as they would stand there, with the reason
    behind.
    """
    reasons = {
        (one.questionnaire.number, one.rater.code): reason_of(one)
        for one in completed_assignments(batch).filter(EXCLUDED)
    }
    for row in rating_rows(batch, excluded=True, controls=True):
        yield row | {"state": "excluded", "reason": reasons[row["questionnaire"], row["rater"]]}


def submitted_rows(batch: Batch) -> Iterator[dict[str, Any]]:
    """Every rating of a submitted questionnaire, controls too and whatever became of it, as in `rating_rows`.

    Besides: `reason` where it is excluded, when its page was claimed, and the consent text its rater read.
    """
    pages = {(one.questionnaire.number, one.rater.code): one for one in _submitted_assignments(batch)}
    here = upload_of(batch) is None
    counted, excluded = (
        rating_rows(batch, further=UNCOUNTED, excluded=excluded, controls=True) for excluded in (False, True)
    )
    for row in chain(counted, excluded):
        page = pages.get((row["questionnaire"], row["rater"]))
        if page is None:  # submitted since; who freezes sees it by the changes, and reads again
            continue
        consent = getattr(page.rater, "consent", None)
        reason = reason_of(page)
        yield row | {
            "state": "excluded" if reason and row["state"] == AssignmentState.SUBMITTED else row["state"],
            "reason": reason,
            "claimed_at": page.claimed_at if here else None,
            "consent_version": consent.text.version if consent else None,
            "consent_language": consent.text.language if consent else None,
        }


def _submitted_assignments(batch: Batch) -> "QuerySet[Assignment]":
    return Assignment.objects.filter(
        questionnaire__batch=batch, state__in=[AssignmentState.SUBMITTED, *UNCOUNTED]
    ).select_related("questionnaire", "exclusion", "rater__exclusion", "rater__consent__text")


def count_states(batch: Batch) -> dict[str, int]:
    """How many questionnaires of raters are in each state."""
    found = Assignment.objects.filter(questionnaire__batch=batch).order_by()
    counts = dict(found.values_list("state").annotate(n=Count("pk")))
    return {state: counts.get(state, 0) for state in AssignmentState.values}


def snapshot_of(batch: Batch) -> Snapshot | None:
    """The snapshot of a frozen batch, without its contents."""
    return Snapshot.objects.filter(batch=batch).defer("head").select_related("frozen_by").first()
