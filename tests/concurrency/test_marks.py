"""Marks that arrive at the same moment as others, with and without the lock."""

from contextlib import nullcontext, suppress
from threading import Barrier, BrokenBarrierError
from types import SimpleNamespace

import pytest
from django.db import IntegrityError

from survey_site.survey.models import Assignment, Mark, Rating, RatingHistory
from survey_site.survey.rating import claiming, marks, services
from survey_site.survey.rating.leaving import withdraw_rater
from survey_site.survey.rating.services import claim_questionnaire, save_open_ratings, save_ratings
from survey_site.survey.rating.validators import CannotJudge
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import answers_for, make_assignment, make_rater, submit_all, submit_marked

pytestmark = pytest.mark.django_db(transaction=True)
UNCLEAR = CannotJudge("unclear")


@pytest.fixture
def two_pages():
    """The two raters of one questionnaire, both at work."""
    batch = make_batch(corpus=make_corpus(documents=1), raters=2)
    return [make_assignment(batch) for _ in range(2)]


@pytest.fixture
def last_place(two_pages):
    """Both want the one place that a page with a mark gave back: the page, complete now, and a newcomer."""
    submit_all(two_pages[0])
    page = submit_marked(two_pages[1], {0: UNCLEAR})
    code, newcomer = Mark.objects.get().assignment_item.code, make_rater(page.questionnaire.batch)
    return (
        lambda: save_ratings(assignment=page, answers={code: 2}, now=NOW),
        lambda: claim_questionnaire(rater=newcomer, now=NOW),
    )


@pytest.fixture
def meeting_after_the_count(monkeypatch):
    """Make both wait for each other between counting free places and taking one; gives what each saw.

    Under the lock the second cannot come so far, so the first waits in vain.
    """

    def install(seconds):
        barrier, seen = Barrier(2), []

        def and_meet(count):
            def count_and_meet(*asked):
                seen.append(free := count(*asked))
                with suppress(BrokenBarrierError):
                    barrier.wait(seconds)
                return free

            return count_and_meet

        for module, name in ((marks, "free_slots"), (claiming, "free_slots_at")):
            monkeypatch.setattr(module, name, and_meet(getattr(module, name)))
        return seen

    return install


def states():
    return sorted(Assignment.objects.values_list("state", "slot"), key=str)


def test_without_the_lock_both_see_the_place_free_and_only_the_schema_stops_them(
    last_place, meeting_after_the_count, in_threads, without_locks, monkeypatch
):
    monkeypatch.setattr(services, "transaction", SimpleNamespace(atomic=nullcontext))
    seen = meeting_after_the_count(60)
    results = in_threads(*last_place)
    assert seen == [[2], [2]]
    assert [type(one) for one in results if isinstance(one, Exception)] == [IntegrityError]


def test_with_the_lock_one_takes_it_and_the_other_finds_none(last_place, meeting_after_the_count, in_threads):
    meeting_after_the_count(1)
    results = in_threads(*last_place)
    assert not [one for one in results if isinstance(one, Exception)]
    taken = [("submitted", 1), ("submitted", 2)]
    assert states() in (taken, sorted([("open", 2), ("submitted", 1), ("surplus", None)]))


def test_two_who_mark_the_same_pair_at_once_give_it_up(two_pages, in_threads):
    in_threads(*[lambda page=page: submit_marked(page, {0: UNCLEAR}) for page in two_pages])
    assert states() == [("submitted", 1), ("submitted", 2)]


def test_answers_to_one_item_at_once_leave_a_rating_or_a_mark(two_pages, in_threads):
    page = two_pages[0]
    code = next(iter(answers_for(page)))

    def give(answer):
        return lambda: save_open_ratings(rater=page.rater, code=page.code, answers={code: answer}, now=NOW)

    results = in_threads(*[give(answer) for answer in (1, UNCLEAR, 2, CannotJudge("cut-off"), 3, UNCLEAR)])
    assert not [one for one in results if isinstance(one, Exception)]
    assert Rating.objects.count() + Mark.objects.count() == 1
    last = RatingHistory.objects.order_by("pk").last()
    stands = Rating.objects.first() or Mark.objects.first()
    assert (last.value or last.reason) == (getattr(stands, "value", None) or stands.reason)


def test_who_withdraws_while_another_marks_gives_nothing_up(two_pages, in_threads):
    first, second = two_pages
    submit_marked(first, {0: UNCLEAR})
    in_threads(
        lambda: withdraw_rater(rater=first.rater, now=NOW),
        lambda: submit_marked(second, {0: UNCLEAR}),
    )
    assert states() == [("marked", None), ("withdrawn", None)]
    assert Mark.objects.count() == 1
