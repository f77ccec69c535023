"""Taking a place of a locked questionnaire: for who may have been there before, and for a newcomer."""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet

from survey_site.batches.models import Batch, Item, Questionnaire
from survey_site.batches.planning import place_items
from survey_site.batches.states import AssignmentState
from survey_site.common.prepared import Parameter, PreparedInsert, prepared
from survey_site.survey.models import Assignment, Rater, make_code
from survey_site.survey.rating.copies import store_placements
from survey_site.survey.rating.places import free_slots_at, lock_questionnaire_for, recount_places_of


def claim_end(batch: Batch, now: datetime) -> datetime:
    return now + timedelta(minutes=batch.claim_minutes)


def claim_slot(questionnaire: Questionnaire, rater: Rater, now: datetime) -> Assignment | None:
    """A place of a locked questionnaire, with those of stale claims given back first."""
    if not questionnaire.batch.hands_out(now):
        return None
    slots = free_slots_at(questionnaire, now)
    claim = _take_slot(questionnaire, rater, slots[0], now) if slots else None
    recount_places_of(questionnaire=questionnaire.pk)
    return claim


def claim_first(rater: Rater, now: datetime) -> Assignment | None:
    """A place for somebody whose row this transaction has stored, so that they hold and have done nothing.

    None where there is none, or others are taking all that there are at this moment: `claim_questionnaire`
    waits for these.
    """
    questionnaire, _ = lock_questionnaire_for(rater, (), now)
    if questionnaire is None or not questionnaire.batch.hands_out(now):
        return None
    if not (slots := free_slots_at(questionnaire, now)):
        return None
    claim = _create_assignment(questionnaire, rater, slots[0], now)
    recount_places_of(questionnaire=questionnaire.pk)
    return claim


def _take_slot(questionnaire: Questionnaire, rater: Rater, slot: int, now: datetime) -> Assignment | None:
    """Give the slot to the rater's expired assignment, which keeps its answers, or to a new one."""
    assignment = Assignment.objects.filter(questionnaire=questionnaire, rater=rater).first()
    if assignment is None:
        return _create_assignment(questionnaire, rater, slot, now)
    if assignment.state != AssignmentState.EXPIRED:
        return None
    assignment.questionnaire, assignment.rater = questionnaire, rater
    reopen(assignment, slot, now)
    return assignment


def _create_assignment(questionnaire: Questionnaire, rater: Rater, slot: int, now: datetime) -> Assignment:
    batch = questionnaire.batch
    values: dict[str, Any] = {
        "questionnaire_id": questionnaire.pk,
        "rater_id": rater.pk,
        "slot": slot,
        "slots": questionnaire.slots,
        "code": make_code(),
        "state": str(AssignmentState.OPEN),
        "claimed_at": now,
        "expires_at": claim_end(batch, now),
        "submitted_at": None,
        "comment": "",
        "commented_at": None,
        "comment_tab": "",
        "comment_turn": 0,
        "changes": 0,
    }
    assignment = Assignment(pk=_insert.one(**values), **values)
    assignment._state.adding = False
    assignment.questionnaire, assignment.rater = questionnaire, rater
    _place_items(assignment, slot, seed=f"{batch.seed}/{assignment.code}")
    return assignment


_insert = PreparedInsert(
    Assignment,
    (
        *("questionnaire_id", "rater_id", "slot", "slots", "code", "state", "claimed_at", "expires_at"),
        *("submitted_at", "comment", "commented_at", "comment_tab", "comment_turn", "changes"),
    ),
)


def _place_items(assignment: Assignment, slot: int, seed: str) -> None:
    items = _items.rows(questionnaire=assignment.questionnaire_id)
    placed, once = place_items(items, slot=slot, seed=seed), assignment.questionnaire.batch.equal_pairs_once
    store_placements(assignment, items, placed, once=once)


@prepared
def _items(questionnaire: Parameter) -> QuerySet[Item]:
    return Item.objects.filter(questionnaire=questionnaire).order_by("pk")


def reopen(assignment: Assignment, slot: int, now: datetime) -> None:
    """Make an assignment that lost its place one that is open."""
    assignment.state, assignment.slot = AssignmentState.OPEN, slot
    assignment.expires_at = claim_end(assignment.questionnaire.batch, now)
    assignment.save(update_fields=["state", "slot", "expires_at"])
