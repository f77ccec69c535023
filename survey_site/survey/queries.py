"""Reads about raters, their questionnaires and their ratings."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from django.db.models import Exists, F, Q, QuerySet

from survey_site.batches.models import Batch, Questionnaire, scored_items
from survey_site.batches.states import AssignmentState
from survey_site.common.prepared import Parameter, Prepared, prepared
from survey_site.survey.models import Assignment, AssignmentItem, Consent, Rater, RatingHistory
from survey_site.survey.people.participation import read_participation

MOST_COUNTED = 100
"""Questionnaires that are left are counted up to here: nobody needs a greater number to plan their time."""


@dataclass(frozen=True)
class RaterProgress:
    """Where one rater stands with their questionnaires.

    own: all they ever claimed, in that order; available: how many more they could claim; many: whether there
    are more than that, which nobody counted.
    """

    own: tuple[Assignment, ...]
    available: int
    many: bool = False

    @property
    def done(self) -> int:
        """How many they submitted."""
        return count_completed(self.own)

    @property
    def open(self) -> Assignment | None:
        return next((one for one in self.own if one.state == AssignmentState.OPEN), None)

    @property
    def total(self) -> int:
        """The most this rater could complete as things stand, where not many are left; others take slots."""
        return self.done + self.available + (self.open is not None)

    @property
    def finished(self) -> bool:
        """Whether this rater has completed something and nothing is there to go on with."""
        return bool(self.done) and self.total == self.done

    @property
    def last_submitted(self) -> Assignment | None:
        dated = [(one.submitted_at, one.pk, one) for one in self.own if one.submitted_at]
        return max(dated)[-1] if dated else None

    def number_of(self, assignment: Assignment) -> int:
        """The how-manieth questionnaire of its rater this is, from 1, in the order of claiming."""
        return 1 + self.own.index(assignment)


def has_consented(rater: Rater) -> bool:
    return Consent.objects.filter(rater=rater).exists()


def open_assignment(rater: Rater) -> Assignment | None:
    return Assignment.objects.filter(rater=rater, state=AssignmentState.OPEN).first()


def missing_positions(assignment: Assignment) -> tuple[int, ...]:
    """Positions of the items that have neither a rating nor a mark, in page order."""
    return tuple(_missing.rows(assignment=assignment.pk))


def shown_items(assignment: Assignment | Parameter) -> QuerySet[AssignmentItem]:
    """The pairs that the rater of a page sees, without those that only get the answer to an equal one."""
    return AssignmentItem.objects.filter(assignment=assignment, same_as=None)


@prepared
def _missing(assignment: Parameter) -> "QuerySet[AssignmentItem, int]":
    items = shown_items(assignment).filter(rating__isnull=True, mark__isnull=True)
    return items.order_by("position").values_list("position", flat=True)


def own_assignments(rater: Rater) -> tuple[Assignment, ...]:
    """All that this rater ever claimed, in that order, with their questionnaires."""
    own = tuple(_own.rows(rater=rater.pk))
    for one in own:
        one.rater = rater
    return own


@prepared
def _own(rater: Parameter) -> QuerySet[Assignment]:
    rows = Assignment.objects.filter(rater=rater).select_related("questionnaire")
    return rows.order_by("claimed_at", "pk")


def stale_claims(batch: Batch | Parameter, now: datetime | Parameter) -> QuerySet[Assignment]:
    """Open claims past their time: they keep their slot until somebody claims the questionnaire."""
    return Assignment.objects.filter(
        questionnaire__batch=batch, state=AssignmentState.OPEN, expires_at__lt=now
    ).order_by()


def with_free_slot(questionnaires: QuerySet[Questionnaire]) -> QuerySet[Questionnaire]:
    return questionnaires.filter(taken__lt=F("slots"))


def with_place(
    questionnaires: QuerySet[Questionnaire], batch: Batch | Parameter, now: datetime | Parameter
) -> QuerySet[Questionnaire]:
    """Those with a free slot, or with one that a stale claim holds.

    In one statement: between two, whoever gives stale slots back may come, and both would see nothing.
    """
    stale = stale_claims(batch, now).values("questionnaire")
    return questionnaires.filter(Q(taken__lt=F("slots")) | Q(pk__in=stale))


def _count_claimable(rater: Rater, most: int, now: datetime) -> int:
    """How many questionnaires this rater could be handed, of `most` that are asked for.

    None for a rater whom an admin excluded: their answers would take slots and count for nothing.
    """
    return len(_claimable_up_to(most).rows(rater=rater.pk, batch=rater.batch_id, now=now))


@lru_cache
def _claimable_up_to(most: int) -> Prepared[int]:
    """With a free slot or a stale claim, each found in the order of an index: no batch is looked through.

    Of stale claims no more than `most` are looked at, so that two of one questionnaire may hide another.
    """

    @prepared
    def found(rater: Parameter, batch: Parameter, now: Parameter) -> "QuerySet[Questionnaire, int]":
        free = with_free_slot(_claimable(rater, batch)).order_by(F("taken").desc(), "number")[:most]
        stale = stale_claims(batch, now).filter(~Exists(_exclusion(rater)))
        stale = stale.exclude(questionnaire__in=_met(rater).values("questionnaire"))
        lost = stale.order_by("expires_at").values("questionnaire")[:most]
        # SQLite takes no limit within a union, but within a subquery there.
        rows = Questionnaire.objects.order_by().values_list("pk", flat=True)
        return rows.filter(pk__in=free.values("pk")).union(rows.filter(pk__in=lost)).order_by()[:most]

    return found


def _claimable(rater: Parameter, batch: Parameter) -> QuerySet[Questionnaire]:
    """All but what the rater did or holds; nothing for one whom an admin excluded."""
    rows = Questionnaire.objects.filter(~Exists(_exclusion(rater)), batch=batch).order_by()
    return rows.exclude(pk__in=_met(rater).values("questionnaire"))


def _met(rater: Rater | Parameter) -> QuerySet[Assignment]:
    return Assignment.objects.filter(rater=rater).exclude(state=AssignmentState.EXPIRED).order_by()


def _exclusion(rater: int | Parameter) -> QuerySet[Rater]:
    """The rater, where an admin keeps everything by them out of the scores."""
    return Rater.objects.filter(pk=rater, exclusion__isnull=False).order_by()


def is_excluded(rater: Rater) -> bool:
    return _exclusion(rater.pk).exists()


def may_get_more(rater: Rater, progress: RaterProgress) -> bool:
    """Whether a slot that becomes free could go to this rater."""
    return questionnaires_left(rater.batch, progress.own) > 0 and not is_excluded(rater)


def submitted_controls(rater: Rater) -> list[tuple[str, int]]:
    """Kind and rating of every control on a rater's submitted pages, as it stood when they submitted.

    What they change later, when they have seen where it led to, changes nothing here.
    """
    given = RatingHistory.objects.filter(
        ~scored_items("assignment_item__item"),
        assignment_item__assignment__rater=rater,
        recorded_at__lte=F("assignment_item__assignment__submitted_at"),
    )
    rows = given.order_by("pk").values_list("assignment_item", "assignment_item__item__control", "value")
    last = {item: (control, value) for item, control, value in rows}
    return [(control, value) for control, value in last.values() if value is not None]  # a mark has none


def rater_progress(
    rater: Rater, *, now: datetime, own: tuple[Assignment, ...] | None = None
) -> RaterProgress:
    """Where the rater stands; own: all that they ever claimed, where that is known already."""
    own = own_assignments(rater) if own is None else own
    is_open = any(one.state == AssignmentState.OPEN for one in own)
    left = questionnaires_left(rater.batch, own) - is_open
    over = not rater.batch.is_live or rater.batch.is_over(now)
    if over or left <= 0:
        return RaterProgress(own, 0)
    if not math.isinf(left):
        return RaterProgress(own, _count_claimable(rater, int(left), now))
    claimable = _count_claimable(rater, MOST_COUNTED + 1, now)
    return RaterProgress(own, min(claimable, MOST_COUNTED), many=claimable > MOST_COUNTED)


def count_completed(own: Sequence[Assignment]) -> int:
    """How many of a rater's questionnaires they submitted."""
    return sum(one.is_submitted for one in own)


def questionnaires_left(batch: Batch, own: Sequence[Assignment]) -> float:
    """How many more the limit per person allows, open ones included; infinite without a limit."""
    limit = read_participation(batch).limit
    return max(0, limit - count_completed(own)) if limit else math.inf


def has_free_slots(batch: Batch, *, now: datetime, any_free: bool | None = None) -> bool:
    """Whether a newcomer would get a questionnaire at this moment.

    any_free: whether one had a free slot a moment ago; None where nobody looked.
    """
    rows = batch.questionnaires.order_by()
    if with_free_slot(rows).exists() if any_free is None else any_free:
        return True
    return with_place(rows, batch, now).exists()


def next_expiry(batch: Batch, *, now: datetime, rater: Rater | None = None) -> datetime | None:
    """When the first of the running claims ends whose place this rater, or a newcomer, could then have.

    Nobody rates a questionnaire twice, so a rater waits for none that they did or hold.
    """
    running = Assignment.objects.filter(
        questionnaire__batch=batch, state=AssignmentState.OPEN, expires_at__gte=now
    )
    if rater:
        running = running.exclude(questionnaire__in=_met(rater).values("questionnaire"))
    return running.order_by("expires_at").values_list("expires_at", flat=True).first()
