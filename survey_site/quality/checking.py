"""Whether a snapshot still has its hash: found out once, kept with its time, and again when somebody asks.

Every row is hashed for it, which takes seconds of a large snapshot: there a worker does it. What is kept is
about what the site itself can change of a snapshot (`_stamp`), so that it is found out anew after a
withdrawal. What somebody changes in the database past this site is seen when it is checked again.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from survey_site.common.digest import digest
from survey_site.quality.freezing import is_intact
from survey_site.quality.models import Snapshot, SnapshotCheck
from survey_site.scoring import jobs
from survey_site.scoring.models import JobStatus

FEW_ROWS = 2000
"""So many are hashed in less than a tenth of a second, at once, for whoever looks."""


@dataclass(frozen=True)
class Checked:
    """What there is to show. intact: None before the first check has ended; at: when that was.

    awaited: whether a worker is asked to check, or at it; error: why it could not, in words.
    """

    intact: bool | None = None
    at: datetime | None = None
    awaited: bool = False
    error: str = ""

    @property
    def version(self) -> str:
        """Changes with what a page shows of it."""
        return digest([self.intact, self.at and self.at.isoformat(), self.awaited, self.error])[:16]


def checked_of(snapshot: Snapshot, *, now: datetime, ask: Callable[[SnapshotCheck], None]) -> Checked:
    """What is kept; where nothing is, or it is about other rows, it is checked or a worker is asked to."""
    row = SnapshotCheck.objects.filter(snapshot=snapshot).first()
    if row and (row.is_unfinished or row.is_failed or row.stamp == _stamp(snapshot)):
        return _checked(row)
    return check_again(snapshot, now=now, ask=ask)


def check_again(snapshot: Snapshot, *, now: datetime, ask: Callable[[SnapshotCheck], None]) -> Checked:
    """Hash all rows anew: at once where there are few, else `ask` hands the job to the workers."""
    created = {"key": digest({"check of snapshot": snapshot.pk}), "created_at": now}
    if snapshot.total <= FEW_ROWS:
        done = {"status": JobStatus.DONE, "error": "", "finished_at": now, **_find_out(snapshot, now)}
        row, _ = SnapshotCheck.objects.update_or_create(
            snapshot=snapshot, defaults=done, create_defaults=created | done
        )
        return _checked(row)
    row, is_new = SnapshotCheck.objects.get_or_create(snapshot=snapshot, defaults=created)
    if is_new or not row.is_unfinished:
        if not is_new:
            jobs.requeue(row, now=now)
        ask(row)
    return _checked(row)


def compute_check(row: SnapshotCheck, *, clock: jobs.Clock) -> bool:
    """Take the job up and check; False where another process is at it, or nothing is to be done."""
    mine = jobs.take_up(row, now=clock())
    if mine is None:
        return False
    return jobs.carry_out(mine, lambda: _find_out(mine.snapshot, clock()), clock=clock)


def requeue_stale_checks(*, now: datetime) -> list[SnapshotCheck]:
    """Those that lost their process or their message; see `scoring.jobs`."""
    return jobs.requeue_stale(SnapshotCheck.objects.all(), now=now)


def _find_out(snapshot: Snapshot, now: datetime) -> dict[str, Any]:
    """The stamp is read before the rows, so that it never promises more than what was read."""
    return {"stamp": _stamp(snapshot), "intact": is_intact(snapshot), "checked_at": now}


def _stamp(snapshot: Snapshot) -> str:
    rows = {"total": snapshot.total, "withdrawn": snapshot.withdrawn}
    return digest({"hash": snapshot.content_hash, **rows})


def _checked(row: SnapshotCheck) -> Checked:
    return Checked(row.intact, row.checked_at, row.is_unfinished, row.error)
