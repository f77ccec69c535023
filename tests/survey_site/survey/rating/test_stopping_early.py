"""What panel members who end before a code is due are told to do on the panel's side."""

import re

import pytest
from django.test import Client

from survey_site.batches.services import close_batch, pause_batch, resume_batch
from tests.factories.batches import NOW
from tests.survey_site.survey.pages.test_pages import answer_all
from tests.survey_site.survey.people.test_ways_in import enter, panel_link, url
from tests.survey_site.survey.rating.test_ending import CODES, make_ending_batch

pytestmark = pytest.mark.django_db
RETURN = "Please return your submission on the panel"
PARTIAL = "PARTIAL-3"


def text_of(response):
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def start(**settings):
    """A panel member with the first questionnaire open: the batch, the client and the page's address."""
    batch = make_ending_batch(**{"entry": "panel", "limit": 2, "documents": 3} | CODES | settings)
    client = Client()
    return batch, client, enter(client, panel_link(batch))


def stop(client, batch):
    return text_of(client.post(url("stop", batch), follow=True))


def said(text):
    """Which of the codes stand on a page, and whether it asks to return the submission."""
    return [code for code in (*CODES.values(), PARTIAL) if code in text], RETURN in text


@pytest.mark.parametrize("partial_code", ["", PARTIAL])
def test_who_stops_before_the_first_is_submitted_is_asked_to_return(partial_code):
    batch, client, _ = start(partial_code=partial_code)
    leave = text_of(client.get(url("leave", batch)))
    assert "No code is due yet: if you stop now, please return your submission on the panel." in leave
    assert said(text_of(client.get(url("done", batch)))) == ([], False)
    stopped = stop(client, batch)
    assert said(stopped) == ([], True)
    assert ("Thank you!" in stopped, "go on whenever you like" in stopped) == (True, False)


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
        ({}, ["Your code for the panel is shown after 2 questionnaires."]),
        ({"limit": None}, ["Your code for the panel is shown after 1 questionnaire."]),
        ({"completed_code": ""}, []),
    ],
)
def test_the_first_page_says_when_the_code_comes(settings, shown):
    batch, *_ = start(**settings)
    page = text_of(Client().get(panel_link(batch, person="new"), follow=True))
    assert re.findall(r"Your code for the panel .*?\.", page) == shown


def test_who_stops_after_some_gets_the_code_for_it():
    batch, client, address = start(partial_code=PARTIAL, return_address="https://p.example/?cc={code}")
    done = text_of(client.get(answer_all(client, address).url))
    assert "Your code for the panel is shown after 2 questionnaires." in done
    assert said(done) == ([], False)
    leave = text_of(client.get(url("leave", batch)))
    assert "You are then shown a code for stopping early" in leave
    assert said(leave) == ([], False)
    page = client.post(url("stop", batch), follow=True)
    assert said(text_of(page)) == ([PARTIAL], False)
    assert f'href="https://p.example/?cc={PARTIAL}"' in page.content.decode()
    answer_all(client, enter(client, panel_link(batch)))
    assert said(text_of(client.get(url("done", batch)))) == (["COMPLETED-1"], False)


def test_without_a_code_for_it_who_stops_after_some_is_asked_to_return():
    batch, client, address = start()
    answer_all(client, address)
    assert "No code is due yet: if you stop now" in text_of(client.get(url("leave", batch)))
    assert said(stop(client, batch)) == ([], True)


def test_who_has_completed_is_asked_nothing_more():
    batch, client, address = start(limit=1, partial_code=PARTIAL)
    answer_all(client, address)
    leave = text_of(client.get(url("leave", batch)))
    assert ("No code is due" in leave, "stopping early" in leave) == (False, False)
    assert said(stop(client, batch)) == (["COMPLETED-1"], False)
    batch, client, address = start(limit=1, completed_code="")
    answer_all(client, address)
    assert said(stop(client, batch)) == ([], False)


def test_who_finds_nothing_left_is_asked_to_return_where_no_code_says_so():
    batch, client, _ = start(no_place_code="")
    client.post(url("stop", batch))
    close_batch(batch=batch, now=NOW)
    assert said(text_of(client.get(url("done", batch)))) == ([], True)


def test_who_declines_or_withdraws_is_asked_to_return():
    batch, client, _ = start()
    new = Client()
    new.get(panel_link(batch, person="new"), follow=True)
    assert said(text_of(new.get(url("declined", batch)))) == ([], True)
    assert said(text_of(client.post(url("withdraw", batch), follow=True))) == ([], True)


def test_who_withdraws_after_completing_has_had_a_code():
    batch, client, address = start(limit=1)
    answer_all(client, address)
    assert said(text_of(client.post(url("withdraw", batch), follow=True))) == ([], False)


def test_nobody_but_panel_members_reads_of_panels():
    batch = make_ending_batch(limit=2, partial_code=PARTIAL)
    client = Client()
    enter(client, url("join", batch))
    pages = [text_of(client.get(url(name, batch))) for name in ("join", "done", "leave", "declined")]
    pages += [stop(client, batch), text_of(client.post(url("withdraw", batch), follow=True))]
    assert [("panel" in page, *said(page)) for page in pages] == [(False, [], False)] * 6


def test_while_the_batch_is_paused_nothing_is_offered_that_is_not_handed_out():
    batch, client, address = start()
    answer_all(client, address)
    pause_batch(batch=batch, now=NOW)
    page = text_of(client.get(url("done", batch)))
    assert "No questionnaires are handed out at the moment. Please come back later" in page
    assert ("Next questionnaire" in page, "Thank you!" in page) == (False, True)
    other = Client()
    resume_batch(batch=batch, now=NOW)
    enter(other, panel_link(batch, person="other"))
    pause_batch(batch=batch, now=NOW)
    assert "Your questionnaire is waiting" in text_of(other.get(url("done", batch)))
    assert "This survey is paused for now" in stop(other, batch)


@pytest.mark.parametrize(("partial_code", "codes"), [(PARTIAL, [PARTIAL]), ("", [])])
def test_after_stopping_early_nothing_but_what_to_take_back_is_offered(partial_code, codes):
    """Who went on after handing the code in would work unpaid."""
    batch, client, address = start(partial_code=partial_code)
    answer_all(client, address)
    fold = "<details"
    before = client.get(url("done", batch)).content.decode()
    assert (fold in before, "Next questionnaire" in before) == (False, True)
    page = client.post(url("stop", batch), follow=True).content.decode()
    assert said(page)[0] == codes
    shown, folded = page.split(fold, 1)
    assert ("Next questionnaire" in shown, "Next questionnaire" in folded) == (False, True)
    assert "Changed your mind?" in folded
