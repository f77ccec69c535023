"""Places of questionnaires: which one a rater is handed, and the count of those that are taken.

Nobody looks through a batch. A questionnaire knows how many of its places are taken, an index holds those
with a free one in the order in which they are handed out, and whoever wants one takes the first that nobody
else is taking at this moment: on PostgreSQL rows that others have locked are passed over, on SQLite those who
write come one after the other.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from django.db.models import Count, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from survey_site.batches.models import Questionnaire
from survey_site.batches.queries import PlanOrder, plan_order
from survey_site.batches.states import AssignmentState
from survey_site.common.locking import lock_first_row
from survey_site.survey.models import Assignment, Rater
from survey_site.survey.queries import is_excluded, stale_claims, with_free_slot, with_place


def free_slots(questionnaire: Questionnaire) -> list[int]:
    """Slots that no assignment holds, lowest first. Only true for longer under the questionnaire's lock."""
    held = questionnaire.assignments.exclude(slot=None).order_by().values_list("slot", flat=True)
    taken = set(held)
    return [slot for slot in range(1, questionnaire.slots + 1) if slot not in taken]


def recount_places(questionnaires: QuerySet[Questionnaire]) -> None:
    """Write down how many places are taken; under their locks, whenever one is taken or given back."""
    held = Assignment.objects.filter(questionnaire=OuterRef("pk"), slot__isnull=False).order_by()
    count = held.values("questionnaire").annotate(count=Count("pk")).values("count")
    questionnaires.order_by().update(taken=Coalesce(Subquery(count), 0))


def release_stale_claims(questionnaire: Questionnaire, now: datetime) -> None:
    """Give back the places of claims past their time, under the questionnaire's lock."""
    stale = questionnaire.assignments.filter(state=AssignmentState.OPEN, expires_at__lt=now)
    stale.update(state=AssignmentState.EXPIRED, slot=None)


def lock_questionnaire_for(
    rater: Rater, own: Sequence[Assignment], now: datetime
) -> tuple[Questionnaire | None, int | None]:
    """The questionnaire to hand to this rater, locked; else the id of one that others are taking just now.

    First one that the rater began and lost; then documents the rater has not met, since the gold pair recurs
    in the other questionnaires of its document; then in the order of the plan (`plan_order`): those with most
    raters already, because a pair counts only with its full number of raters, unless the batch keeps parts
    together. Stale claims do not take a place.
    Neither for a rater whom an admin excluded: their answers would take places and count for nothing.
    """
    if is_excluded(rater):
        return None, None
    order = plan_order(rater.batch)
    for rows in _by_preference(rater, own):
        if best := _lock_best(rows, rater, order, now):
            return best, None
    for rows in _by_preference(rater, own):
        places = with_place(rows, rater.batch, now)
        if busy := places.values_list("pk", flat=True).order_by("number").first():
            return None, busy
    return None, None


def _by_preference(rater: Rater, own: Sequence[Assignment]) -> Iterator[QuerySet[Questionnaire]]:
    rows = Questionnaire.objects.filter(batch=rater.batch_id).order_by()
    if begun := [one.questionnaire_id for one in own if one.state == AssignmentState.EXPIRED]:
        yield rows.filter(pk__in=begun)
    rows = rows.exclude(pk__in=[one.questionnaire_id for one in own])
    met = {one.questionnaire.document_id for one in own}
    yield rows.exclude(document__in=met)
    if met:
        yield rows.filter(document__in=met)


def _lock_best(
    rows: QuerySet[Questionnaire], rater: Rater, order: PlanOrder, now: datetime
) -> Questionnaire | None:
    """The first in the order of the plan, of those with a free place and those with a stale claim."""
    with_batch = rows.select_related("batch")
    free = lock_first_row(with_free_slot(with_batch).order_by(*order.columns))
    stale_here = set(stale_claims(rater.batch, now).values_list("questionnaire", flat=True))
    full = rows.filter(taken__gte=F("slots"), pk__in=stale_here).order_by("number").first()
    if full is None:
        return free
    stale = lock_first_row(with_batch.filter(pk=full.pk))
    if stale is None or free is None:
        return stale or free
    at_work = stale.taken - stale_claims(rater.batch, now).filter(questionnaire=stale).count()
    place = order.place(taken=at_work, number=stale.number)
    return stale if place < order.place(taken=free.taken, number=free.number) else free
