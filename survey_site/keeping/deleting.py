"""Delete a report, a closed batch, a corpus or a study: rows in one transaction, then their files.

Under the locks under which these are worked on, so that nothing is deleted that somebody is at work on:

- report: its batch (as who asks for a report has it), then itself and its bundles (as who takes one up does);
- batch: itself against whoever would add to it, its raters, questionnaires and pages (as raters do);
- corpus: itself against whoever would plan on it, then its runs (as who takes one up does);
- study: itself.

And what staff are told of a report or batch, as who reads it does.

Files follow once the rows are gone for good. A process that is killed between leaves files that no row
names; `files.sweep` finds them by that, the next time something is deleted or `manage.py sweep` is run.
"""

import logging
from datetime import datetime
from typing import Any, cast

from django.db import connection, transaction
from django.db.models import QuerySet

from survey_site.accounts.audit import record_action
from survey_site.accounts.models import User
from survey_site.batches.models import Batch, Questionnaire
from survey_site.common.errors import ConflictError, InvalidInputError
from survey_site.common.locking import lock_row, lock_whole_row, lock_whole_rows
from survey_site.corpus.models import Corpus
from survey_site.keeping import files
from survey_site.keeping.dependents import (
    counted,
    fingerprint,
    hashes_of,
    notices_of,
    obstacles,
    rows_of,
    taken_away,
)
from survey_site.keeping.things import Thing, kind_of
from survey_site.model_raters.models import ModelRun
from survey_site.reports.models import KeptBundle, Report
from survey_site.scoring.models import ScoreRun
from survey_site.studies.models import Study
from survey_site.survey.models import Assignment, Rater
from survey_site.webhooks.models import Event

log = logging.getLogger(__name__)


def asked_name(thing: Thing) -> str:
    """What somebody types who means to delete it: its name; of a report, which has none, its number."""
    return str(thing.pk) if isinstance(thing, Report) else " ".join(str(thing).split())


def foresee(thing: Thing, *, now: datetime) -> dict[str, Any]:
    """What somebody is shown before they delete it: what goes, what stands in the way, what to type."""
    return {
        "counted": counted(thing),
        "seen": fingerprint(thing),
        "obstacles": obstacles(thing, now=now),
        "taken": taken_away(thing),
        "asked": asked_name(thing),
    }


def delete_thing(*, thing: Thing, typed: str, seen: str, now: datetime, by: User | None = None) -> None:
    """Delete it with all that goes with it. The audit log keeps who, when, how much, and its hashes.

    typed: what the person typed; seen: the `fingerprint` of what they were shown. Raises InvalidInputError
    where another name was typed, ConflictError where something stands in the way or has changed since.
    """
    if " ".join(typed.split()) != asked_name(thing):
        raise InvalidInputError(
            f"“{typed.strip()}” is not “{asked_name(thing)}”.", action="Type it as it stands, or keep it."
        )
    with transaction.atomic():
        row = _lock(thing)
        if found := obstacles(row, now=now):
            raise ConflictError(found[0].why, action=found[0].action)
        if fingerprint(row) != seen:
            raise ConflictError(
                "What would be deleted has changed since you looked.", action="Look again, then decide."
            )
        detail = {**counted(row), **hashes_of(row)}
        record_action(action=f"{kind_of(row)} deleted", subject=row, by=by, now=now, detail=detail)
        for gone in rows_of(row):
            _delete(gone.rows)
        transaction.on_commit(lambda: _sweep(now, distances=isinstance(row, Corpus)))


def _lock(thing: Thing) -> Thing:
    """The row as it is now, with nobody at work on it from here on."""
    if isinstance(thing, Report):
        lock_row(Batch.objects.filter(pk=thing.batch_id))
        report = lock_whole_row(Report.objects.filter(pk=thing.pk))
        if report.rating_set_id:  # else all scores that rest on no ratings
            lock_whole_rows(ScoreRun.objects.filter(rating_set=report.rating_set_id))
        lock_whole_rows(KeptBundle.objects.filter(report=report))
        lock_whole_rows(notices_of(report))
        return report
    if isinstance(thing, Batch):
        batch = lock_whole_row(Batch.objects.filter(pk=thing.pk))
        if batch.is_live:
            return batch  # it stays; waiting for who is joining, who waits for the batch, would never end
        lock_whole_rows(Rater.objects.filter(batch=batch))
        lock_whole_rows(Questionnaire.objects.filter(batch=batch))
        lock_whole_rows(Assignment.objects.filter(questionnaire__batch=batch))
        lock_whole_rows(ScoreRun.objects.filter(batch=batch))
        lock_whole_rows(ModelRun.objects.filter(batch=batch))
        lock_whole_rows(notices_of(batch))
        lock_whole_rows(Event.objects.filter(batch=batch))
        return batch
    if isinstance(thing, Study):
        return lock_whole_row(Study.objects.filter(pk=thing.pk))
    corpus = lock_whole_row(Corpus.objects.filter(pk=thing.pk))
    lock_whole_rows(ScoreRun.objects.filter(corpus=corpus))
    return corpus


def _delete(rows: "QuerySet[Any]") -> None:
    """In one statement: Django's own way would bring every row into memory, to look what hangs on it."""
    cast(Any, rows.order_by())._raw_delete(connection.alias)


def _sweep(now: datetime, *, distances: bool) -> None:
    """What cannot be removed now is found again later; the rows are gone either way."""
    try:
        files.sweep(now=now, distances=distances)
    except Exception:
        log.exception("Files of what was deleted could not be removed; manage.py sweep does it")
