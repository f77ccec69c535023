"""How much each of a rater's requests asks of the database, so that nothing creeps in unseen."""

from contextlib import contextmanager

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from survey_site.survey.models import Rating
from tests.factories.batches import make_batch
from tests.factories.corpus import make_corpus
from tests.survey_site.survey.pages.test_pages import codes, join_key, start, url

pytestmark = pytest.mark.django_db
START = 9
FIRST_START = START + 5  # who comes first has the text stored that is agreed to
AROUND = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE SAVEPOINT")


@contextmanager
def statements(most):
    """Statements but for those that begin and end transactions, which a test's own transaction changes."""
    with CaptureQueriesContext(connection) as captured:
        yield
    asked = [one["sql"] for one in captured if not one["sql"].startswith(AROUND)]
    assert len(asked) == most, "\n".join(asked)


def test_a_rating_takes_four_statements(client):
    batch = make_batch(corpus=make_corpus(documents=1, systems=6), systems_per_questionnaire=6)
    page = start(client, batch).url
    item = codes(client.get(page))[0].removeprefix("rating-")
    for turn, value in enumerate((3, 3, 5), start=1):
        sent = {"item": item, "value": value, "tab": "t", "turn": turn}
        with statements(4):
            assert client.post(f"{page}rate/", sent).json() == {"value": value}
    assert Rating.objects.get().value == 5


@pytest.mark.parametrize("documents", [3, 9])
def test_a_questionnaire_takes_as_many_statements_in_a_batch_of_any_size(client, documents):
    batch = make_batch(corpus=make_corpus(documents=documents, systems=2))
    with statements(6):
        client.get(url("join", batch))
    with statements(2):  # how much there is to read is known by now, and the examples, too
        page = client.get(url("join", batch))
    with statements(FIRST_START):
        page = client.post(url("start", batch), {"key": join_key(page)}).url
    other = Client()
    key = join_key(other.get(url("join", batch)))
    with statements(START):
        assert other.post(url("start", batch), {"key": key}).status_code == 302
    third = Client()
    asked = {"key": join_key(third.get(url("join", batch))), "at_once": "yes"}
    with statements(START + 4):
        assert third.post(url("start", batch), asked).status_code == 200
    with statements(5):
        names = codes(client.get(page))
    with statements(11):  # the last asks who is to be told of it
        assert client.post(page, dict.fromkeys(names, 4)).status_code == 302
    with statements(3):
        assert client.get(url("done", batch)).status_code == 200


def test_a_control_takes_a_statement_for_each_text_that_is_another_one(client):
    batch = make_batch(corpus=make_corpus(documents=3), identical_share=100, unrelated_share=100)
    page = start(client, batch).url
    with statements(5 + 1 + 2):  # one text met twice, and two texts on two documents
        client.get(page)


def test_a_page_that_is_opened_again_takes_no_more(client):
    batch = make_batch(corpus=make_corpus(documents=1, systems=2))
    page = start(client, batch).url
    item = codes(client.get(page))[0].removeprefix("rating-")
    client.post(f"{page}rate/", {"item": item, "value": 3})
    with statements(5):
        client.get(page)
