"""Figures of the whole site, read from the database: what its metrics and its status page show."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, DurationField, ExpressionWrapper, F, Max, Min, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from survey_site.batches.models import Batch
from survey_site.batches.states import AssignmentState, BatchStatus
from survey_site.model_raters.models import ModelRun
from survey_site.operations.models import BackupMade, WorkerSeen
from survey_site.operations.presence import LIVES_FOR
from survey_site.quality.models import Freezing, KeptFindings, SnapshotCheck
from survey_site.reports.models import KeptBundle, Report
from survey_site.scoring.models import Job, JobStatus, ScoreRun, ScoreShard
from survey_site.survey.models import Assignment, Mark, Rating, RatingHistory

MODEL_RUN = "model_run"
KINDS: Mapping[str, tuple[str, type[Job]]] = {
    "report": ("Reports", Report),
    "score_run": ("Score runs", ScoreRun),
    "score_part": ("Parts of score runs", ScoreShard),
    "findings": ("Findings about quality", KeptFindings),
    "freezing": ("Batches being frozen", Freezing),
    "sealed_bundle": ("Sealed bundles of large reports", KeptBundle),
    "snapshot_check": ("Checks of snapshots", SnapshotCheck),
    MODEL_RUN: ("Runs of language models", ModelRun),
}
"""Each kind of background job: its title and its table."""
SHOWN = 20
LATELY = timedelta(hours=1)
"""So far back the times of parts are read, by an index: however many are kept, it costs what an hour's do."""


@dataclass(frozen=True)
class JobsOfKind:
    """How many jobs are in each state, and for how many seconds the oldest has waited, or been at work."""

    kind: str
    title: str
    counts: Mapping[str, int]
    oldest: Mapping[str, float]


@dataclass(frozen=True)
class PartTimes:
    """Parts of runs that one queue's workers computed lately: how many, and their seconds."""

    queue: str
    parts: int
    seconds: float
    longest: float


@dataclass(frozen=True)
class JobShown:
    """One job that runs or failed: where it is shown, and what became of it."""

    name: str
    address: str
    status: str
    since: datetime | None
    error: str


def ratings_by_kind() -> dict[str, int]:
    """Answers that stand, pairs marked as not to be judged, and all answers ever given, changed ones too."""
    return {
        "standing": Rating.objects.count(),
        "marks": Mark.objects.count(),
        "acknowledged": RatingHistory.objects.count(),
    }


def claims_by_state() -> dict[str, int]:
    counted = Assignment.objects.order_by().values_list("state").annotate(Count("pk"))
    return dict.fromkeys(AssignmentState.values, 0) | dict(counted)


def batches_by_status() -> dict[str, int]:
    counted = Batch.objects.order_by().values_list("status").annotate(Count("pk"))
    return dict.fromkeys(BatchStatus.values, 0) | dict(counted)


def jobs_by_kind(now: datetime) -> Iterator[JobsOfKind]:
    for kind, (title, model) in KINDS.items():
        rows = model._default_manager.order_by()
        counts = dict.fromkeys(JobStatus.values, 0) | dict(rows.values_list("status").annotate(Count("pk")))
        since = rows.filter(status__in=(JobStatus.QUEUED, JobStatus.RUNNING)).aggregate(
            queued=Min(Coalesce("requeued_at", "created_at"), filter=Q(status=JobStatus.QUEUED)),
            running=Min("started_at", filter=Q(status=JobStatus.RUNNING)),
        )
        oldest = {status: max(0.0, (now - at).total_seconds()) for status, at in since.items() if at}
        yield JobsOfKind(kind, title, counts, oldest)


def part_times(now: datetime) -> Iterator[PartTimes]:
    """How long the parts took that were done in the last `LATELY`, from when a worker took each."""
    taken = ExpressionWrapper(F("finished_at") - F("started_at"), output_field=DurationField())
    lately = ScoreShard.objects.filter(finished_at__gt=now - LATELY, status=JobStatus.DONE)
    by_queue = lately.order_by("queue").values_list("queue")
    found = by_queue.annotate(parts=Count("pk"), together=Sum(taken), longest=Max(taken))
    for queue, parts, together, longest in found:
        yield PartTimes(queue, parts, together.total_seconds(), longest.total_seconds())


def jobs_to_show(now: datetime) -> list[JobsOfKind]:
    """For people: without the runs of models where none is configured and none ever ran."""
    return [
        one
        for one in jobs_by_kind(now)
        if one.kind != MODEL_RUN or settings.CONCORD_LLM_MODELS or any(one.counts.values())
    ]


def jobs_to_look_at() -> list[JobShown]:
    """What runs, then what failed last."""
    found: list[JobShown] = []
    for status, order in ((JobStatus.RUNNING, "started_at"), (JobStatus.FAILED, "-finished_at")):
        for _, model in KINDS.values():
            found += map(_shown, _rows(model, status).order_by(order)[:SHOWN])
    return found


def _rows(model: type[Job], status: JobStatus) -> QuerySet[Any]:
    """Without the results, which may be large."""
    if model is Report:
        return Report.objects.filter(status=status).select_related("batch").defer("result", "drawings")
    if model is KeptFindings:
        return KeptFindings.objects.filter(status=status).select_related("batch").defer("packed")
    if model is SnapshotCheck:
        return SnapshotCheck.objects.filter(status=status).select_related("snapshot").defer("snapshot__head")
    if model is ScoreShard:
        return ScoreShard.objects.filter(status=status).select_related("run")
    return model._default_manager.filter(status=status)


def _shown(row: Any) -> JobShown:
    since = row.finished_at if row.is_failed else row.started_at
    name, address = str(row), row.get_absolute_url()
    return JobShown(name[:1].upper() + name[1:], address, row.get_status_display(), since, row.error)


def workers_seen() -> Sequence[WorkerSeen]:
    return list(WorkerSeen.objects.all())


def living(workers: Sequence[WorkerSeen], now: datetime) -> list[WorkerSeen]:
    return [one for one in workers if now - one.seen_at <= LIVES_FOR]


def last_backup() -> BackupMade | None:
    return BackupMade.objects.first()
