"""Retention: personal data of batches that were closed long ago is deleted, and a report says of what.

Each batch is one transaction with its entry in the audit log, so a run that is killed leaves whole batches
done and the others as they were; the next run goes on. The report is written anew after each batch.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from survey_site.accounts.audit import record_action
from survey_site.accounts.links import stale_links
from survey_site.accounts.models import StaffSession
from survey_site.accounts.tokens import stale_answers
from survey_site.batches.models import Batch
from survey_site.batches.states import AssignmentState, BatchStatus
from survey_site.common.locking import lock_row
from survey_site.quality.models import PanelEvent
from survey_site.survey.models import Assignment
from survey_site.survey.people.forgetting import Personal, personal_data
from survey_site.survey.people.participation import read_participation
from survey_site.uploads.models import Upload

SCHEMA, SCHEMA_VERSION = "concord-retention", 1
KEPT = (
    "Kept under pseudonyms: ratings with their history, marks, exclusions, times, consents with their "
    "version, snapshots and reports. Totals in reports stay. Backups made before still hold what "
    "was deleted here."
)


@dataclass(frozen=True, kw_only=True)
class RetentionRule:
    """Batches closed more than `days` ago; with `remarks` what raters wrote in their own words goes, too."""

    days: int
    remarks: bool = False
    batch: int | None = None


@dataclass(frozen=True)
class BatchRetention:
    """What became of one batch. promised: what its raters read of how long answers are kept.

    outcome: "deleted"; "to delete", where nothing is deleted yet; "nothing held"; or "in progress", where
    people may still finish a questionnaire, and nothing is deleted.
    """

    batch: int
    name: str
    closed_at: str
    promised: str
    outcome: str
    counts: dict[str, int]


@dataclass
class RetentionReport:
    """What a run found and did; `counts` of a batch are rows by what they held, never whose."""

    started_at: str
    closed_before: str
    days: int
    remarks: bool
    deletes: bool
    batches: list[BatchRetention] = field(default_factory=list)
    expired_sessions: int = 0

    def record(self) -> dict[str, Any]:
        """For JSON."""
        return {"schema": SCHEMA, "schema_version": SCHEMA_VERSION, **asdict(self), "kept": KEPT}

    def text(self) -> str:
        """For people."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield f"Retention, {self.started_at}: batches closed before {self.closed_before} ({self.days} days)."
        yield "Deleted:" if self.deletes else "Nothing is deleted yet; --delete deletes."
        for one in self.batches:
            counts = "; ".join(f"{word}: {count}" for word, count in one.counts.items())
            found = f"{one.outcome} ({counts})" if counts else one.outcome
            yield f"  No. {one.batch} “{one.name}”, closed {one.closed_at}: {found}."
            if one.promised:
                yield f"    Its raters read: kept {one.promised}"
        if not self.batches:
            yield "  No batch was closed so long ago."
        yield f"  Expired log-ins of staff: {self.expired_sessions}."
        yield KEPT


def retain(*, rule: RetentionRule, delete: bool, now: datetime) -> Iterator[RetentionReport]:
    """Go through the batches, oldest first; gives the report as it stands after each, and at the end."""
    before = now - timedelta(days=rule.days)
    report = RetentionReport(now.isoformat(), before.isoformat(), rule.days, rule.remarks, delete)
    due = Batch.objects.filter(status=BatchStatus.CLOSED, closed_at__lt=before)
    if rule.batch is not None:
        due = due.filter(pk=rule.batch)
    for key in list(due.order_by("closed_at", "pk").values_list("pk", flat=True)):
        found = _retain_batch(key, rule, delete=delete, now=now)
        if found:
            report.batches.append(found)
            yield report
    expired = StaffSession.objects.filter(expire_date__lt=now)
    report.expired_sessions = expired.count()
    if delete:
        expired.delete()
        stale_links(now).delete()
        stale_answers(now).delete()
    yield report


def _retain_batch(key: int, rule: RetentionRule, *, delete: bool, now: datetime) -> BatchRetention | None:
    """One batch, under the lock that a withdrawal takes; None for one that was deleted meanwhile."""
    with transaction.atomic():
        if not Batch.objects.filter(pk=key).exists():
            return None
        batch = lock_row(Batch.objects.filter(pk=key))
        held = [*personal_data(batch, remarks=rule.remarks), _uploaded_names(batch), _said_by_panels(batch)]
        counts = {one.word: count for one in held if (count := one.rows.count())}
        outcome = _outcome(batch, counts, delete=delete, now=now)
        if outcome == "deleted":
            for one in held:
                one.forget()
            detail = {**counts, "days": rule.days}
            record_action(action="personal data deleted", subject=batch, by=None, now=now, detail=detail)
        closed = batch.closed_at.isoformat() if batch.closed_at else ""
        return BatchRetention(key, batch.name, closed, read_participation(batch).kept_for, outcome, counts)


def _outcome(batch: Batch, counts: dict[str, int], *, delete: bool, now: datetime) -> str:
    if not counts:
        return "nothing held"
    active = Assignment.objects.filter(
        questionnaire__batch=batch, state=AssignmentState.OPEN, expires_at__gt=now
    )
    if active.exists():
        return "in progress"
    return "deleted" if delete else "to delete"


def _uploaded_names(batch: Batch) -> Personal:
    """Who is who in a file of ratings that named raters in a way that cannot be a code here."""
    return Personal(
        "lists of raters' names in an uploaded file",
        Upload.objects.filter(batch=batch).exclude(renamed={}),
        {"renamed": {}},
    )


def _said_by_panels(batch: Batch) -> Personal:
    """What a panel said of somebody, under an id that the panel knows."""
    return Personal("what panels said of people", PanelEvent.objects.filter(batch=batch), None)
