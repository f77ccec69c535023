"""The archive: what nobody works with any more is left out of lists and choices, and stays readable."""

from datetime import datetime
from typing import cast

from django.db import transaction

from survey_site.accounts.audit import record_action
from survey_site.accounts.models import User
from survey_site.batches.models import Batch
from survey_site.common.errors import ConflictError
from survey_site.common.locking import lock_row
from survey_site.keeping.things import KINDS, Thing, kind_of


def may_archive(thing: Thing) -> bool:
    """Whether the work on it is done: people may be at work on a batch that is not closed."""
    return thing.is_closed if isinstance(thing, Batch) else True


def archive(*, thing: Thing, now: datetime, by: User | None = None) -> None:
    """Leave it out of lists from now on. Twice changes nothing.

    Raises ConflictError for a batch that is not closed: people may be at work on it.
    """
    with transaction.atomic():
        row = _lock(thing)
        if row.archived_at:
            return
        if isinstance(row, Batch) and not may_archive(row):
            raise ConflictError(
                f"Batch “{row}” is not closed: a batch is archived once the work on it is done.",
                action="Delete the draft instead." if row.is_draft else "Close it first.",
            )
        row.archived_at = now
        row.save(update_fields=["archived_at"])
        record_action(action=f"{kind_of(row)} archived", subject=row, by=by, now=now)


def take_out(*, thing: Thing, now: datetime, by: User | None = None) -> None:
    """Show it in lists again. Twice changes nothing."""
    with transaction.atomic():
        row = _lock(thing)
        if row.archived_at is None:
            return
        row.archived_at = None
        row.save(update_fields=["archived_at"])
        record_action(action=f"{kind_of(row)} taken out of the archive", subject=row, by=by, now=now)


def _lock(thing: Thing) -> Thing:
    return cast(Thing, lock_row(KINDS[kind_of(thing)]._default_manager.filter(pk=thing.pk)))
