"""Freezing as a background job: a worker does it where a batch has very many ratings.

Whoever asks twice asks once: there is one row a batch, and `freeze_batch` writes one snapshot, whoever comes
second. A killed worker leaves nothing behind, since a snapshot is stored in one transaction; another worker
begins again. Frozen is what stands when the worker gets there. What refuses it then (somebody may have
withdrawn meanwhile) stands as the error of the row, until it is asked for again.
"""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any

from django.db import OperationalError, transaction
from django.db.models import QuerySet

from survey_site.accounts.models import User
from survey_site.batches.models import Batch
from survey_site.common.digest import digest
from survey_site.common.errors import ConflictError
from survey_site.common.locking import lock_row
from survey_site.quality.freezing import freeze_batch, require_freezable, submitted_ratings
from survey_site.quality.models import Freezing
from survey_site.scoring import jobs

FEW_RATINGS = 2000
"""So many are frozen within a third of a second, at once, for whoever asks."""


def ask_to_freeze(
    *,
    batch: Batch,
    clock: jobs.Clock,
    ask: Callable[[Freezing], None],
    by: User | None = None,
) -> None:
    """Freeze a closed batch: at once where it has few ratings, else `ask` hands it to the workers.

    Where a worker is asked already, or it is frozen, nothing is done. Raises ConflictError where it cannot
    be frozen as it is now.
    """
    with transaction.atomic():
        batch = lock_row(Batch.objects.filter(pk=batch.pk))
        if batch.is_frozen:
            return
        require_freezable(batch)
        ratings = submitted_ratings(batch).count()
        if ratings <= FEW_RATINGS:
            freeze_batch(batch=batch, by=by, clock=clock)
            return
        now = clock()
        created = {"key": digest({"freezing": batch.pk}), "created_at": now, "total": ratings, "asked_by": by}
        row, is_new = Freezing.objects.get_or_create(batch=batch, defaults=created)
        if not is_new:
            if row.is_unfinished:
                return
            Freezing.objects.filter(pk=row.pk).update(asked_by=by, done=0, total=ratings)
            jobs.requeue(row, now=now)
        ask(row)


def freezing_of(batch: Batch) -> Freezing | None:
    """What became of the last time that workers were asked to freeze it; None where it is frozen, too."""
    return None if batch.is_frozen else Freezing.objects.filter(batch=batch).first()


def carry_out_freezing(row: Freezing, *, clock: jobs.Clock) -> bool:
    """Take the job up and freeze; False where another process is at it, or it was refused."""
    mine = jobs.take_up(row, now=clock())
    if mine is None:
        return False
    rows = Freezing.objects.filter(pk=mine.pk)

    def freeze() -> dict[str, Any]:
        rows.update(done=0)
        freeze_batch(batch=mine.batch, by=mine.asked_by, told=partial(_tell, rows), clock=clock)
        return {}

    return jobs.carry_out(mine, freeze, clock=clock, expected=(ConflictError,), reason_of=jobs.reason_of)


def _tell(rows: "QuerySet[Freezing]", done: int) -> None:
    """How far it is, where the database takes it: on SQLite who still reads cannot write once others have."""
    with suppress(OperationalError):
        rows.update(done=done)


def requeue_stale_freezings(*, now: datetime) -> list[Freezing]:
    """Those that lost their process or their message; see `scoring.jobs`."""
    return jobs.requeue_stale(Freezing.objects.all(), now=now)
