"""Whose turn it is: a worker that computes a large run gives way to smaller work, and goes on after it.

Parts are taken first from the run with the least left, but who computes a run takes parts of this run alone,
and what nobody has begun has no parts. So after SLICE the worker looks: where other work comes first it puts
its run back, and the messages that wake workers have the parts taken that wait, in their order.
"""

from django.db.models import Exists, F, OuterRef, QuerySet
from django.dispatch import Signal

from survey_site.scoring.models import JobStatus, ScoreRun, ScoreShard
from survey_site.scoring.parts.queues import serves
from survey_site.scoring.parts.working import waiting_shards
from survey_site.settings.queues import DEFAULT

asks_for_work = Signal()
"""Sent with `runs`, which wait and which nobody has begun: a receiver returns whether one of them, or other
work of its own, waits for a worker."""


def work_waits() -> bool:
    """Whether this worker could begin, or join, what no worker is at work on.

    How large it is shows only once it is begun, so it has a turn; a run that turns out to be large gives way.
    """
    if not serves(DEFAULT):
        return False
    waiting = ScoreRun.objects.filter(status=JobStatus.QUEUED)
    if waiting.filter(~Exists(_open_parts()), waits_for_parts=True).exists():
        return True
    answers = asks_for_work.send(sender=ScoreRun, runs=waiting.filter(waits_for_parts=False))
    return any(waits for _, waits in answers)


def other_work_comes_first(run: ScoreRun) -> bool:
    """Whether the worker that computes a run should leave it: then this same worker goes on with its parts.

    So it stays where it serves no queue of parts that wait, or where none waits.
    """
    queue = run.shards.filter(status=JobStatus.QUEUED).values_list("queue", flat=True).first()
    return queue is not None and serves(queue) and (_smaller_waits(run, queue) or work_waits())


def _smaller_waits(run: ScoreRun, queue: str) -> bool:
    left = F("run__total") - F("run__done")
    others = waiting_shards().filter(queue=queue).exclude(run=run).annotate(left=left)
    return others.filter(left__lt=run.total - run.done).exists()


def _open_parts() -> "QuerySet[ScoreShard]":
    open_states = (JobStatus.QUEUED, JobStatus.RUNNING)
    return ScoreShard.objects.filter(run=OuterRef("pk"), status__in=open_states).order_by()
