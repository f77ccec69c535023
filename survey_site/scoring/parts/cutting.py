"""A large run is cut into parts of bounded size, the same ones whoever cuts it."""

from django.conf import settings
from django.db import transaction

from meta_eval.arrays import Progress
from meta_eval.corpus import documents as values
from meta_eval.distances.computing import DistanceStream
from meta_eval.distances.shards import Shard
from meta_eval.measures import Measure
from meta_eval.measures.neural import NeuralMeasure
from survey_site.common.digest import digest
from survey_site.common.locking import lock_row
from survey_site.scoring import adapters
from survey_site.scoring.models import JobStatus, RunKind, ScoreRun, ScoreShard
from survey_site.scoring.storage import distance_store
from survey_site.settings.queues import CPU, DEFAULT, GPU

ROWS_AT_ONCE = 1000


def stream_of(run: ScoreRun, corpus: values.Corpus, progress: Progress | None = None) -> DistanceStream:
    """The distances that a run needs, in the shards of its parts, kept in the store.

    progress: told how far somebody is who goes through all of it.

    A neural measure keeps its own bounds: the last bits of its distances depend on what is encoded together,
    and a run in parts is to give what it gives in one piece.
    """
    measure = adapters.measure_of(run)
    systems = None
    if run.kind == RunKind.HUMAN:
        divergences = adapters.divergences_of(run)
        measure, corpus = measure.settle(corpus), divergences.select_rated(corpus)
        systems = divergences.systems
    return DistanceStream(
        corpus,
        measure,
        systems=systems,
        normalise=adapters.normalise_of(run),
        progress=progress,
        store=distance_store(),
        shard_pairs=None if isinstance(measure, NeuralMeasure) else settings.CONCORD_SHARD_PAIRS,
    )


def cut(run: ScoreRun, stream: DistanceStream) -> bool:
    """Store the parts of a run unless they are; whether it has any. A run of one part has none.

    A single part of a neural measure is stored too where workers with a GPU wait for it. Parts that were cut
    by another setting go: what was computed of them is in the store. Those that wait move to the queue that
    the settings name now: workers with a GPU may have left for good.
    """
    spans = [(shard.span.first, shard.span.last) for shard in stream.shards]
    with transaction.atomic():
        lock_row(ScoreRun.objects.filter(pk=run.pk))
        stored = list(run.shards.order_by("number").values_list("first", "last"))
        queue = _queue_of(adapters.measure_of(run))
        if stored == spans and stored:
            run.shards.filter(status=JobStatus.QUEUED).exclude(queue=queue).update(queue=queue)
            return True
        run.shards.all().delete()
        if len(stream.shards) < 2 and queue != GPU:
            return False
        rows = (_row(run, number, shard, queue) for number, shard in enumerate(stream.shards))
        ScoreShard.objects.bulk_create(rows, batch_size=ROWS_AT_ONCE)
        run.done, run.total = 0, sum(shard.pairs for shard in stream.shards)
        run.save(update_fields=["done", "total"])
        return True


def _queue_of(measure: Measure) -> str:
    """Where parts wait: for workers that have a GPU if there are some, or others of their own, or for all."""
    wanted = (GPU, CPU) if isinstance(measure, NeuralMeasure) else (CPU,)
    return next((queue for queue in wanted if queue in settings.CONCORD_SHARD_QUEUES), DEFAULT)


def _row(run: ScoreRun, number: int, shard: Shard, queue: str) -> ScoreShard:
    return ScoreShard(
        key=digest({"run": run.key, "part": number, "first": shard.span.first, "last": shard.span.last}),
        status=JobStatus.QUEUED,
        created_at=run.started_at or run.created_at,
        run=run,
        number=number,
        first=shard.span.first,
        last=shard.span.last,
        documents=len(shard.documents),
        pairs=shard.pairs,
        queue=queue,
    )
