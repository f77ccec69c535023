"""Exclude and undo: the only code that writes exclusions. Answers themselves are never touched.

Marks of an excluded rater give no pair up (`survey.rating.marks`), so their questionnaires are settled anew.
That comes first: it locks questionnaires, which `survey.rating.locks` puts before the pages whose change is
counted then.
"""

from datetime import datetime

from django.db import transaction

from survey_site.accounts.audit import record_action
from survey_site.accounts.models import User
from survey_site.batches.models import Batch
from survey_site.batches.services import require_unfrozen
from survey_site.common.errors import ConflictError, InvalidInputError
from survey_site.common.locking import lock_row
from survey_site.quality.models import Exclusion
from survey_site.survey.models import Assignment, Rater
from survey_site.survey.rating.changes import note_change
from survey_site.survey.rating.marks import settle_marks_of


def exclude_rater(*, rater: Rater, reason: str, now: datetime, by: User | None = None) -> Exclusion:
    """Keep all answers of a rater, present and future, out of scores and exports. Twice changes nothing."""
    with transaction.atomic():
        batch = _lock_batch(rater.batch_id)
        defaults = _described(reason, by, now)
        exclusion, created = Exclusion.objects.get_or_create(rater=rater, defaults=defaults)
        if created:
            detail = {"rater": rater.code, "reason": exclusion.reason}
            record_action(action="rater excluded", subject=batch, by=by, now=now, detail=detail)
            settle_marks_of(rater, now)
            note_change(Assignment.objects.filter(rater=rater))
        return exclusion


def exclude_questionnaire(
    *, assignment: Assignment, reason: str, now: datetime, by: User | None = None
) -> Exclusion:
    """Keep one rater's completed questionnaire out of scores and exports. Twice changes nothing."""
    with transaction.atomic():
        batch = _lock_batch(assignment.rater.batch_id)
        if not assignment.is_submitted:
            raise ConflictError("Only a completed questionnaire can be excluded.", action="Wait for it.")
        defaults = _described(reason, by, now)
        exclusion, created = Exclusion.objects.get_or_create(assignment=assignment, defaults=defaults)
        if created:
            detail = {**_named(assignment), "reason": exclusion.reason}
            record_action(action="questionnaire excluded", subject=batch, by=by, now=now, detail=detail)
            settle_marks_of(assignment.rater, now)
            note_change(Assignment.objects.filter(pk=assignment.pk))
        return exclusion


def undo_exclusion(*, exclusion: Exclusion, now: datetime, by: User | None = None) -> None:
    """Count again what was excluded."""
    if exclusion.assignment:
        rater, named = exclusion.assignment.rater, _named(exclusion.assignment)
    elif exclusion.rater:
        rater, named = exclusion.rater, {"rater": exclusion.rater.code}
    else:
        raise ValueError(f"exclusion {exclusion.pk} is of nothing")
    with transaction.atomic():
        batch = _lock_batch(rater.batch_id)
        deleted, _ = Exclusion.objects.filter(pk=exclusion.pk).delete()
        if deleted:
            detail = {**named, "reason was": exclusion.reason}
            record_action(action="exclusion undone", subject=batch, by=by, now=now, detail=detail)
            settle_marks_of(rater, now)
            note_change(Assignment.objects.filter(rater=rater))


def _lock_batch(batch_id: int) -> Batch:
    """The batch under its lock. Raises ConflictError once it is frozen: what counts is decided then."""
    batch = lock_row(Batch.objects.filter(pk=batch_id))
    require_unfrozen(batch)
    return batch


def _described(reason: str, by: User | None, now: datetime) -> dict[str, object]:
    reason = reason.strip()[:300]
    if not reason:
        raise InvalidInputError("An exclusion needs a reason.", action="Say why; reports repeat it.")
    return {"reason": reason, "excluded_by": by, "excluded_at": now}


def _named(assignment: Assignment) -> dict[str, object]:
    return {"rater": assignment.rater.code, "questionnaire": assignment.questionnaire.number}
