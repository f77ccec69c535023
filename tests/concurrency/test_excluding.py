"""A rater is excluded, or counts again, while they save an answer: the two do not wait in a circle."""

from threading import Event

import pytest
from django.db import connection

from survey_site.quality import services
from survey_site.quality.services import exclude_questionnaire, exclude_rater, undo_exclusion
from survey_site.survey.models import Assignment, Rating
from survey_site.survey.rating import locks
from survey_site.survey.rating.services import save_ratings
from tests.factories.batches import NOW, make_batch
from tests.factories.survey import answers_for, make_assignment, submit_all

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="SQLite has one lock, so no two wait in a circle"
    ),
]
MEETING_SECONDS = 60


def exclude_the_rater(page):
    return lambda: exclude_rater(rater=page.rater, reason="all alike", now=NOW)


def exclude_the_page(page):
    return lambda: exclude_questionnaire(assignment=page, reason="all alike", now=NOW)


def undo(page):
    exclusion = exclude_the_rater(page)()
    return lambda: undo_exclusion(exclusion=exclusion, now=NOW)


@pytest.fixture
def meeting(monkeypatch):
    """Hold the questionnaire for the answer until the other is about to ask for it; gives when it is held."""
    held, asked = Event(), Event()
    settle_marks_of, lock_questionnaire = services.settle_marks_of, locks.lock_questionnaire

    def say_and_settle(rater, now):
        asked.set()
        settle_marks_of(rater, now)

    def lock_and_wait(questionnaire):
        locked = lock_questionnaire(questionnaire)
        held.set()
        assert asked.wait(MEETING_SECONDS)
        return locked

    def install():
        monkeypatch.setattr(services, "settle_marks_of", say_and_settle)
        monkeypatch.setattr(locks, "lock_questionnaire", lock_and_wait)
        return held

    return install


@pytest.mark.parametrize("decide", [exclude_the_rater, exclude_the_page, undo])
def test_a_rater_who_saves_and_who_decides_on_them_do_not_wait_in_a_circle(decide, meeting, in_threads):
    page = submit_all(make_assignment(make_batch()))
    code, act, before = next(iter(answers_for(page))), decide(page), Assignment.objects.get().changes
    held = meeting()

    def act_once_it_is_held():
        assert held.wait(MEETING_SECONDS)
        act()

    results = in_threads(
        lambda: save_ratings(assignment=page, answers={code: 2}, now=NOW), act_once_it_is_held
    )
    assert [one for one in results if isinstance(one, Exception)] == []
    assert Rating.objects.get(assignment_item__code=code).value == 2
    assert Assignment.objects.get().changes == before + 2
