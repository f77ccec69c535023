"""The database refuses what must never be, whatever code tries it."""

import pytest
from django.db import IntegrityError, transaction

from survey_site.batches.models import Item
from survey_site.batches.states import AssignmentState
from survey_site.survey.models import Assignment, AssignmentItem, Rating
from tests.factories.batches import NOW, make_batch
from tests.factories.survey import make_assignment, make_rater, submit_all

pytestmark = pytest.mark.django_db


def insert_assignment(questionnaire, rater, **values):
    defaults = {"slot": 1, "slots": questionnaire.slots, "claimed_at": NOW, "expires_at": NOW}
    with transaction.atomic():
        return Assignment.objects.create(questionnaire=questionnaire, rater=rater, **(defaults | values))


def test_a_taken_slot_cannot_be_taken_again():
    held = make_assignment(make_batch())
    other = make_rater(held.rater.batch)
    with pytest.raises(IntegrityError, match=r"assignment_slot_unique|questionnaire_id, .*slot"):
        insert_assignment(held.questionnaire, other, slot=held.slot)


@pytest.mark.parametrize("slot", [0, 3])
def test_a_third_slot_does_not_exist(slot):
    batch = make_batch(raters=2)
    with pytest.raises(IntegrityError):
        insert_assignment(batch.questionnaires.first(), make_rater(batch), slot=slot)


def test_a_rater_gets_a_questionnaire_once():
    done = submit_all(make_assignment(make_batch()))
    with pytest.raises(IntegrityError, match=r"assignment_rater_unique|questionnaire_id, .*rater_id"):
        insert_assignment(done.questionnaire, done.rater, slot=2)


def test_a_rater_has_one_open_questionnaire():
    held = make_assignment(make_batch())
    other = held.rater.batch.questionnaires.exclude(pk=held.questionnaire_id).first()
    with pytest.raises(IntegrityError, match=r"assignment_one_open|survey_assignment.rater_id"):
        insert_assignment(other, held.rater, slot=1)


@pytest.mark.parametrize(
    ("state", "slot", "submitted_at"),
    [
        (AssignmentState.OPEN, None, None),
        (AssignmentState.SUBMITTED, None, NOW),
        (AssignmentState.SUBMITTED, 1, None),
        (AssignmentState.EXPIRED, 1, None),
        (AssignmentState.SURPLUS, 1, NOW),
        (AssignmentState.SURPLUS, None, None),
        (AssignmentState.OPEN, 1, NOW),
        ("lost", 1, None),
    ],
)
def test_state_slot_and_time_of_submission_agree(state, slot, submitted_at):
    batch = make_batch()
    with pytest.raises(IntegrityError):
        insert_assignment(
            batch.questionnaires.first(), make_rater(batch), state=state, slot=slot, submitted_at=submitted_at
        )


@pytest.mark.parametrize("value", [0, 7])
def test_a_rating_lies_between_1_and_6(value):
    placement = make_assignment(make_batch()).placements.first()
    with pytest.raises(IntegrityError), transaction.atomic():
        Rating.objects.create(assignment_item=placement, value=value, created_at=NOW, updated_at=NOW)


def test_an_item_has_one_rating_of_a_rater():
    placement = make_assignment(make_batch()).placements.first()
    Rating.objects.create(assignment_item=placement, value=3, created_at=NOW, updated_at=NOW)
    with pytest.raises(IntegrityError), transaction.atomic():
        Rating.objects.create(assignment_item=placement, value=4, created_at=NOW, updated_at=NOW)


def test_a_rater_meets_an_item_once_and_a_position_once():
    first, second, *_ = make_assignment(make_batch()).placements.all()
    for item, position in ((first.item, 99), (second.item, first.position)):
        AssignmentItem.objects.filter(pk=second.pk).delete()
        with pytest.raises(IntegrityError), transaction.atomic():
            AssignmentItem.objects.create(
                assignment=first.assignment, item=item, position=position, flipped=False
            )


def test_a_questionnaire_has_one_gold_item_and_each_system_once():
    questionnaire = make_batch().questionnaires.first()
    for item in questionnaire.items.all():
        with pytest.raises(IntegrityError), transaction.atomic():
            Item.objects.create(questionnaire=questionnaire, system=item.system)
