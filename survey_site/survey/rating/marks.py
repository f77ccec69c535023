"""Marks: a rater cannot judge a pair, and says why. How they are stored, and what becomes of their pages.

A mark stands where otherwise a rating would: giving one takes the other back, and the history keeps both. A
page that is submitted with marks fills no place (MARKED): its rater is done with it, its place goes to
somebody else, and its ratings are kept and do not count, so that a pair still gets its N ratings by complete
pages alone. So that no questionnaire is handed out for ever, a pair is *given up* once as many different
raters as it has places have submitted a mark on it. Marks on such pairs alone leave a page complete: it then
takes a free place, or is surplus.

Who withdrew, or was excluded by an admin, gives nothing up: what rests on their marks is settled anew. Once a
batch is closed nobody fills a place again, so a page that counts goes on counting; in a frozen batch nothing
is settled any more.
"""

from collections.abc import Mapping
from datetime import datetime

from django.db.models import Count, F, Q, QuerySet

from survey_site.batches.models import Batch, Item, Questionnaire
from survey_site.batches.states import AssignmentState
from survey_site.common.locking import lock_row
from survey_site.common.prepared import Parameter, prepared
from survey_site.survey.models import Assignment, AssignmentItem, Mark, Rater, Rating, RatingHistory
from survey_site.survey.rating.answers import fixed_error, placements_of, store_ratings
from survey_site.survey.rating.changes import ONE_MORE
from survey_site.survey.rating.places import free_slots, recount_places, release_stale_claims
from survey_site.survey.rating.turns import Turn
from survey_site.survey.rating.validators import Answers, CannotJudge

_COUNTED = Q(
    placements__assignment__state__in=[
        AssignmentState.SUBMITTED,
        AssignmentState.SURPLUS,
        AssignmentState.MARKED,
    ],
    placements__assignment__exclusion=None,
    placements__assignment__rater__exclusion=None,
)


def store_answers(
    page: str, answers: Answers, now: datetime, turn: Turn | None, *, is_fixed: bool = False
) -> dict[str, Rating]:
    """Let each rating and mark stand on the page of the assignment with the code `page`; the ratings then.

    is_fixed: whether no answer may change any more. Call it in a transaction: where a code is none of the
    page's, or a fixed answer would change, what it raises undoes what was stored.
    """
    if answers.marks:
        _store_marks(page, answers.marks, now, turn, is_fixed=is_fixed)
    return store_ratings(page, answers.ratings, now, turn, is_fixed=is_fixed)


def _store_marks(
    page: str, marks: Mapping[str, CannotJudge], now: datetime, turn: Turn | None, *, is_fixed: bool
) -> None:
    placements = placements_of(page, marks)
    for code, mark in marks.items():
        if not _stands_later(placements[code], turn):
            _store_mark(placements[code], mark, now, turn, is_fixed=is_fixed)


def _stands_later(placement: AssignmentItem, turn: Turn | None) -> bool:
    """Whether what stands for this item was given later in the same tab (`turns`)."""
    stands = getattr(placement, "mark", None) or getattr(placement, "rating", None)
    return bool(turn and stands and turn.precedes(stands.tab, stands.turn))


def _store_mark(
    placement: AssignmentItem, mark: CannotJudge, now: datetime, turn: Turn | None, *, is_fixed: bool
) -> None:
    given = {"reason": mark.reason, "words": mark.words}
    stood = getattr(placement, "mark", None)
    order = {"tab": turn.tab if turn else "", "turn": turn.number if turn else 0}
    if stood and (stood.reason, stood.words) == (mark.reason, mark.words):
        Mark.objects.filter(pk=stood.pk).update(**order)
        return
    if is_fixed:
        raise fixed_error()
    RatingHistory.objects.create(assignment_item=placement, **given, recorded_at=now)
    Rating.objects.filter(assignment_item=placement).delete()
    changed = given | order | {"updated_at": now}
    Mark.objects.update_or_create(
        assignment_item=placement, defaults=changed, create_defaults=changed | {"created_at": now}
    )


def given_up_items(questionnaires: "QuerySet[Questionnaire]") -> "QuerySet[Item]":
    """Items that as many different raters as their questionnaire has places have submitted a mark on."""
    # A rater has one assignment of a questionnaire, so marks of an item are of different raters.
    marks = Count("placements__mark", filter=_COUNTED)
    rows = Item.objects.filter(questionnaire__in=questionnaires).annotate(marks=marks).order_by("pk")
    return rows.filter(marks__gte=F("questionnaire__slots"))


def settle_marks(questionnaire: Questionnaire, now: datetime, *, page: int | None = None) -> bool:
    """Let each submitted page count, or not, as the marks on it now say; whether that moved any.

    page: the one that was submitted or changed just now; in a closed batch it alone may stop counting. Under
    the questionnaire's lock; it needs its batch as it is. Doing it again changes nothing. Pages that are
    complete now take places in the order in which they were submitted, the lowest free one first.
    """
    batch = questionnaire.batch
    if not batch.marks_allowed or batch.is_frozen:
        return False
    moved = [
        (one, state)
        for one, state in _misplaced(questionnaire)
        if state == AssignmentState.MARKED or one == page or not batch.is_closed
    ]
    _move([one for one, state in moved if state == AssignmentState.SUBMITTED], AssignmentState.MARKED)
    complete = [one for one, state in moved if state == AssignmentState.MARKED]
    if complete:
        release_stale_claims(questionnaire, now)
    for one in complete:
        slot = next(iter(free_slots(questionnaire)), None)
        _move([one], AssignmentState.SUBMITTED if slot else AssignmentState.SURPLUS, slot)
    if moved:
        recount_places(Questionnaire.objects.filter(pk=questionnaire.pk))
    return bool(moved)


def _misplaced(questionnaire: Questionnaire) -> list[tuple[int, str]]:
    """Pages and their states: counted with a mark on a pair not given up, or MARKED without one.

    A MARKED page that an admin excluded is in its place: it must take none that others could fill.
    """
    rows = _submitted_items.rows(questionnaire=questionnaire.pk)
    if not any(reason or state == AssignmentState.MARKED for _, state, _, reason in rows):
        return []
    given_up = set(
        given_up_items(Questionnaire.objects.filter(pk=questionnaire.pk)).values_list("pk", flat=True)
    )
    is_open = {page: False for page, *_ in rows}
    for page, _, item, reason in rows:
        is_open[page] |= bool(reason) and item not in given_up
    states = {page: state for page, state, *_ in rows}
    is_excluded = Q(exclusion__isnull=False) | Q(rater__exclusion__isnull=False)
    marked = questionnaire.assignments.filter(is_excluded, state=AssignmentState.MARKED)
    kept = set(marked.order_by().values_list("pk", flat=True))
    return [
        (page, state)
        for page, state in states.items()
        if is_open[page] == (state != AssignmentState.MARKED) and page not in kept
    ]


@prepared
def _submitted_items(questionnaire: Parameter) -> "QuerySet[Assignment, tuple[int, str, int, str | None]]":
    """Of each page that was submitted and is not surplus, in that order, every item and its mark's reason."""
    pages = Assignment.objects.filter(
        questionnaire=questionnaire, state__in=[AssignmentState.SUBMITTED, AssignmentState.MARKED]
    )
    columns = ("pk", "state", "placements__item", "placements__mark__reason")
    return pages.order_by("submitted_at", "pk").values_list(*columns)


def _move(pages: list[int], state: str, slot: int | None = None) -> None:
    if pages:
        Assignment.objects.filter(pk__in=pages).update(state=state, slot=slot, **ONE_MORE)


def settle_marks_of(rater: Rater, now: datetime) -> None:
    """Settle every questionnaire of a rater who counts no more, or again; under the lock of their batch.

    Also what they have not submitted: its lock waits for whoever is submitting it at this moment.
    """
    questionnaires = Questionnaire.objects.filter(assignments__rater=rater)
    _settle_all(Batch.objects.get(pk=rater.batch_id), questionnaires, now)


def settle_batch(*, batch: Batch, now: datetime, **_signal: object) -> None:
    """Settle what has marks once more raters are asked: a pair then takes as many more to be given up."""
    marked = Q(assignments__placements__mark__isnull=False)
    _settle_all(batch, batch.questionnaires.filter(marked).distinct(), now)


def _settle_all(batch: Batch, questionnaires: "QuerySet[Questionnaire]", now: datetime) -> None:
    """In the order of their keys, so that no two who do so wait in a circle."""
    if not batch.marks_allowed:
        return
    for key in list(questionnaires.order_by("pk").values_list("pk", flat=True)):
        questionnaire = lock_row(Questionnaire.objects.filter(pk=key))
        questionnaire.batch = batch
        settle_marks(questionnaire, now)
