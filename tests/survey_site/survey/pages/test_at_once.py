"""A form whose page has a script is answered with the questionnaire itself, the same as at its address."""

import pytest
from django.db import OperationalError
from django.test import Client

from survey_site.survey.models import Assignment, Rater
from survey_site.survey.pages import rating_page
from tests.factories.batches import make_batch
from tests.factories.corpus import make_corpus
from tests.survey_site.survey.pages.test_kept_pages import BATCHES, NASTY, fill, of_form, plain
from tests.survey_site.survey.pages.test_pages import answer_all, codes, join_key, start, url
from tests.survey_site.survey.pages.test_practice import make_practice_batch

pytestmark = pytest.mark.django_db
AT_ONCE = {"at_once": "yes"}


def same_as_at_its_address(client, response):
    """The page's address, at which the same is shown."""
    address = response["Content-Location"]
    assert response.status_code == 200
    assert plain(response) == plain(client.get(address))
    return address


@pytest.mark.parametrize("settings", BATCHES.values(), ids=BATCHES)
def test_the_first_questionnaire_is_shown_at_once(client, settings):
    corpus = make_corpus(documents=2, systems=2)
    fill(corpus, NASTY)
    batch = make_batch(corpus=corpus, **settings)
    response = start(client, batch, **AT_ONCE)
    code = Assignment.objects.get().code
    assert same_as_at_its_address(client, response) == url("questionnaire", batch, code)
    assert client.cookies["rater"]["path"] == url("join", batch)


def test_in_another_language_the_page_leads_back_to_itself():
    batch = make_batch(languages=["en", "ar"])
    client = Client(headers={"accept-language": "ar"})
    response = start(client, batch, **AT_ONCE)
    address = same_as_at_its_address(client, response)
    assert ('<html lang="ar"' in response.content.decode()) is True
    assert of_form(response.content.decode(), "next") == address


def test_what_is_open_is_shown_at_once_with_its_answers(client):
    batch = make_batch(corpus=make_corpus(documents=2), languages=["en", "ar"])
    address = start(client, batch).url
    item = codes(client.get(address))[0].removeprefix("rating-")
    client.post(f"{address}rate/", {"item": item, "value": 6})
    response = start(client, batch, **AT_ONCE)
    assert same_as_at_its_address(client, response) == address
    assert f'name="rating-{item}" value="6" checked' in response.content.decode()
    assert of_form(response.content.decode(), "next") == address


def test_the_next_questionnaire_is_shown_at_once_and_then_the_end_by_its_address(client):
    batch = make_batch(corpus=make_corpus(documents=2))
    answer_all(client, start(client, batch).url)
    response = client.post(url("start", batch), AT_ONCE)
    address = same_as_at_its_address(client, response)
    assert "Questionnaire 2 of about 2" in response.content.decode()
    assert answer_all(client, address).url == url("done", batch)
    assert client.post(url("start", batch), AT_ONCE).url == url("done", batch)


def test_questions_and_practice_come_by_their_address_and_what_follows_at_once(client):
    batch = make_practice_batch(questions=["age"], corpus=make_corpus(documents=2))
    assert start(client, batch, **AT_ONCE).url == url("about", batch)
    assert client.post(url("about", batch), {"age": "", **AT_ONCE}).url == url("practice", batch)
    response = client.post(url("start", batch), {"practised": "yes", **AT_ONCE})
    same_as_at_its_address(client, response)
    asked_only = make_practice_batch(practice=False, questions=["age"], corpus=make_corpus(documents=2))
    assert start(client, asked_only, **AT_ONCE).url == url("about", asked_only)
    same_as_at_its_address(client, client.post(url("about", asked_only), {"age": "", **AT_ONCE}))


def test_a_double_click_shows_one_questionnaire_twice():
    batch, clients = make_batch(), (Client(), Client())
    key = join_key(clients[0].get(url("join", batch)))
    pages = [one.post(url("start", batch), {"key": key, **AT_ONCE}) for one in clients]
    assert pages[0]["Content-Location"] == pages[1]["Content-Location"]
    assert plain(pages[0]) == plain(pages[1])
    assert (Rater.objects.count(), Assignment.objects.count()) == (1, 1)


def test_who_opens_the_address_of_a_start_is_led_to_the_first_page(client):
    batch = make_batch()
    assert client.get(url("start", batch)).url == url("join", batch)
    start(client, batch)
    assert client.head(url("start", batch)).url == url("join", batch)
    assert Assignment.objects.count() == 1


def test_a_newcomer_whose_page_cannot_be_read_keeps_their_place(client, monkeypatch):
    """The database was lost right after the claim: the address comes, with the cookie that leads back."""
    batch, asked = make_batch(), []

    def lose(*_):
        asked.append(True)
        raise OperationalError("terminating connection due to administrator command")

    with monkeypatch.context() as patch:
        patch.setattr(rating_page, "read_shown", lose)
        response = start(client, batch, **AT_ONCE)
    assert asked == [True]
    assert response.url == url("questionnaire", batch, Assignment.objects.get().code)
    assert client.get(response.url).status_code == 200
