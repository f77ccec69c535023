"""How a survey receives somebody who opens its link, without a page."""

from datetime import timedelta

import pytest

from survey_site.batches.services import close_batch, launch_batch
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

pytestmark = pytest.mark.django_db


def panel_batch(**settings):
    batch = make_batch(corpus=make_corpus(documents=1), raters=1, launched=False)
    wanted = ParticipationSettings(entry="panel", no_place_code="FULL", completed_code="DONE", **settings)
    save_participation(batch=batch, settings=wanted, now=NOW)
    return launch_batch(batch=batch, now=NOW)


def received(batch, *, secret=None, rater=None, now=NOW):
    rater = rater and Rater.objects.get(pk=rater.pk)
    return arrive(Visit(batch, secret, rater), read_participation(batch), now=now)


def test_a_newcomer_is_asked_to_agree():
    arrival = received(make_batch())
    assert (arrival.way, arrival.status, arrival.late, arrival.over) == (Way.FIRST_PAGE, 200, False, False)
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
    assert (arrival.way, arrival.status, arrival.late, arrival.over) == (Way.FIRST_PAGE, 410, True, True)
