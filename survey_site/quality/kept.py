"""What was found out about a batch's ratings (`findings`), kept with a stamp of the ratings that it is about.

Finding it out reads every rating. Where few pages were submitted that is done at once, for whoever asks;
where there are many a worker does it, and until then pages show what is kept, with its age. The stamp is
cheap (`survey.rating.changes`) and read before the ratings: what changes meanwhile leaves findings whose
stamp is not that of the ratings any more, which nobody takes for fresh.

A row is a background job (`scoring.jobs`): however many ask, one worker computes, and what was killed is
taken up by another. Who withdraws is deleted from what is kept, in the same transaction; the batch's lock
lets no worker write them down again.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import msgspec
from django.db import transaction

from survey_site.batches.models import Batch
from survey_site.common.digest import digest
from survey_site.common.locking import lock_row
from survey_site.quality.findings import Findings, FoundRater, find_out, pack, unpack
from survey_site.quality.models import KeptFindings
from survey_site.scoring import jobs
from survey_site.scoring.models import JobStatus
from survey_site.survey.models import Rater
from survey_site.survey.rating.changes import Changes, changes_of

VERSION = 2
"""One more for each change of what is computed, or of the form in which it is kept."""

FEW_PAGES = 300
"""With so many submitted pages (1,800 ratings at six a page) finding out takes half a second."""

LEAST_PAUSE = timedelta(minutes=1)
LARGEST_SHARE = 0.2
"""Of a worker's time that one batch may take up while people rate in it and somebody watches."""

AFTER_A_FAULT = timedelta(minutes=5)
"""Until it is asked of the workers again by whoever looks then."""


@dataclass(frozen=True)
class Known:
    """What there is to show. findings: None before the first; at: when these were found out.

    is_fresh: whether they are about the ratings as they are now. since: pages submitted after them. awaited:
    whether a worker is asked for newer ones, or is at work on them; error: why it could not, in words.
    """

    findings: Findings | None
    at: datetime | None = None
    is_fresh: bool = False
    since: int = 0
    awaited: bool = False
    error: str = ""

    @property
    def raters(self) -> tuple[FoundRater, ...]:
        return self.findings.raters if self.findings else ()

    @property
    def version(self) -> str:
        """Changes with what a page shows of it."""
        return digest([self.at and self.at.isoformat(), self.is_fresh, self.awaited, self.error])[:16]


def known_of(batch: Batch) -> Known:
    """What is kept, whatever its age; nothing is computed and no worker asked."""
    row = _row_of(batch)
    return _known(row, changes_of(batch)) if row else Known(None)


def look_into(batch: Batch, *, now: datetime, ask: Callable[[KeptFindings], None]) -> Known:
    """Fresh findings where that takes little; else what is kept, and `ask` hands a job to the workers."""
    changes = changes_of(batch)
    row = _row_of(batch)
    known = _known(row, changes)
    if known.is_fresh:
        return known
    if changes.submitted <= FEW_PAGES:
        row = _find_and_keep(batch, now=now)
        return _known(row, changes_of(batch))  # read anew: somebody may have rated meanwhile
    if row is None or _is_due(row, now):
        with transaction.atomic():
            asked = _ask_again(batch, now)
            if asked:
                ask(asked)
        known = _known(_row_of(batch), changes)
    return known


def find_in_time(batch: Batch, *, now: datetime) -> Findings | None:
    """Fresh findings, found out here where that is due: for a worker, which has the time.

    None where another process is at it or is about to be, or where very many ratings were read only just
    before. A job that waits and that nobody takes, as on a machine without workers, is not waited for.
    """
    changes, row = changes_of(batch), _row_of(batch)
    known = _known(row, changes)
    if known.is_fresh:
        return known.findings
    left = row is not None and row.is_waiting and jobs.is_due(row, now)
    if row is None or changes.submitted <= FEW_PAGES or left or _is_due(row, now):
        return _unpacked(_find_and_keep(batch, now=now))
    return None


def compute_kept(row: KeptFindings, *, clock: Callable[[], datetime]) -> bool:
    """Take the job up and find out; False where another process is at it, or nothing is to be done."""
    mine = jobs.take_up(row, now=clock())
    if mine is None:
        return False

    def compute() -> dict[str, Any]:
        _find_and_keep(mine.batch, now=clock())
        return {}

    return jobs.carry_out(mine, compute, clock=clock)


def requeue_stale_findings(*, now: datetime) -> list[KeptFindings]:
    """Those that lost their process or their message; see `scoring.jobs`."""
    rows = KeptFindings.objects.defer("packed").select_related("batch__corpus")
    return jobs.requeue_stale(rows, now=now)


def forget_findings_of(*, rater: Rater, **_signal: object) -> None:
    """Delete what is kept of somebody who withdraws; in the transaction of the withdrawal."""
    row = KeptFindings.objects.filter(batch=rater.batch_id).first()
    if row and (findings := _unpacked(row)):
        KeptFindings.objects.filter(pk=row.pk).update(packed=pack(findings.without(rater.code)))


def _row_of(batch: Batch) -> KeptFindings | None:
    return KeptFindings.objects.filter(batch=batch).first()


def _known(row: KeptFindings | None, changes: Changes) -> Known:
    if row is None:
        return Known(None)
    findings = _unpacked(row)
    is_fresh = findings is not None and row.stamp == _stamp(changes)
    return Known(
        findings=findings,
        at=row.computed_at if findings else None,
        is_fresh=is_fresh,
        since=max(0, changes.submitted - row.submitted) if findings else changes.submitted,
        awaited=row.is_unfinished and not is_fresh,
        error="" if is_fresh else row.error,
    )


def _unpacked(row: KeptFindings) -> Findings | None:
    """None for what an older version of this program has kept: it is found out anew."""
    try:
        return unpack(bytes(row.packed)) if row.packed else None
    except msgspec.ValidationError:
        return None


def _stamp(changes: Changes) -> str:
    """Of everything that decides what is found out; what a launched batch never changes is not in it."""
    return digest({"version": VERSION, "submitted": changes.submitted, "changes": changes.total})


def _is_due(row: KeptFindings, now: datetime) -> bool:
    """Whether the workers may be asked again: nothing is under way, and they were not asked just before."""
    if row.is_unfinished:
        return False
    if row.is_failed:
        return row.finished_at is None or now - row.finished_at >= AFTER_A_FAULT
    pause = max(LEAST_PAUSE, timedelta(seconds=row.took / LARGEST_SHARE))
    return row.computed_at is None or now - row.computed_at >= pause


def _ask_again(batch: Batch, now: datetime) -> KeptFindings | None:
    """The job, waiting; None where somebody else has just asked for it."""
    lock_row(Batch.objects.filter(pk=batch.pk))
    row, is_new = KeptFindings.objects.get_or_create(
        batch=batch, defaults={"key": _key(batch), "created_at": now}
    )
    if not is_new:
        if not _is_due(row, now):
            return None
        jobs.requeue(row, now=now)
    return row


def _find_and_keep(batch: Batch, *, now: datetime) -> KeptFindings:
    """The stamp is read before the ratings, so that it never promises more than what was read."""
    start = time.monotonic()
    changes = changes_of(batch)
    findings = find_out(batch)
    with transaction.atomic():
        lock_row(Batch.objects.filter(pk=batch.pk))
        row = KeptFindings.objects.filter(batch=batch).defer("packed").first()
        row = row or KeptFindings(
            batch=batch, key=_key(batch), status=JobStatus.DONE, created_at=now, finished_at=now
        )
        row.packed = pack(_without_withdrawn(findings, batch))
        row.stamp, row.submitted = _stamp(changes), changes.submitted
        row.computed_at, row.took = now, time.monotonic() - start
        row.save(update_fields=None if row.pk is None else list(_RESULT))
    return row


_RESULT = ("packed", "stamp", "submitted", "computed_at", "took")


def _without_withdrawn(findings: Findings, batch: Batch) -> Findings:
    gone = Rater.objects.filter(batch=batch, withdrawn_at__isnull=False)
    for code in gone.values_list("code", flat=True):
        findings = findings.without(code)
    return findings


def _key(batch: Batch) -> str:
    return digest({"findings": batch.pk})
