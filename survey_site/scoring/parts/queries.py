"""What the page of a run shows: its parts, and its scores once they are there."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Sum

from meta_eval.report.numbers import PAGE, score_text
from meta_eval.scores.names import ACCURACY, AS_SHOWN, SCORES
from survey_site.scoring import jobs
from survey_site.scoring.models import JobStatus, RunKind, ScoreRun, ScoreShard

MOST_SHOWN = 50
"""Parts that are named one by one; the others are counted."""


@dataclass(frozen=True)
class PartsOfRun:
    """How many parts of a run are in which state, with the workers at work and the parts that failed."""

    counts: dict[str, int]
    pairs_done: int
    pairs: int
    at_work: list[ScoreShard]
    failed: list[ScoreShard]
    workers: int
    is_cancelled: bool
    is_being_cancelled: bool
    waits_for: list[str]

    @property
    def all(self) -> int:
        return sum(self.counts.values())

    @property
    def done(self) -> int:
        return self.counts.get(JobStatus.DONE, 0)

    @property
    def waiting(self) -> int:
        return self.counts.get(JobStatus.QUEUED, 0)


@dataclass(frozen=True)
class ScoresOfRun:
    """The scores of a run as text: a title for each column, and a row for each system, best DEGRESS first."""

    titles: Sequence[str]
    rows: Sequence["SystemRow"]


@dataclass(frozen=True)
class SystemRow:
    """A system's scores, in the order of the titles; `reason` says why it has none."""

    system: str
    scores: Sequence[str]
    documents: int
    pairs: int
    reason: str


def scores_of(run: ScoreRun) -> ScoresOfRun:
    """The scores that a run which is done has computed."""
    human = run.kind == RunKind.HUMAN
    columns = {SCORES[name].human if human else name: SCORES[name].title for name in AS_SHOWN}
    if not human:
        columns[ACCURACY] = "Accuracy"
    records = sorted(run.records, key=lambda one: _best_first(one[next(iter(columns))]))
    rows = [
        SystemRow(
            system=one["system"],
            scores=[score_text(one.get(name), PAGE) for name in columns],
            documents=one["documents"],
            pairs=one["pairs"],
            reason=one.get("reason") or "",
        )
        for one in records
    ]
    return ScoresOfRun(list(columns.values()), rows)


def _best_first(value: float | None) -> tuple[bool, float]:
    """A sort key: high scores before low ones, systems without a score last."""
    return (value is None, -(value or 0.0))


def parts_of(run: ScoreRun, *, now: datetime) -> PartsOfRun:
    rows = run.shards.order_by("status")
    states = rows.values_list("status").annotate(Count("pk"), Sum("pairs"))
    found = {status: (count, pairs) for status, count, pairs in states}
    at_work = [part for part in _some(run, JobStatus.RUNNING) if jobs.is_at_work(part, now=now)]
    waiting = run.shards.filter(status=JobStatus.QUEUED).order_by("queue")
    return PartsOfRun(
        counts={status: count for status, (count, _) in found.items()},
        pairs_done=found.get(JobStatus.DONE, (0, 0))[1],
        pairs=sum(pairs for _, pairs in found.values()),
        at_work=at_work,
        failed=_some(run, JobStatus.FAILED),
        workers=run.shards.exclude(worker="").order_by().values("worker").distinct().count(),
        is_cancelled=run.is_failed and run.cancelled_at is not None,
        is_being_cancelled=run.is_unfinished and run.cancelled_at is not None,
        waits_for=list(waiting.values_list("queue", flat=True).distinct()),
    )


def _some(run: ScoreRun, status: JobStatus) -> list[ScoreShard]:
    return list(run.shards.filter(status=status).order_by("number")[:MOST_SHOWN])
