"""How a survey receives somebody who opens its link, without a page."""

from datetime import timedelta

import pytest

from survey_site.batches.models import Batch
from survey_site.batches.services import close_batch, launch_batch, pause_batch, resume_batch
from survey_site.survey.models import Rater
from survey_site.survey.pages.access import Visit
from survey_site.survey.pages.arrival import Way, arrive
from survey_site.survey.people.identity import panel_secret
from survey_site.survey.people.participation import (
    ParticipationSettings,
    read_participation,
    save_participation,
)
from survey_site.survey.rating.leaving import withdraw_rater
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_assignment, make_rater, submit_all
from tests.survey_site.survey.pages.test_pages import join_key
from tests.survey_site.survey.people.test_ways_in import enter, panel_link, url

pytestmark = pytest.mark.django_db


def panel_batch(*, documents=1, **settings):
    batch = make_batch(corpus=make_corpus(documents=documents), raters=1, launched=False)
    settings = {"no_place_code": "FULL", "completed_code": "DONE"} | settings
    wanted = ParticipationSettings(entry="panel", **settings)
    save_participation(batch=batch, settings=wanted, now=NOW)
    return launch_batch(batch=batch, now=NOW)


def received(batch, *, secret=None, rater=None, now=NOW):
    rater = rater and Rater.objects.get(pk=rater.pk)
    return arrive(Visit(batch, secret, rater), read_participation(batch), now=now)


def test_a_newcomer_is_asked_to_agree():
    arrival = received(make_batch())
    assert (arrival.way, arrival.status, arrival.over) == (Way.FIRST_PAGE, 200, False)
    assert arrival.consent is not None
    assert arrival.progress is None


def test_who_has_agreed_goes_on_without_being_asked():
    batch = make_batch()
    arrival = received(batch, rater=make_rater(batch))
    assert (arrival.way, arrival.consent, arrival.progress.done) == (Way.FIRST_PAGE, None, 0)


def test_who_comes_without_the_link_that_is_asked_for_is_not_let_in():
    arrival = received(panel_batch())
    assert (arrival.way, arrival.status) == (Way.LINK_NEEDED, 403)


def test_a_panel_member_who_finds_no_slot_gets_the_code_for_it():
    batch = panel_batch()
    make_assignment(batch, rater=make_rater(batch, entry="panel"))
    arrival = received(batch, secret=panel_secret(batch, "somebody"))
    assert (arrival.way, arrival.status, arrival.ending.code) == (Way.TOO_LATE, 200, "FULL")


def test_who_has_nothing_left_to_do_is_done():
    batch = make_batch(corpus=make_corpus(documents=1), raters=2)
    finished, withdrawn = make_rater(batch), make_rater(batch)
    for questionnaire in range(batch.questionnaires.count()):
        submit_all(make_assignment(batch, rater=finished, now=NOW + timedelta(minutes=questionnaire)))
    withdraw_rater(rater=withdrawn, now=NOW)
    assert [received(batch, rater=one).way for one in (finished, withdrawn)] == [Way.DONE] * 2


def test_after_the_end_the_first_page_is_gone():
    batch = close_batch(batch=make_batch(), now=NOW)
    arrival = received(batch)
    assert (arrival.way, arrival.status, arrival.over) == (Way.FIRST_PAGE, 410, True)


def paused(batch):
    return pause_batch(batch=batch, now=NOW)


def early(batch):
    Batch.objects.filter(pk=batch.pk).update(opens_at=NOW + timedelta(days=36500))
    return Batch.objects.get(pk=batch.pk)


def over(batch):
    return close_batch(batch=batch, now=NOW)


@pytest.mark.parametrize("shut", [paused, early, over])
def test_a_panel_member_whom_the_survey_does_not_let_in_is_told_what_to_do(shut):
    with_code, without = shut(panel_batch()), shut(panel_batch(no_place_code=""))
    arrival = received(with_code, secret=panel_secret(with_code, "somebody"))
    assert (arrival.way, arrival.ending.code) == (Way.TOO_LATE, "FULL")
    arrival = received(without, secret=panel_secret(without, "somebody"))
    assert (arrival.way, arrival.ending, arrival.returned) == (Way.FIRST_PAGE, None, True)


@pytest.mark.parametrize("shut", [paused, early, over])
def test_nobody_else_is_sent_to_a_panel(shut):
    arrival = received(shut(make_batch()))
    assert (arrival.way, arrival.ending, arrival.due, arrival.returned) == (Way.FIRST_PAGE, None, None, False)


def test_who_has_agreed_and_begun_nothing_is_told_the_same_in_a_pause():
    batch = panel_batch()
    rater = make_rater(batch, entry="panel")
    arrival = received(paused(batch), secret=panel_secret(batch, "somebody"), rater=rater)
    assert (arrival.way, arrival.ending.code) == (Way.TOO_LATE, "FULL")


def test_who_has_done_some_hears_in_a_pause_when_the_code_comes_and_who_has_done_enough_has_it():
    batch = panel_batch(documents=3, limit=2)
    rater = make_rater(batch, entry="panel")
    submit_all(make_assignment(batch, rater=rater))
    secret = panel_secret(batch, "somebody")
    arrival = received(paused(batch), secret=secret, rater=rater)
    assert (arrival.paused, arrival.ending, arrival.due.after, arrival.returned) == (True, None, 2, False)
    resumed = resume_batch(batch=batch, now=NOW)
    make_assignment(resumed, rater=rater)
    arrival = received(paused(resumed), secret=secret, rater=rater)
    assert (arrival.way, arrival.paused, arrival.due) == (Way.FIRST_PAGE, False, None)


@pytest.mark.parametrize("shut", [paused, early])
@pytest.mark.parametrize(("code", "words"), [("FULL", "FULL"), ("", "Please return your submission")])
def test_the_page_of_a_panel_member_says_so_wherever_they_go_on(client, shut, code, words):
    batch = panel_batch(no_place_code=code)
    form = client.get(panel_link(batch), follow=True)
    shut(batch)
    for page in (
        client.post(url("start", batch), {"key": join_key(form)}, follow=True),
        client.get(url("join", batch)),
    ):
        assert words in page.content.decode()
    assert Rater.objects.count() == 0


def test_who_is_to_return_their_submission_is_not_asked_to_come_back(client):
    page = client.get(panel_link(early(panel_batch(no_place_code=""))), follow=True).content.decode()
    told = ("Please return your submission" in page, "It opens on" in page, "come back" in page)
    assert told == (True, True, False)


def test_the_last_page_in_a_pause_says_it_too(client):
    batch = panel_batch(no_place_code="", questions=["age"])
    enter(client, panel_link(batch))
    paused(batch)
    page = client.get(url("done", batch), follow=True).content.decode()
    assert ("Please return your submission" in page, "paused" in page) == (True, True)
