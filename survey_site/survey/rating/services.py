"""The single write path of rating: claim, rate, submit. `joining` comes before it, `leaving` ends it.

An assignment's states and what moves them (every move locks the rater's row, the questionnaire's, its own):

    (none) --claim--> OPEN --submit--> SUBMITTED
                       |  ^              ^
       time over, slot |  | comes back,  | submits late,
      wanted by others |  | slot free    | slot free
                       v  |              |
                      EXPIRED -----------+--submits late, no slot--> SURPLUS

- OPEN and SUBMITTED hold a slot; the others hold none. Only SUBMITTED counts in the main analysis.
- Who submits with a pair that they could not judge is done too, but the page is MARKED: without a slot, which
  goes to somebody else, until enough raters could not judge that pair (`marks` says when; it moves pages
  between SUBMITTED, MARKED and SURPLUS).
- A claim lasts `batch.claim_minutes` from its last answer. Past that it is *stale*: it keeps its slot until
  somebody claims the questionnaire, who first releases stale claims. Nobody loses a slot nobody wants.
- While it is OPEN an answer locks the assignment's row alone: it moves nothing but the end of the claim.
- An answer, a rating or a mark, is stored in every state. In EXPIRED it also takes a slot back, if one is
  free and the rater holds no other questionnaire.
- Submitting twice, a second tab, going back: the last value given to each item stands, earlier ones are in
  the history, the state stays. A submitted questionnaire may be changed so while the batch is live.
- A request that arrives after a later one of the same tab changes nothing (`turns`).
- Withdrawing turns every assignment of a person into WITHDRAWN, for good: it holds no slot and no rating, and
  nothing that arrives later brings it back (`leaving`).
- A closed batch hands out nothing and its submitted questionnaires are fixed (a changed value is an error
  that the rater sees); what was in progress when it closed may still be rated and submitted.
- In a frozen batch too, but there it becomes surplus: stored, thanked for, and outside what was frozen.
- Whoever an admin excluded finishes what is open and is handed nothing more.
- After the end of a batch's time window nothing is handed out either; submitted answers may still be changed.

Every function takes the time as `now`; none reads a clock.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Greatest

from survey_site.batches.states import AssignmentState
from survey_site.common.prepared import Parameter, prepared_update
from survey_site.survey.models import Assignment, Rater, Rating
from survey_site.survey.people.joining import require_handing_out
from survey_site.survey.people.presence import lock_rater, require_taking_part
from survey_site.survey.queries import (
    is_excluded,
    missing_positions,
    open_assignment,
    own_assignments,
    questionnaires_left,
)
from survey_site.survey.rating.changes import ONE_MORE, note_change
from survey_site.survey.rating.claiming import claim_end, claim_slot, reopen
from survey_site.survey.rating.copies import with_copies
from survey_site.survey.rating.locks import lock_assignment, lock_questionnaire
from survey_site.survey.rating.marks import settle_marks, store_answers
from survey_site.survey.rating.places import (
    free_slots,
    lock_questionnaire_for,
    recount_places_of,
    release_stale_claims,
)
from survey_site.survey.rating.turns import Turn
from survey_site.survey.rating.validators import Answers, validate_answers
from survey_site.webhooks.events import emit
from survey_site.webhooks.models import EventKind


@dataclass(frozen=True)
class Submission:
    """Result of `submit_questionnaire`. missing: positions without an answer; empty once it is submitted."""

    assignment: Assignment
    missing: tuple[int, ...] = ()

    @property
    def complete(self) -> bool:
        return not self.missing


def claim_questionnaire(*, rater: Rater, now: datetime) -> Assignment | None:
    """The rater's open questionnaire, or a new one; None when there is none left for this rater now.

    None too when the rater has reached the batch's limit of questionnaires per person, or is excluded. Raises
    GoneError when the rater has withdrawn, or the batch is closed and nothing of the rater's is open.
    """
    require_taking_part(rater)
    if held := _renew_held(rater, now):
        return held
    require_handing_out(rater.batch, now)
    return _claim_next(rater, now)


def save_open_ratings(
    *, rater: Rater, code: str, answers: Mapping[str, object], now: datetime, turn: Turn | None = None
) -> dict[str, Rating] | None:
    """`save_ratings` for the questionnaire that the rater has open, in few statements: most requests are it.

    None, and nothing stored, where that with this code is not open, or its batch is frozen.
    """
    checked = validate_answers(rater.batch, answers)
    if rater.batch.is_frozen:
        return None
    with transaction.atomic():
        if not _hold(rater, code, now):
            return None
        return store_answers(code, with_copies(rater.batch, code, checked), now, turn)


def _hold(rater: Rater, code: str, now: datetime) -> bool:
    """Lock the row of an open assignment by making its claim last; False where it is not open."""
    return bool(_keep_open(rater=rater.pk, code=code, end=claim_end(rater.batch, now)))


@prepared_update
def _keep_open(
    rater: Parameter, code: Parameter, end: Parameter
) -> tuple[QuerySet[Assignment], dict[str, Greatest]]:
    held = Assignment.objects.filter(code=code, rater=rater, state=AssignmentState.OPEN)
    return held, {"expires_at": Greatest(F("expires_at"), end)}


def save_ratings(
    *, assignment: Assignment, answers: Mapping[str, object], now: datetime, turn: Turn | None = None
) -> dict[str, Rating]:
    """Store each answer (item code -> 1..6 or `CannotJudge`), or change it; all or, if one is refused, none.

    Raises InvalidInputError for a value, NotFoundError for a code that is none of the page's, and
    ConflictError where the answers are fixed. What comes back are the ratings that stand then.
    """
    checked = validate_answers(assignment.rater.batch, answers)
    with transaction.atomic():
        assignment = lock_assignment(assignment)
        stored = _store(assignment, checked, now, turn)
        if assignment.is_submitted:
            note_change(Assignment.objects.filter(pk=assignment.pk))
            _settle(assignment, now)
        _keep_slot(assignment, now)
        return stored


def submit_questionnaire(
    *,
    assignment: Assignment,
    now: datetime,
    answers: Mapping[str, object] | None = None,
    turn: Turn | None = None,
) -> Submission:
    """Store `answers` (as `save_ratings` takes them) and, if then no item lacks one, submit.

    Answers are kept even when others are missing. Submitting again stores changed answers and has otherwise
    the same result. A late one takes a free slot, else it becomes surplus. One with marks takes none, unless
    all its marks are on pairs that are given up.
    """
    checked = validate_answers(assignment.rater.batch, answers or {})
    with transaction.atomic():
        assignment = lock_assignment(assignment)
        _store(assignment, checked, now, turn)
        missing = missing_positions(assignment)
        if missing:
            _keep_slot(assignment, now)
        else:
            is_first = not assignment.is_submitted
            _submit(assignment, now)
            _settle(assignment, now)
            if is_first:
                _tell_programs(assignment, now)
        return Submission(assignment, missing)


def _tell_programs(assignment: Assignment, now: datetime) -> None:
    """Where a webhook asks for it, that somebody has completed a questionnaire, and how many have by now."""
    questionnaire, rater = assignment.questionnaire, assignment.rater.code

    def said() -> dict[str, object]:
        counted = questionnaire.assignments.filter(state=AssignmentState.SUBMITTED)
        return {
            "questionnaire": questionnaire.number,
            "rater": rater,
            "state": str(assignment.state),
            "completed": counted.count(),
            "places": questionnaire.slots,
        }

    emit(EventKind.QUESTIONNAIRE, questionnaire.batch, said, subject=rater, now=now)


def _store(assignment: Assignment, answers: Answers, now: datetime, turn: Turn | None) -> dict[str, Rating]:
    is_fixed = assignment.is_submitted and assignment.questionnaire.batch.is_closed
    answers = with_copies(assignment.questionnaire.batch, assignment.code, answers)
    return store_answers(assignment.code, answers, now, turn, is_fixed=is_fixed)


def _settle(assignment: Assignment, now: datetime) -> None:
    """What the marks on a submitted page, and on others of its questionnaire, now make of them all."""
    if settle_marks(assignment.questionnaire, now, page=assignment.pk):
        assignment.refresh_from_db(fields=["state", "slot"])


def _claim_next(rater: Rater, now: datetime) -> Assignment | None:
    """The first place for this rater that nobody else takes; where all are being taken, wait for one."""
    outcome = _claim_or_name(rater, now)
    while isinstance(outcome, int):
        outcome = _claim_or_name(rater, now, wait_for=outcome)
    return outcome


def _claim_or_name(rater: Rater, now: datetime, wait_for: int | None = None) -> Assignment | int | None:
    """A claim, or the id of a questionnaire to wait for; None where there is neither.

    Neither for a rater whom an admin excluded: their answers would take places and count for nothing.
    """
    with transaction.atomic():
        rater = lock_rater(rater.pk)
        own = own_assignments(rater)
        if held := next((one for one in own if one.state == AssignmentState.OPEN), None):
            return held
        if not rater.batch.hands_out(now) or not questionnaires_left(rater.batch, own) or is_excluded(rater):
            return None
        if wait_for and (claim := claim_slot(lock_questionnaire(wait_for), rater, now)):
            return claim
        questionnaire, busy = lock_questionnaire_for(rater, own, now)
        if questionnaire is None:
            return busy
        # A stale claim may just have been renewed, so that its place is none after all: look on.
        return claim_slot(questionnaire, rater, now) or questionnaire.pk


def _renew_held(rater: Rater, now: datetime) -> Assignment | None:
    held = open_assignment(rater)
    if held is None:
        return None
    with transaction.atomic():
        held = lock_assignment(held)
        _keep_slot(held, now)
        return held if held.state == AssignmentState.OPEN else None


def _keep_slot(assignment: Assignment, now: datetime) -> None:
    """A rater who is at work keeps their slot, or gets one back; slots of a frozen batch mean nothing."""
    if assignment.questionnaire.batch.is_frozen:
        return
    if assignment.state == AssignmentState.OPEN:
        assignment.expires_at = max(assignment.expires_at, claim_end(assignment.questionnaire.batch, now))
        assignment.save(update_fields=["expires_at"])
    elif assignment.state == AssignmentState.EXPIRED and not open_assignment(assignment.rater):
        slots = free_slots(assignment.questionnaire)
        if slots:
            reopen(assignment, slots[0], now)
            recount_places_of(questionnaire=assignment.questionnaire_id)


def _submit(assignment: Assignment, now: datetime) -> None:
    if assignment.is_submitted:
        note_change(Assignment.objects.filter(pk=assignment.pk))
        return
    was_open = assignment.state == AssignmentState.OPEN
    if assignment.questionnaire.batch.is_frozen:
        assignment.slot = None
    elif assignment.state == AssignmentState.EXPIRED:
        release_stale_claims(assignment.questionnaire, now)
        assignment.slot = next(iter(free_slots(assignment.questionnaire)), None)
    assignment.state = AssignmentState.SUBMITTED if assignment.slot else AssignmentState.SURPLUS
    assignment.submitted_at = now
    _store_submission(
        assignment=assignment.pk,
        state=str(assignment.state),
        slot=assignment.slot,
        submitted_at=now,
    )
    if was_open != bool(assignment.slot):
        recount_places_of(questionnaire=assignment.questionnaire_id)


@prepared_update
def _store_submission(
    assignment: Parameter, state: Parameter, slot: Parameter, submitted_at: Parameter
) -> tuple[QuerySet[Assignment], dict[str, Any]]:
    changes: dict[str, Any] = {"state": state, "slot": slot, "submitted_at": submitted_at, **ONE_MORE}
    return Assignment.objects.filter(pk=assignment), changes
