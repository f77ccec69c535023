"""Leaving a batch: stopping, which keeps what was submitted, and withdrawing, which takes everything back.

Withdrawing leaves tombstones. Ratings, marks and their history are deleted, and so are the name and what the
person said of themselves. Each assignment stays as a row in state WITHDRAWN without slot or values: exports
show that something was taken back, and its slot is free for somebody else. Locks are taken as in `services`:
the rater's row, then questionnaires, here in the order of their keys so that no two people wait in a circle.
Before both the batch's: whoever keeps a copy of ratings reads them under it, so no copy is made meanwhile.
"""

from datetime import datetime

from django.db import transaction
from django.dispatch import Signal

from survey_site.batches.models import Batch, Questionnaire
from survey_site.batches.states import AssignmentState
from survey_site.common.locking import lock_row
from survey_site.survey.models import Assignment, Mark, Rater, Rating, RatingHistory
from survey_site.survey.rating.changes import ONE_MORE
from survey_site.survey.rating.marks import settle_marks_of
from survey_site.survey.rating.places import recount_places
from survey_site.webhooks.events import forget_events_of

rater_withdrawn = Signal()
"""Sent with `rater`, in the transaction of the withdrawal, so that whoever keeps copies deletes them too."""


def stop_rating(*, rater: Rater) -> int:
    """Give the slot of an open questionnaire to others; its answers are kept for if the person returns.

    Returns how many were given back. Nothing that is submitted meanwhile is: it takes the lock, too.
    """
    with transaction.atomic():
        lock_row(Rater.objects.filter(pk=rater.pk))
        held = list(rater.assignments.filter(state=AssignmentState.OPEN))
        for assignment in held:
            _release(assignment, AssignmentState.EXPIRED)
        return len(held)


def withdraw_rater(*, rater: Rater, now: datetime) -> Rater:
    """Delete what the person said and reopen their slots. Doing it again changes nothing."""
    with transaction.atomic():
        lock_row(Batch.objects.filter(pk=rater.batch_id))
        rater = lock_row(Rater.objects.select_related("batch").filter(pk=rater.pk))
        if rater.withdrawn_at:
            return rater
        for assignment in rater.assignments.order_by("questionnaire_id"):
            _release(assignment, AssignmentState.WITHDRAWN)
        _delete_answers(rater)
        settle_marks_of(rater, now)
        forget_events_of(rater.batch_id, rater.code)
        rater_withdrawn.send(sender=Rater, rater=rater)
        rater.name, rater.withdrawn_at = "", now
        rater.save(update_fields=["name", "withdrawn_at"])
        return rater


def _release(assignment: Assignment, state: str) -> None:
    """Under the lock of the questionnaire, whose slots others may be counting."""
    questionnaire = Questionnaire.objects.filter(pk=assignment.questionnaire_id)
    lock_row(questionnaire)
    change = ONE_MORE if state == AssignmentState.WITHDRAWN else {}  # what only lapses counts nowhere
    Assignment.objects.filter(pk=assignment.pk).exclude(state=state).update(state=state, slot=None, **change)
    recount_places(questionnaire)


def _delete_answers(rater: Rater) -> None:
    for answers in (Rating, Mark, RatingHistory):
        answers.objects.filter(assignment_item__assignment__rater=rater).delete()
    rater.background.all().delete()
    rater.assignments.update(comment="", commented_at=None)
