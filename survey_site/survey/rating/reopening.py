"""Give back every slot whose time is over, without waiting for somebody who wants it."""

from datetime import datetime

from django.db import transaction

from survey_site.accounts.audit import record_action
from survey_site.accounts.models import User
from survey_site.batches.models import Batch, Questionnaire
from survey_site.batches.services import lock_live
from survey_site.batches.states import AssignmentState
from survey_site.survey.models import Assignment
from survey_site.survey.queries import stale_claims
from survey_site.survey.rating.places import recount_places


def reopen_expired(*, batch: Batch, now: datetime, by: User | None = None) -> int:
    """Release every claim of a live batch that is past its time; how many there were. Idempotent.

    Nothing is lost: answers stay, and whoever comes back takes a free slot, or submits as surplus.
    """
    with transaction.atomic():
        batch = lock_live(batch)
        held = Questionnaire.objects.filter(pk__in=stale_claims(batch, now).values("questionnaire"))
        locked = held.select_for_update().order_by("pk").values_list("pk", flat=True)
        ids = list(locked)  # before their claims, as those who claim lock them
        # By the claims' own columns: PostgreSQL asks these again of a row that an answer has just renewed.
        claims = Assignment.objects.filter(questionnaire__in=ids, state=AssignmentState.OPEN)
        released = claims.filter(expires_at__lt=now).update(state=AssignmentState.EXPIRED, slot=None)
        recount_places(Questionnaire.objects.filter(pk__in=ids))
        if released:
            detail = {"claims": released}
            record_action(action="expired claims reopened", subject=batch, by=by, now=now, detail=detail)
        return released
