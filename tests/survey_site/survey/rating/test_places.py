"""The number of places that a questionnaire says are taken is the number that somebody holds."""

from datetime import timedelta
from importlib import import_module

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from survey_site.batches.models import Questionnaire
from survey_site.batches.services import close_batch
from survey_site.survey import queries
from survey_site.survey.models import Assignment
from survey_site.survey.queries import RaterProgress, _count_claimable, has_free_slots, rater_progress
from survey_site.survey.rating.leaving import stop_rating, withdraw_rater
from survey_site.survey.rating.places import release_stale_claims
from survey_site.survey.rating.reopening import reopen_expired
from survey_site.survey.rating.services import claim_questionnaire
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_assignment, make_rater, submit_all

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=2)


@pytest.fixture
def batch():
    return make_batch(corpus=make_corpus(documents=1), raters=2)


def taken():
    questionnaire = Questionnaire.objects.get()
    assert questionnaire.taken == questionnaire.assignments.exclude(slot=None).count()
    return questionnaire.taken


def test_places_are_counted_as_they_are_taken_and_given_back(batch):
    first, second = make_assignment(batch), make_assignment(batch)
    assert taken() == 2
    submit_all(first)
    assert taken() == 2
    stop_rating(rater=second.rater)
    assert taken() == 1
    claim_questionnaire(rater=second.rater, now=NOW)
    assert taken() == 2
    withdraw_rater(rater=first.rater, now=NOW)
    assert taken() == 1


def test_a_late_submission_that_finds_a_place_is_counted_and_one_that_finds_none_is_not(batch):
    first, second = make_assignment(batch), make_assignment(batch)
    assert reopen_expired(batch=batch, now=LATER) == 2
    assert taken() == 0
    assert submit_all(first, now=LATER).state == "submitted"
    assert taken() == 1
    make_assignment(batch, now=LATER)
    assert submit_all(second, now=LATER).state == "surplus"
    assert taken() == 2


def test_a_place_taken_over_from_a_stale_claim_is_counted_once(batch):
    for _ in range(2):
        make_assignment(batch)
    make_assignment(batch, now=LATER)
    assert taken() == 1


def test_what_was_taken_before_places_were_counted_is_counted_at_the_upgrade(batch):
    make_assignment(batch)
    submit_all(make_assignment(batch))
    close_batch(batch=batch, now=NOW)
    Questionnaire.objects.update(taken=0)
    with connection.cursor() as cursor:
        cursor.execute(import_module("survey_site.survey.migrations.0005_open_claims").COUNT)
    assert taken() == 2


def test_a_claim_renewed_at_the_last_moment_sends_nobody_away(monkeypatch):
    """What PostgreSQL can do: an answer renews a stale claim between its choice and its release."""
    batch = make_batch(corpus=make_corpus(documents=2), raters=1)
    stale, late = make_assignment(batch), make_rater(batch)

    def renew(questionnaire, now):
        Assignment.objects.filter(pk=stale.pk).update(expires_at=now + timedelta(hours=1))
        release_stale_claims(questionnaire, now)

    monkeypatch.setattr("survey_site.survey.rating.places.release_stale_claims", renew)
    claim = claim_questionnaire(rater=late, now=LATER)
    assert claim.questionnaire.number == 2
    stale.refresh_from_db()
    assert stale.state == "open"


def test_reopening_asks_the_claims_themselves_whether_they_are_past_their_time(batch):
    make_assignment(batch)
    with CaptureQueriesContext(connection) as captured:
        assert reopen_expired(batch=batch, now=LATER) == 1
    (update,) = [one["sql"] for one in captured if one["sql"].startswith('UPDATE "survey_assignment"')]
    assert "SELECT" not in update
    assert '"survey_assignment"."expires_at" <' in update


def test_places_that_are_given_back_between_two_questions_are_seen(batch):
    make_assignment(batch), make_assignment(batch)
    newcomer, given_back = make_rater(batch), []

    def giving_back(execute, *asked):
        found = execute(*asked)
        if not given_back:
            given_back.append(True)
            given_back.append(reopen_expired(batch=batch, now=LATER))
        return found

    def between(question):
        given_back.clear()
        with transaction.atomic(), connection.execute_wrapper(giving_back):
            answer = question()
            transaction.set_rollback(True)
        return answer, given_back[1:]

    assert between(lambda: has_free_slots(batch, now=LATER)) == (True, [2])
    assert between(lambda: _count_claimable(newcomer, 1, LATER)) == (1, [2])


def test_questionnaires_that_are_left_are_counted_up_to_a_number(monkeypatch):
    monkeypatch.setattr(queries, "MOST_COUNTED", 2)
    batch = make_batch(corpus=make_corpus(documents=4), raters=1)
    newcomer = make_rater(batch)
    assert rater_progress(newcomer, now=NOW) == RaterProgress((), 2, many=True)
    for _ in range(2):
        make_assignment(batch)
    assert rater_progress(newcomer, now=NOW) == RaterProgress((), 2)
    assert rater_progress(newcomer, now=LATER) == RaterProgress((), 2, many=True)  # with what others lost
    for _ in range(2):
        make_assignment(batch)
    assert rater_progress(newcomer, now=NOW) == RaterProgress((), 0)
