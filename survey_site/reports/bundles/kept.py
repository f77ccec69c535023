"""Sealed bundles of large reports: a worker makes one, and it is kept for a day.

To make one, every rating and every text is read. That is done at once for whoever asks where there are few.
Where there are many a worker does it; until then there is a page that says how far it is.

What is kept says what people answered, so whoever withdraws takes it with them: all kept bundles of the batch
are deleted in the transaction of the withdrawal. A worker that is at one then finds its row gone, and stores
nothing more. The stamp is read before the ratings: what changes meanwhile leaves a bundle whose stamp is not
that of the report any more, and whoever asks for it next has it made anew.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import datetime, timedelta
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from django.db import transaction
from django.db.models import QuerySet

from meta_eval.publish.bundle import write_bundle
from survey_site.batches.models import Batch
from survey_site.common.digest import digest
from survey_site.common.errors import ConflictError
from survey_site.common.locking import lock_row, lock_whole_rows, locked
from survey_site.reports.bundles.content import bundle_content, require_held, seen_until
from survey_site.reports.inputs import program
from survey_site.reports.models import KeptBundle, KeptBundlePiece, Report
from survey_site.scoring import jobs
from survey_site.scoring.models import JobStatus
from survey_site.scoring.rating_sets import are_for_workers
from survey_site.survey.models import Rater
from survey_site.survey.rating.changes import changes_of

FEW_DOCUMENTS = 300
"""With so many a bundle is made within about a second, where ratings are few, too."""

KEPT_FOR = timedelta(days=1)
AFTER_A_FAULT = timedelta(minutes=1)
"""Until a bundle that could not be made is tried again for whoever asks then."""

PIECE = 1 << 20
_IN_MEMORY = 8 << 20


def is_made_at_once(report: Report) -> bool:
    """Whether it takes so little that nobody needs to wait for a worker, and no language model.

    Distances that a model gave are sealed with the words that it saw, and a web server has no models.
    """
    if are_for_workers(changes_of(report.batch)):
        return False
    if any("model" in row.signature for row in report.read().signatures if row.side != "judged"):
        return False
    return report.batch.corpus.documents.count() <= FEW_DOCUMENTS


def ask_for_bundle(
    report: Report, *, with_texts: bool, now: datetime, ask: Callable[[KeptBundle], None]
) -> KeptBundle:
    """The bundle as it is kept, or how far a worker is with it; where nobody is, `ask` hands it to them.

    Raises ConflictError where the report is not finished, or rests on ratings that are no longer held.
    """
    report.require_finished()
    require_held(report)
    row = kept_bundle(report, with_texts=with_texts)
    if row is not None and not _is_due(row, report, now):
        return row
    with transaction.atomic():
        lock_row(Batch.objects.filter(pk=report.batch_id))  # as who withdraws does, so none is missed
        rows = KeptBundle.objects.filter(report=report, with_texts=with_texts)
        row = locked(rows).first()  # whoever deletes old ones is waited for
        if row is None:
            key = digest({"bundle": report.pk, "texts": with_texts})
            row = KeptBundle.objects.create(report=report, with_texts=with_texts, key=key, created_at=now)
        elif _is_due(row, report, now):
            jobs.requeue(row, now=now)
        else:
            return row  # somebody else has just asked
        ask(row)
    return row


def kept_bundle(report: Report, *, with_texts: bool) -> KeptBundle | None:
    """What is there of it, done or not."""
    return KeptBundle.objects.filter(report=report, with_texts=with_texts).first()


def read_pieces(row: KeptBundle) -> Iterator[bytes]:
    """The file of a bundle that is done.

    Raises DoesNotExist where it goes meanwhile: somebody withdraws, it is made anew, or its day is over.
    """
    this = {"bundle": row.pk, "bundle__status": JobStatus.DONE, "bundle__started_at": row.started_at}
    pieces = KeptBundlePiece.objects.filter(**this).values_list("content", flat=True)
    number, left = 0, row.size
    while left > 0:
        piece = bytes(pieces.get(number=number))
        yield piece
        number, left = number + 1, left - len(piece)


def make_bundle(row: KeptBundle, *, clock: jobs.Clock) -> bool:
    """Take the job up and make the file; False where another process is at it, or it could not be made."""
    mine = jobs.take_up(row, now=clock())
    if mine is None:
        return False
    expected = (ConflictError,)
    return jobs.carry_out(
        mine, lambda: _make(mine, clock), clock=clock, expected=expected, reason_of=jobs.reason_of
    )


def requeue_stale_bundles(*, now: datetime) -> list[KeptBundle]:
    """Those that lost their process or their message; see `scoring.jobs`.

    Locked in the order of their keys, as by who withdraws, so that no two wait in a circle.
    """
    unfinished = KeptBundle.objects.filter(status__in=(JobStatus.QUEUED, JobStatus.RUNNING))
    with transaction.atomic():
        lock_whole_rows(unfinished)
        return jobs.requeue_stale(KeptBundle.objects.all(), now=now)


def forget_old_bundles(*, now: datetime) -> None:
    """Delete what was made more than a day ago: it takes room, and can be made again."""
    over = KeptBundle.objects.filter(status__in=(JobStatus.DONE, JobStatus.FAILED))
    _delete(over.filter(finished_at__lt=now - KEPT_FOR))


def forget_bundles_of(*, rater: Rater, **_signal: object) -> None:
    """Delete all that holds answers of somebody who withdraws; in the transaction of the withdrawal."""
    _delete(KeptBundle.objects.filter(report__batch=rater.batch_id))


def _delete(rows: "QuerySet[KeptBundle]") -> None:
    """Locked first: a worker that stores a piece is waited for, and none comes after."""
    if not rows.exists():
        return
    with transaction.atomic():
        lock_whole_rows(rows)
        KeptBundlePiece.objects.filter(bundle__in=rows).order_by().delete()
        rows.delete()


def _is_due(row: KeptBundle, report: Report, now: datetime) -> bool:
    """Whether a worker is to be asked: nothing is under way, and what is kept is not that of the report."""
    if row.is_unfinished:
        return False
    if row.is_failed:
        return row.finished_at is None or now - row.finished_at >= AFTER_A_FAULT
    return row.stamp != _stamp(report)


def _stamp(report: Report) -> str:
    """Of the report and of the pages that its bundle holds. What is submitted later changes nothing."""
    changes = asdict(changes_of(report.batch, until=seen_until(report)))
    return digest({"finished": str(report.finished_at), "key": report.key, "by": program(), **changes})


def _make(row: KeptBundle, clock: jobs.Clock) -> dict[str, Any]:
    """The columns of a bundle that is made; of one that waits once more where pages changed under way."""
    report = row.report
    stamp = _stamp(report)
    try:
        content = bundle_content(report)
    except ConflictError:
        if stamp == _stamp(report):
            raise
        return jobs.put_back(clock())
    with SpooledTemporaryFile(max_size=_IN_MEMORY) as stream:
        seal = write_bundle(stream, content, share_texts=row.with_texts)
        size = stream.seek(0, 2)
        stream.seek(0)
        _store(row, stream)
    return {"stamp": stamp, "seal": seal, "size": size}


def _store(row: KeptBundle, stream: IO[bytes]) -> None:
    """Piece by piece, each under the lock of the row, so that nobody has to wait for long.

    Raises DoesNotExist where it was deleted meanwhile, or is another worker's by now.
    """
    mine, pieces = row.own_rows(), KeptBundlePiece.objects.filter(bundle=row.pk)
    with transaction.atomic():
        lock_row(mine)
        pieces.order_by().delete()
    number = 0
    while content := stream.read(PIECE):
        with transaction.atomic():
            lock_row(mine)
            pieces.create(bundle=row, number=number, content=content)
        number += 1
