"""The list of batches: searched, narrowed, ordered."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from survey_site.batches.services import close_batch, pause_batch
from survey_site.quality.freezing import freeze_batch
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_assignment, submit_all
from tests.survey_site.desk.batches.pages import page_text, url

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


@pytest.fixture
def batches():
    news, books = make_corpus(name="News"), make_corpus(name="Books")
    make_batch(name="beta", corpus=news, launched=False)
    make_batch(name="alpha", corpus=books)
    pause_batch(batch=make_batch(name="gamma", corpus=books), now=NOW)
    frozen = make_batch(name="delta", corpus=news)
    submit_all(make_assignment(frozen))
    freeze_batch(batch=close_batch(batch=frozen, now=NOW), clock=lambda: NOW)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", ["delta", "gamma", "alpha", "beta"]),
        ("?sort=oldest", ["beta", "alpha", "gamma", "delta"]),
        ("?sort=name", ["alpha", "beta", "delta", "gamma"]),
        ("?sort=state", ["gamma", "alpha", "beta", "delta"]),
        ("?q=NEWS", ["delta", "beta"]),
        ("?q=alp", ["alpha"]),
        ("?state=live", ["gamma", "alpha"]),
        ("?state=paused", ["gamma"]),
        ("?state=closed", ["delta"]),
        ("?state=frozen", ["delta"]),
        ("?state=draft&q=news", ["beta"]),
        ("?state=nonsense", ["delta", "gamma", "alpha", "beta"]),
    ],
)
def test_the_list_is_narrowed_and_ordered(researcher_client, batches, query, names):
    response = researcher_client.get(reverse("batches:list") + query)
    assert [one.name for one in response.context["page"]] == names


@pytest.mark.parametrize("address", ["/batches/", "/"])
def test_a_live_batch_outside_of_its_window_says_so(researcher_client, address):
    """Raters get nothing of it then, whatever its state is called."""
    corpus, today = make_corpus(), timezone.now()
    for name, window in {
        "early": {"opens_at": today + DAY},
        "open": {"opens_at": today - DAY, "closes_at": today + DAY},
        "over": {"closes_at": today - DAY},
        "any time": {},
    }.items():
        make_batch(name=name, corpus=corpus, **window)
    make_batch(name="draft", corpus=corpus, launched=False, opens_at=today + DAY)
    page = researcher_client.get(address).content.decode()
    assert badges(page) == {
        "early": ["Live", "Not open yet"],
        "open": ["Live"],
        "over": ["Live", "Time is over"],
        "any time": ["Live"],
        "draft": ["Draft"],
    }


def badges(page):
    """By name of a batch, what its row says of its state."""
    rows = re.findall(r'<a href="/batches/\d+/">([\w ]+)</a></th>(.+?)</tr>', page, flags=re.DOTALL)
    return {name: re.findall(r'class="badge[^>]*>([^<]+)<', row) for name, row in rows}


def test_where_nothing_fits_all_are_a_click_away(researcher_client, batches):
    page = researcher_client.get(reverse("batches:list") + "?q=omega").content.decode()
    assert ("No batch matches." in page, "No batch yet" in page) == (True, False)


@pytest.mark.parametrize("batches", [1, 3])
def test_the_list_takes_the_same_queries_for_any_number(
    researcher_client, batches, django_assert_num_queries
):
    corpus = make_corpus()
    for _ in range(batches):
        submit_all(make_assignment(make_batch(corpus=corpus)))
    with django_assert_num_queries(7):
        page = researcher_client.get(url("list"))
    assert page_text(page).count("1 of 4") == batches


def test_an_empty_list_says_what_to_do(admin_client, researcher_client):
    assert "Plan a batch" in page_text(admin_client.get(url("list")))
    assert "Ask one to plan the first" in page_text(researcher_client.get(url("list")))
