"""Add to a live batch. What is there stays as it is: questionnaires, their numbers, orders and ratings."""

from collections.abc import Sequence
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction

from survey_site.accounts.audit import record_action
from survey_site.accounts.models import User
from survey_site.batches.models import Batch, Questionnaire
from survey_site.batches.planning import plan_more, store_plan
from survey_site.batches.services import lock_live


def add_documents(
    *,
    batch: Batch,
    documents: int | None = None,
    document_keys: Sequence[str] = (),
    now: datetime,
    by: User | None = None,
) -> list[Questionnaire]:
    """Ask about further documents: so many, drawn by the batch's seed, or those of these keys.

    They are planned like the first ones; their questionnaires are numbered on and balanced among themselves.
    Raises ValidationError by field where no plan comes of it, ConflictError for a batch that is not live.
    """
    if not documents and not document_keys:
        raise ValidationError({"documents": "Say how many documents, or which."})
    with transaction.atomic():
        batch = lock_live(batch)
        plan = plan_more(batch, documents=documents, keys=document_keys)
        questionnaires = store_plan(batch, plan)
        added = sorted({planned.document for planned in plan.questionnaires})
        detail = {
            "documents": f"{batch.documents} → {batch.documents + len(added)}",
            "added": ", ".join(added),
            "questionnaires": len(questionnaires),
        }
        _note_documents(batch, added, questionnaires, now)
        record_action(action="documents added", subject=batch, by=by, now=now, detail=detail)
        return questionnaires


def _note_documents(
    batch: Batch, added: Sequence[str], questionnaires: Sequence[Questionnaire], now: datetime
) -> None:
    """Say in the plan, and so in reports and bundles, what was not drawn at the launch."""
    numbers = f"{questionnaires[0].number} to {questionnaires[-1].number}"
    what = f"{len(added)} document{'s' if len(added) > 1 else ''} in questionnaires {numbers}"
    note = f"added on {now:%Y-%m-%d}, while raters were at work: {what}"
    batch.documents += len(added)
    if batch.document_keys:
        batch.document_keys = [*batch.document_keys, *added]
    batch.plan_notes = [*batch.plan_notes, note]
    batch.save(update_fields=["documents", "document_keys", "plan_notes"])
