"""Two raters want the last place of a questionnaire at the same moment (decision 1).

The control test takes the lock away and shows the race that it prevents, with the schema behind it.
"""

from contextlib import nullcontext
from threading import Barrier, BrokenBarrierError
from types import SimpleNamespace

import pytest
from django.db import IntegrityError

from survey_site.survey.models import Assignment
from survey_site.survey.rating import claiming, services
from survey_site.survey.rating.services import claim_questionnaire
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_assignment, make_rater

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def last_slot():
    """A batch with one questionnaire whose first of two places is taken."""
    batch = make_batch(corpus=make_corpus(documents=1), raters=2)
    make_assignment(batch)
    return batch


@pytest.fixture
def meeting_after_the_recount(monkeypatch):
    """Make both claimants wait for each other between counting the free slots and taking one.

    Gives what each saw there. Under the lock the second cannot come so far, so the first waits in vain; it
    finds the questionnaire full by then, and has nothing to count.
    """

    def install(seconds):
        barrier, seen = Barrier(2), []
        count = claiming.free_slots_at

        def count_and_meet(questionnaire, now):
            free = count(questionnaire, now)
            seen.append(free)
            try:
                barrier.wait(seconds)
            except BrokenBarrierError:
                seen.append("alone")
            return free

        monkeypatch.setattr(claiming, "free_slots_at", count_and_meet)
        return seen

    return install


def claims(batch, raters):
    return [lambda rater=rater: claim_questionnaire(rater=rater, now=NOW) for rater in raters]


def test_without_the_lock_both_see_the_place_free_and_only_the_schema_stops_them(
    last_slot, meeting_after_the_recount, in_threads, without_locks, monkeypatch
):
    raters = [make_rater(last_slot) for _ in range(2)]
    monkeypatch.setattr(services, "transaction", SimpleNamespace(atomic=nullcontext))
    seen = meeting_after_the_recount(60)
    results = in_threads(*claims(last_slot, raters))
    assert seen == [[2], [2]]
    assert [type(result) for result in results if isinstance(result, Exception)] == [IntegrityError]
    assert sorted(Assignment.objects.values_list("slot", flat=True)) == [1, 2]


def test_with_the_lock_the_second_waits_and_then_finds_nothing(
    last_slot, meeting_after_the_recount, in_threads
):
    raters = [make_rater(last_slot) for _ in range(2)]
    seen = meeting_after_the_recount(1)
    results = in_threads(*claims(last_slot, raters))
    assert [free for free in seen if free and free != "alone"] == [[2]]
    assert sorted(type(result).__name__ for result in results) == ["Assignment", "NoneType"]
    assert sorted(Assignment.objects.values_list("slot", flat=True)) == [1, 2]


def test_a_crowd_fills_every_place_exactly_once(in_threads):
    batch = make_batch(corpus=make_corpus(documents=2), raters=2)
    raters = [make_rater(batch) for _ in range(8)]
    results = in_threads(*claims(batch, raters))
    taken = sorted((one.questionnaire.number, one.slot) for one in results if isinstance(one, Assignment))
    assert taken == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert [one for one in results if not isinstance(one, Assignment)] == [None] * 4
    assert Assignment.objects.values("rater").distinct().count() == 4


def test_one_rater_clicking_many_times_gets_one_questionnaire(in_threads):
    batch = make_batch(corpus=make_corpus(documents=5), raters=2)
    rater = make_rater(batch)
    results = in_threads(*claims(batch, [rater] * 6))
    assert {one.pk for one in results} == {Assignment.objects.get().pk}


@pytest.mark.parametrize("documents", [1, 2])
def test_a_click_is_led_to_what_another_click_of_the_same_person_has_just_claimed(monkeypatch, documents):
    """The other click comes between looking for one's open questionnaire and looking for a free one."""
    rater, first = make_rater(make_batch(corpus=make_corpus(documents=documents))), []
    look = services.require_handing_out

    def look_after_the_other(batch, now):
        monkeypatch.setattr(services, "require_handing_out", look)
        first.append(claim_questionnaire(rater=rater, now=now))
        return look(batch, now)

    monkeypatch.setattr(services, "require_handing_out", look_after_the_other)
    assert claim_questionnaire(rater=rater, now=NOW) == first[0]
    assert Assignment.objects.get() == first[0]


def test_raters_who_start_at_once_each_get_a_place_and_it_is_counted(in_threads):
    batch = make_batch(corpus=make_corpus(documents=6), raters=2)
    raters = [make_rater(batch) for _ in range(6)]
    results = in_threads(*claims(batch, raters))
    assert sorted(Assignment.objects.values_list("pk", flat=True)) == sorted(one.pk for one in results)
    for one in batch.questionnaires.all():
        assert one.taken == one.assignments.count()
