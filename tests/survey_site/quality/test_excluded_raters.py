"""Whoever is excluded finishes what is open and is handed nothing more, and is not told why."""

import csv

import pytest
from django.test import Client

from survey_site.batches.services import launch_batch
from survey_site.quality.exports import excluded_lines
from survey_site.quality.services import exclude_rater, undo_exclusion
from survey_site.survey.models import Assignment, Rater
from survey_site.survey.people.participation import ParticipationSettings, save_participation
from survey_site.survey.queries import rater_progress
from survey_site.survey.rating.services import claim_questionnaire
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_assignment, make_rater, submit_all
from tests.survey_site.survey.pages.test_pages import answer_all
from tests.survey_site.survey.people.test_ways_in import enter, panel_link, url

pytestmark = pytest.mark.django_db


@pytest.fixture
def batch():
    return make_batch(corpus=make_corpus(documents=4))


def exclude(rater):
    return exclude_rater(rater=rater, reason="rates at random", now=NOW)


def test_an_excluded_rater_finishes_what_is_open_and_gets_no_more(batch):
    held = make_assignment(batch)
    rater = held.rater
    exclude(rater)
    assert claim_questionnaire(rater=rater, now=NOW) == held
    assert submit_all(held).state == "submitted"
    assert claim_questionnaire(rater=rater, now=NOW) is None
    assert rater.assignments.count() == 1
    progress = rater_progress(rater, now=NOW)
    assert (progress.available, progress.finished) == (0, True)
    assert make_assignment(batch).questionnaire == held.questionnaire


def test_undoing_the_exclusion_lets_them_go_on(batch):
    rater = submit_all(make_assignment(batch)).rater
    exclusion = exclude(rater)
    assert claim_questionnaire(rater=rater, now=NOW) is None
    undo_exclusion(exclusion=exclusion, now=NOW)
    assert claim_questionnaire(rater=rater, now=NOW) is not None


def test_nobody_else_is_held_back(batch):
    exclude(make_rater(batch))
    assert claim_questionnaire(rater=make_rater(batch), now=NOW) is not None


def test_the_last_page_says_that_nothing_is_left_and_not_why(batch):
    client, other = Client(), make_assignment(batch)
    address = enter(client, url("join", batch))
    exclude(Rater.objects.exclude(pk=other.rater_id).get())
    page = client.get(answer_all(client, address).url)
    text = page.content.decode()
    assert "There is nothing left for you to do." in text
    assert [
        word for word in ("exclu", "rates at random", "Next questionnaire", "Try again") if word in text
    ] == []
    assert client.post(url("start", batch)).url == url("done", batch)
    assert Assignment.objects.count() == 2


@pytest.mark.parametrize(
    ("limit", "failed_code", "shown"),
    [
        (2, "FAILED-3", "FAILED-3"),
        (2, "", "COMPLETED-1"),
        (1, "FAILED-3", "COMPLETED-1"),
        (None, "FAILED-3", "COMPLETED-1"),
    ],
)
def test_a_panel_member_who_is_cut_short_gets_the_code_for_failed_checks(limit, failed_code, shown):
    """Who had all that a panel asks for before the exclusion keeps the code that they may have seen."""
    batch = make_batch(corpus=make_corpus(documents=4), launched=False)
    codes = {"completed_code": "COMPLETED-1", "no_place_code": "NOPLACE-2", "failed_code": failed_code}
    failed = {"failed_controls": 1 if failed_code else None}
    settings = ParticipationSettings(entry="panel", limit=limit, **codes, **failed)
    save_participation(batch=batch, settings=settings, now=NOW)
    launch_batch(batch=batch, now=NOW)
    client = Client()
    answer_all(client, enter(client, panel_link(batch)))
    exclude(Rater.objects.get())
    text = client.get(panel_link(batch), follow=True).content.decode()
    assert [code for code in ("COMPLETED-1", "NOPLACE-2", "FAILED-3") if code in text] == [shown]


def test_who_has_reached_the_limit_is_not_told_to_wait_for_a_place():
    batch = make_batch(corpus=make_corpus(documents=2), launched=False)
    save_participation(batch=batch, settings=ParticipationSettings(limit=1), now=NOW)
    launch_batch(batch=batch, now=NOW)
    client = Client()
    done = answer_all(client, enter(client, url("join", batch))).url
    enter(Client(), url("join", batch))
    text = client.get(done).content.decode()
    assert ("There is nothing left for you to do." in text, "Try again" in text) == (True, False)


def test_a_spreadsheet_reads_no_reason_as_a_formula(batch):
    rater = submit_all(make_assignment(batch)).rater
    exclude_rater(rater=rater, reason="=1+1", now=NOW)
    rows = list(csv.DictReader(excluded_lines(batch)))
    assert {row["reason"] for row in rows} == {"'=1+1"}
