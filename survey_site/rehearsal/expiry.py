"""Time that passes for one claim only: the one thing a rehearsal writes to the database itself.

Claims last minutes, a rehearsal does not. Only the claim's end is moved; what follows (that the place is
given to somebody else, that a late answer takes it back or becomes surplus) is done by the site, over HTTP.
"""

from datetime import datetime, timedelta

from django.db import transaction

from survey_site.batches.models import Questionnaire
from survey_site.batches.states import AssignmentState
from survey_site.common.locking import lock_row
from survey_site.survey.models import Assignment, Rater


def expire_claim(*, code: str, now: datetime) -> bool:
    """End the open claim of this code just before `now`, as if its rater had long done nothing.

    False where it is not open any more: there is then nothing to expire.
    """
    claim = Assignment.objects.get(code=code)
    with transaction.atomic():
        lock_row(Rater.objects.filter(pk=claim.rater_id))
        lock_row(Questionnaire.objects.filter(pk=claim.questionnaire_id))
        held = Assignment.objects.filter(pk=claim.pk, state=AssignmentState.OPEN)
        return bool(held.update(expires_at=now - timedelta(seconds=1)))
