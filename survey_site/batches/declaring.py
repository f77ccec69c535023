"""Declare the primary coefficient of a batch that runs, or change it: with a trace, and told in reports."""

from datetime import datetime

from django.db import transaction

from survey_site.accounts.audit import record_action
from survey_site.accounts.models import User
from survey_site.batches.models import Batch
from survey_site.batches.primary import PrimaryChoice, count_ratings, primary_in_words, store_primary
from survey_site.batches.services import require_unfrozen
from survey_site.common.locking import lock_row


def declare_primary(*, batch: Batch, choice: PrimaryChoice, now: datetime, by: User | None = None) -> Batch:
    """Declare, change or (before the first rating) take back. The same declaration again changes nothing.

    Raises ValidationError by field, ConflictError for a frozen batch.
    """
    with transaction.atomic():
        batch = lock_row(Batch.objects.filter(pk=batch.pk))
        require_unfrozen(batch)
        before = primary_in_words(batch)
        if store_primary(batch, choice, now, by) is not None:
            after = primary_in_words(batch)
            detail = {"primary": f"{before or 'none'} → {after or 'none'}", "ratings": count_ratings(batch)}
            record_action(action="primary declared", subject=batch, by=by, now=now, detail=detail)
        return batch
