"""Reads for reports: what raters did in a batch at this moment, and the lists that pages show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, Q, QuerySet, TextField, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce, NullIf, Trim
from django.shortcuts import get_object_or_404

from meta_eval.corpus.documents import GOLD
from meta_eval.ratings.rating import RatedPair, Rating, rated_pair
from meta_eval.ratings.survey import count_plan, count_rated
from survey_site.batches.models import Batch, Item, scored_items
from survey_site.batches.states import AssignmentState, BatchStatus
from survey_site.corpus.models import Corpus
from survey_site.quality.models import Snapshot
from survey_site.quality.queries import (
    count_excluded,
    describe_controls,
    describe_exclusions,
    snapshot_of,
)
from survey_site.reports.models import Report
from survey_site.scoring.models import RunKind, ScoreRun
from survey_site.survey.people.background import describe_participants
from survey_site.survey.people.forgetting import is_forgotten
from survey_site.survey.people.participation import read_participation
from survey_site.survey.rating.copies import describe_copies
from survey_site.survey.rating.marked import count_pairs_not_judged, describe_marks
from survey_site.uploads.queries import cite_upload, upload_of

FORGOTTEN_NOTE = (
    "what people said of themselves was deleted with who they were; earlier reports have the totals"
)


def get_report(pk: int) -> Report:
    """Raises Http404 where there is none."""
    return get_object_or_404(
        Report.objects.select_related("batch__corpus", "rating_set", "created_by"), pk=pk
    )


def report_list() -> QuerySet[Report]:
    """All reports for the list page: of their results the answer and what is missing alone."""
    answer = NullIf(KT("result__answer__headline"), Value("", output_field=TextField()))
    return (
        Report.objects.select_related("batch__corpus", "created_by")
        .defer("result", "survey", "drawings")
        .annotate(
            headline=Coalesce(answer, KT("result__answer__sentence")),
            failed_parts=F("result__failures"),
            problems=F("result__inference__problems"),
        )
    )


@dataclass(frozen=True)
class ListedReport:
    """A report on the list: its `answer` in a line, empty while there is none; whether a part failed."""

    report: Report
    answer: str
    is_incomplete: bool


def as_listed(report: Report) -> ListedReport:
    """A row of `report_list`."""
    found: Any = report
    failed = bool(found.failed_parts) or any(problem["failed"] for problem in found.problems or ())
    return ListedReport(report, (found.headline or "") if report.is_done else "", report.is_done and failed)


def reportable_batches() -> QuerySet[Batch]:
    """Batches that raters could have rated, but for archived ones."""
    launched = Batch.objects.exclude(status=BatchStatus.DRAFT).filter(archived_at=None)
    return launched.select_related("corpus").order_by("-launched_at")


def texts_missing(corpus: Corpus) -> int:
    """How many documents that can be scored (two readers or more) have no text."""
    return (
        corpus.documents.annotate(readers=Count("references"), text=Trim("body"))
        .filter(readers__gte=2, text="")
        .count()
    )


@dataclass(frozen=True)
class Part:
    """One part of a report on its way; `run` is None until a worker has made the measure."""

    kind: RunKind
    measure: str
    run: ScoreRun | None

    @property
    def share(self) -> float:
        """How far it is, 0 to 1; one that failed is over too."""
        if self.run is None:
            return 0.0
        return 1.0 if self.run.is_failed else self.run.share


def list_parts(report: Report) -> list[Part]:
    runs = report.runs.defer("records", "signature")
    found = {(run.kind, run.measure): run for run in runs}
    return [Part(kind, measure, found.get((kind, measure))) for kind, measure in report.parts]


def survey_facts(batch: Batch, ratings: Sequence[Rating]) -> dict[str, Any]:
    """Counts of the survey as it is now: what was planned, who gave these ratings, and what does not enter
    the scores."""
    planned, upload = _planned_pairs(batch), cite_upload(batch)
    rated = {rating.pair for rating in ratings}
    states = _assignments_by_state(batch)
    snapshot = Snapshot.objects.filter(batch=batch).first()
    left = snapshot.head["questionnaires"] if snapshot else states
    copies = snapshot.head.get("copies", []) if snapshot else describe_copies(batch)
    marks = snapshot.head.get("marks", []) if snapshot else describe_marks(batch)
    return {
        "plan": count_plan(planned, questionnaires=batch.questionnaires.count(), raters=batch.raters),
        "ratings": count_rated(
            ratings,
            completions=states[AssignmentState.SUBMITTED] - count_excluded(batch),
            simulated={rating.rater for rating in ratings} & _simulated_raters(batch),
        ),
        "counts": {
            **({} if upload else {"pairs_unrated": len(planned - rated)}),  # nobody said what was planned
            **_count_not_judged(batch, left, snapshot),
            "surplus_questionnaires": left[AssignmentState.SURPLUS],
            "open_questionnaires": left[AssignmentState.OPEN],
            "expired_questionnaires": left[AssignmentState.EXPIRED],
        },
        "exclusions": describe_exclusions(batch),
        **_participants(batch),
        **({"controls": controls} if (controls := describe_controls(batch)) else {}),
        **({"marks": marks} if marks else {}),
        **({"copies": copies} if copies else {}),
        "frozen": cite_snapshot(batch),
        **({"upload": upload} if upload else {}),
    }


def facts_beside_ratings(batch: Batch) -> list[Any]:
    """What of these counts may change while no rating does: read quickly, whatever the size of the batch."""
    return [
        _assignments_by_state(batch),
        describe_exclusions(batch),
        _participants(batch),
        cite_snapshot(batch),
        cite_upload(batch),
        batch.raters,
        batch.questionnaires.count(),
    ]


def _count_not_judged(batch: Batch, states: Mapping[str, int], snapshot: Snapshot | None) -> dict[str, int]:
    """Where raters could say so. A snapshot from before there were marks counts neither, so nor does this."""
    if not batch.marks_allowed or upload_of(batch):
        return {}
    pairs = snapshot.head.get("pairs_not_judged") if snapshot else count_pairs_not_judged(batch)
    found = {"pairs_not_judged": pairs, "marked_questionnaires": states.get(AssignmentState.MARKED)}
    return {what: count for what, count in found.items() if count is not None}


def _participants(batch: Batch) -> dict[str, Any]:
    """Totals of what people said of themselves, where they were asked; none while people may still join.

    From two reports before and after one more person, what that person said could be told.
    """
    taking_part = read_participation(batch)
    if not taking_part.questions:
        return {}
    if is_forgotten(batch):
        return {"forgotten": [FORGOTTEN_NOTE]}
    return {"participants": describe_participants(batch, taking_part) if batch.is_closed else []}


def cite_snapshot(batch: Batch) -> dict[str, Any]:
    """How a report names the snapshot that it rests on, and what was withdrawn since; empty where none is."""
    snapshot = snapshot_of(batch)
    if snapshot is None:
        return {}
    return {
        "snapshot_hash": snapshot.content_hash,
        "frozen_at": snapshot.frozen_at.isoformat(),
        "snapshot_ratings": snapshot.total,
        "snapshot_withdrawn": snapshot.withdrawn,
    }


def _planned_pairs(batch: Batch) -> set[RatedPair]:
    rows = Item.objects.filter(scored_items(), questionnaire__batch=batch).values_list(*_PAIR)
    return {_pair(row) for row in rows}


_PAIR = (
    "questionnaire__document__key",
    "system__name",
    "questionnaire__reader_a__key",
    "questionnaire__reader_b__key",
)


def _pair(row: tuple[Any, ...]) -> RatedPair:
    document, system, first, second = row
    return rated_pair(document, system or GOLD, first, second)


def _assignments_by_state(batch: Batch) -> dict[str, int]:
    counts = {
        state: Count("assignments", filter=Q(assignments__state=state)) for state in AssignmentState.values
    }
    return batch.questionnaires.aggregate(**counts)


def _simulated_raters(batch: Batch) -> set[str]:
    return set(batch.people.filter(simulated=True).values_list("code", flat=True))
