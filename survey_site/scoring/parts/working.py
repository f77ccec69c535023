"""Workers take parts of runs from the table, one after the other, as long as there are some.

Who takes what is decided in the database, not by messages: one that is lost, or sent twice, changes nothing.
"""

import logging
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet, Sum

from meta_eval.distances.computing import DistanceStream
from meta_eval.distances.shards import Shard
from meta_eval.errors import MetaEvalError
from meta_eval.scores.automatic import automatic_options
from meta_eval.scores.shard_scores import score_shard
from survey_site.common.errors import ApplicationError, ConflictError
from survey_site.common.locking import lock_first_row
from survey_site.corpus.queries import load_corpus
from survey_site.scoring import adapters, jobs
from survey_site.scoring.given.measures import with_given_of
from survey_site.scoring.models import JobStatus, RunKind, ScoreRun, ScoreShard
from survey_site.scoring.parts.cutting import stream_of
from survey_site.scoring.storage import kept_scores

SLICE = timedelta(seconds=60)
"""After so long a worker lets other tasks have their turn, and goes on with the next message."""
MOST_STREAMS = 2
log = logging.getLogger(__name__)


def this_worker() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


def waiting_shards() -> "QuerySet[ScoreShard]":
    """Parts that somebody should take; of a run that is cancelled, or that nobody joins, there are none."""
    begun = Q(run__status=JobStatus.RUNNING) | Q(run__status=JobStatus.QUEUED, run__waits_for_parts=True)
    return ScoreShard.objects.filter(begun, status=JobStatus.QUEUED, run__cancelled_at__isnull=True)


def take_shard(queue: str, *, now: datetime) -> ScoreShard | None:
    """A part of the run that has the least left, now running and ours; None where there is none to take."""
    waiting = waiting_shards().filter(queue=queue).order_by("run")
    runs = ScoreRun.objects.filter(pk__in=waiting.values("run"))
    for run in runs.order_by(F("total") - F("done"), "pk").values_list("pk", flat=True):
        if shard := take_shard_of(run, now=now):
            return shard
    return None


def take_shard_of(run: int, *, now: datetime) -> ScoreShard | None:
    """A part of this run, now running and ours; who else looks at the same moment gets another."""
    waiting = ScoreShard.objects.filter(run=run, status=JobStatus.QUEUED)
    with transaction.atomic():
        shard = lock_first_row(waiting.order_by("number"))
        if shard is None:
            return None
        shard.status, shard.worker = JobStatus.RUNNING, this_worker()
        shard.started_at = shard.heartbeat_at = now
        shard.save(update_fields=["status", "worker", "started_at", "heartbeat_at"])
    return shard


def compute_shard(
    shard: ScoreShard, streams: Callable[[], AbstractContextManager[DistanceStream]], *, clock: jobs.Clock
) -> bool:
    """Keep the distances of a part in the store, and its scores; the row says how it ended.

    `streams` makes the distances of the run. It is called once the heartbeat is on, because a large corpus
    takes long to read, and what fails in it is the fault that the row tells.
    """

    def compute() -> dict[str, Any]:
        with streams() as stream:
            _keep_part(stream, _part_of(stream, shard), shard.run)
        return {}

    return jobs.carry_out(
        shard, compute, clock=clock, expected=(MetaEvalError, ApplicationError), reason_of=jobs.reason_of
    )


def _keep_part(stream: DistanceStream, part: Shard, run: ScoreRun) -> None:
    """Scores of people rest on few distances, which whoever joins the run reads again."""
    if run.kind == RunKind.HUMAN:
        stream.compute(part)
        return
    options = automatic_options(adapters.score_options_of(run))
    kept_scores(run.key).save(part, score_shard(stream, part, options))


def _part_of(stream: DistanceStream, shard: ScoreShard) -> Shard:
    part = stream.shards[shard.number] if shard.number < len(stream.shards) else None
    if part is None or (part.span.first, part.span.last) != (shard.first, shard.last):
        raise ConflictError(
            "The run was cut otherwise than this worker cuts it (CONCORD_SHARD_PAIRS).",
            action="Give all workers the same settings, and try the failed parts again.",
        )
    return part


def work_on(queue: str, *, clock: jobs.Clock, ended: Callable[[ScoreRun], None]) -> bool:
    """Compute parts that wait in `queue`, for a while; whether some may be left.

    `ended` is told of each part's run, once the part is over.
    """
    bench, until = _bench(), clock() + SLICE
    while (now := clock()) < until:
        shard = take_shard(queue, now=now)
        if shard is None:
            bench.clear()
            return False
        bench.compute(shard, clock=clock)
        _report(shard.run)
        ended(shard.run)
    return True


def pairs_done(run: ScoreRun) -> int:
    return run.shards.filter(status=JobStatus.DONE).aggregate(pairs=Sum("pairs"))["pairs"] or 0


def _report(run: ScoreRun) -> None:
    """How far a run is that was put back: nobody is at work on it who would say so, and turns go by it."""
    rows = ScoreRun.objects.filter(pk=run.pk, status=JobStatus.QUEUED, waits_for_parts=True)
    if rows.exists():
        rows.update(done=pairs_done(run))


@dataclass
class Bench:
    """The streams of the runs that a worker computes parts of, so that a corpus is read once for many.

    A model that a stream has loaded is loaded with it. They are kept for the next turn while parts wait, and
    one that failed is made anew: what it holds open may be lost. What a stream computes is named by the key
    of its run, and where it is kept and how it is cut by the settings.
    """

    _streams: dict[tuple[str, ...], DistanceStream] = field(default_factory=dict)

    def compute(self, shard: ScoreShard, *, clock: jobs.Clock) -> None:
        compute_shard(shard, lambda: self._stream(shard.run), clock=clock)

    @contextmanager
    def _stream(self, run: ScoreRun) -> Iterator[DistanceStream]:
        key = (
            run.key,
            str(settings.CONCORD_SHARD_PAIRS),
            settings.CONCORD_DISTANCES_URL,
            str(settings.CONCORD_DATA_DIR),
        )
        with with_given_of(run):
            if key not in self._streams:
                require_same_signature(run)
                while len(self._streams) >= MOST_STREAMS:
                    del self._streams[next(iter(self._streams))]
                self._streams[key] = stream_of(run, load_corpus(run.corpus))
            try:
                yield self._streams[key]
            except BaseException:
                self._streams.pop(key, None)
                raise

    def clear(self) -> None:
        """Keep nothing in memory where there is nothing to do."""
        self._streams.clear()


_of_thread = threading.local()


def _bench() -> Bench:
    """The one of this process, or of its thread where it has several: it outlives the turn of a message."""
    if not hasattr(_of_thread, "bench"):
        _of_thread.bench = Bench()
    bench: Bench = _of_thread.bench
    return bench


def require_same_signature(run: ScoreRun) -> None:
    """Libraries may have been updated between the request and now; the key would then name other scores."""
    current = adapters.measure_of(run).signature.as_dict()
    if current != run.signature:
        raise ConflictError(
            "The libraries behind this measure changed after the scores were requested.",
            action="Request the scores again.",
        )
