"""Places of questionnaires: which one a rater is handed, and the count of those that are taken.

Nobody looks through a batch. A questionnaire knows how many of its places are taken, an index holds those
with a free one in the order in which they are handed out, and whoever wants one takes the first that nobody
else is taking at this moment: on PostgreSQL rows that others have locked are passed over, on SQLite those who
write come one after the other.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from enum import Enum
from functools import lru_cache
from typing import Any, cast

from django.db.models import BooleanField, Count, ExpressionWrapper, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from survey_site.batches.models import Batch, Questionnaire
from survey_site.batches.queries import PlanOrder, plan_order
from survey_site.batches.states import AssignmentState
from survey_site.common.locking import lock_first_row, locked
from survey_site.common.prepared import Parameter, Prepared, prepared, prepared_update
from survey_site.survey.models import Assignment, Rater
from survey_site.survey.queries import stale_claims, with_free_slot, with_place


def free_slots(questionnaire: Questionnaire) -> list[int]:
    """Slots that no assignment holds, lowest first. Only true for longer under the questionnaire's lock."""
    held = Assignment.objects.filter(questionnaire=questionnaire, slot__isnull=False)
    taken = set(held.order_by().values_list("slot", flat=True))
    return [slot for slot in range(1, questionnaire.slots + 1) if slot not in taken]


def free_slots_at(questionnaire: Questionnaire, now: datetime) -> list[int]:
    """The same at a moment, under the questionnaire's lock: places of stale claims are given back first."""
    held = _held_at.rows(questionnaire=questionnaire.pk, now=now)
    if any(is_stale for _, is_stale in held):
        release_stale_claims(questionnaire, now)  # an answer may just have renewed one
        return free_slots(questionnaire)
    taken = {slot for slot, _ in held}
    return [slot for slot in range(1, questionnaire.slots + 1) if slot not in taken]


@prepared
def _held_at(questionnaire: Parameter, now: Parameter) -> "QuerySet[Assignment, tuple[int, bool]]":
    past = ExpressionWrapper(Q(state=AssignmentState.OPEN, expires_at__lt=now), BooleanField())
    rows = Assignment.objects.filter(questionnaire=questionnaire, slot__isnull=False)
    return cast("QuerySet[Assignment, tuple[int, bool]]", rows.order_by().values_list("slot", past))


def recount_places(questionnaires: QuerySet[Questionnaire]) -> None:
    """Write down how many places are taken; under their locks, whenever one is taken or given back."""
    questionnaires.order_by().update(**_recounted())


@prepared_update
def recount_places_of(questionnaire: Parameter) -> tuple[QuerySet[Questionnaire], dict[str, Coalesce]]:
    """The same for one questionnaire, by its id."""
    return Questionnaire.objects.filter(pk=questionnaire), _recounted()


def _recounted() -> dict[str, Coalesce]:
    held = Assignment.objects.filter(questionnaire=OuterRef("pk"), slot__isnull=False).order_by()
    count = held.values("questionnaire").annotate(count=Count("pk")).values("count")
    return {"taken": Coalesce(Subquery(count), 0)}


def release_stale_claims(questionnaire: Questionnaire, now: datetime) -> None:
    """Give back the places of claims past their time, under the questionnaire's lock."""
    stale = Assignment.objects.filter(
        questionnaire=questionnaire, state=AssignmentState.OPEN, expires_at__lt=now
    )
    stale.update(state=AssignmentState.EXPIRED, slot=None)


def lock_questionnaire_for(
    rater: Rater, own: Sequence[Assignment], now: datetime
) -> tuple[Questionnaire | None, int | None]:
    """The questionnaire to hand to this rater, locked; else the id of one that others are taking just now.

    First one that the rater began and lost; then documents the rater has not met, since the gold pair recurs
    in the other questionnaires of its document; then in the order of the plan (`plan_order`): those with most
    raters already, because a pair counts only with its full number of raters, unless the batch keeps parts
    together. Stale claims do not take a place.
    """
    preferences = tuple(_preferences(own))
    for preference in preferences:
        if best := _lock_best(preference, rater, plan_order(rater.batch), now):
            return best, None
    for preference in preferences:
        if busy := _places(preference, rater, now).first():
            return None, busy
    return None, None


class _Preference(Enum):
    """Which questionnaires a rater is handed before which others."""

    BEGUN = "those that they began and lost"
    NEW = "those of documents that they have not met"
    MET = "others of documents that they have met"


def _preferences(own: Sequence[Assignment]) -> Iterator[_Preference]:
    """First things first, without those that somebody with these assignments has none of."""
    if any(one.state == AssignmentState.EXPIRED for one in own):
        yield _Preference.BEGUN
    yield _Preference.NEW
    if own:
        yield _Preference.MET


def _preferred(
    preference: _Preference, rater: Rater | Parameter, batch: Batch | Parameter
) -> QuerySet[Questionnaire]:
    rows = Questionnaire.objects.filter(batch=batch).order_by()
    own = Assignment.objects.filter(rater=rater).order_by()
    if preference == _Preference.BEGUN:
        return rows.filter(pk__in=own.filter(state=AssignmentState.EXPIRED).values("questionnaire"))
    rows = rows.exclude(pk__in=own.values("questionnaire"))
    met = own.values("questionnaire__document")
    return rows.exclude(document__in=met) if preference == _Preference.NEW else rows.filter(document__in=met)


def _lock_best(
    preference: _Preference, rater: Rater, order: PlanOrder, now: datetime
) -> Questionnaire | None:
    """The first in the order of the plan, of those with a free place and those with a stale claim."""
    known = {"rater": rater.pk, "batch": rater.batch_id}
    free = _lock_free(preference, order).first(**known, now=now)
    stale = free.longest_stale if free else _longest_stale(rater.batch, now).first()
    full = _full(preference, rater, now).first() if stale else None
    if full is None:
        return free
    back = lock_first_row(Questionnaire.objects.select_related("batch").filter(pk=full).order_by())
    if back is None or free is None:
        return back or free
    at_work = back.taken - stale_claims(rater.batch, now).filter(questionnaire=back).count()
    place = order.place(taken=at_work, number=back.number)
    return back if place < order.place(taken=free.taken, number=free.number) else free


@lru_cache
def _lock_free(preference: _Preference, order: PlanOrder) -> Prepared[Any]:
    """The first with a free place that nobody else is taking, locked, with its batch.

    `longest_stale`: the claim of the batch that has been stale for longest, None where none is.
    """

    @prepared
    def free(rater: Parameter, batch: Parameter, now: Parameter) -> QuerySet[Questionnaire]:
        rows = with_free_slot(_preferred(preference, rater, batch)).select_related("batch")
        rows = rows.annotate(longest_stale=Subquery(_longest_stale(batch, now)))
        return locked(rows.order_by(*order.columns), skip_locked=True)[:1]

    return free


def _full(preference: _Preference, rater: Rater, now: datetime) -> "QuerySet[Questionnaire, int]":
    """Those whose places are all taken, one by a stale claim."""
    rows = _preferred(preference, rater, rater.batch).filter(taken__gte=F("slots"))
    stale = stale_claims(rater.batch, now).values("questionnaire")
    return rows.filter(pk__in=stale).order_by("number").values_list("pk", flat=True)


def _places(preference: _Preference, rater: Rater, now: datetime) -> "QuerySet[Questionnaire, int]":
    """Those with a place, whether others are taking it or not."""
    rows = with_place(_preferred(preference, rater, rater.batch), rater.batch, now)
    return rows.order_by("number").values_list("pk", flat=True)


def _longest_stale(batch: Batch | Parameter, now: datetime | Parameter) -> "QuerySet[Assignment, int]":
    """In order of time, and cut: PostgreSQL then goes by the index of ends, however many claims are open."""
    return stale_claims(batch, now).order_by("expires_at").values_list("pk", flat=True)[:1]
