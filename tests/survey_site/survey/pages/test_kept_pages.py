"""The first page and a fresh questionnaire are the same, kept or put together by Django's way."""

import re
from datetime import timedelta

import pytest
from django.test import Client

from survey_site.accounts.models import User
from survey_site.batches.services import launch_batch, pause_batch
from survey_site.batches.states import Scale
from survey_site.common import kept
from survey_site.corpus.models import Document, Reference, Summary
from survey_site.survey import queries
from survey_site.survey.people.participation import ParticipationSettings, save_participation
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.survey_site.survey.pages.test_pages import answer_all, codes, start, url

pytestmark = pytest.mark.django_db
NASTY = "\"'><b onmouseover=alert(1)>&amp; & {{ body }} {0} %(left)s \\1"
OF_ITS_OWN = re.compile(
    r'(name="csrfmiddlewaretoken" value|name="key" value|data-now)="[^"]+"'  # drawn anew each time
)


def plain(page):
    """A page without what differs each time it is asked for, and without spaces at the ends of lines."""
    lines = OF_ITS_OWN.sub(r"\1", page.content.decode()).splitlines()
    return page.status_code, [line.strip() for line in lines if line.strip()]


def both_ways(client, address):
    """The page twice, put together once and kept the second time; and by Django's way, as for staff."""
    client.cookies.pop("messages", None)
    before = kept._kept_pages.cache_info()
    pages = [plain(client.get(address)) for _ in range(2)]
    after = kept._kept_pages.cache_info()
    assert (after.hits - before.hits, after.misses - before.misses) in {(1, 1), (2, 0)}
    client.cookies["messages"] = "none that can be read"
    pages.append(plain(client.get(address)))
    assert kept._kept_pages.cache_info() == after
    client.cookies.pop("messages")
    return pages


def fill(corpus, text):
    """Titles, articles and texts that would do harm, or none."""
    Document.objects.filter(corpus=corpus).update(
        title=text, body=f"{text}\n\n{text}\nand on" if text else ""
    )
    for model in (Reference, Summary):
        model.objects.filter(document__corpus=corpus).update(text=text)


BATCHES = {
    "plain": {},
    "two languages": {"languages": ["en", "ar"]},
    "in Arabic": {"languages": ["ar", "en"]},
    "equal pairs once": {"equal_pairs_once": True},
    "one typography": {"one_typography": True},
    "no marks": {"marks_allowed": False},
    "dissimilarity": {"scale": Scale.DISSIMILARITY, "question": "How <i>far</i> apart?"},
    "no document": {"document_shown": False},
    "own words": {"instructions": f"First.\n\n{NASTY}", "high_label": NASTY},
}
WAYS_IN = {
    "plain": {},
    "everything": {
        "limit": 2,
        "practice": True,
        "asks_name": True,
        "researchers": NASTY,
        "contact": "a@b.org",
    },
    "panel": {
        "limit": 3,
        "completed_code": "DONE",
        "partial_code": "PART",
        "questions": ["gender"],
    },
}


@pytest.mark.parametrize("text", ["A text.", NASTY, "", "long " * 700])
@pytest.mark.parametrize("settings", BATCHES.values(), ids=BATCHES)
def test_kept_and_not_kept_a_questionnaire_is_the_same(settings, text):
    corpus = make_corpus(documents=2, systems=2)
    fill(corpus, text)
    batch = make_batch(corpus=corpus, **settings)
    for _ in range(2):  # another rater has other codes and another order
        client = Client()
        first, second, django = both_ways(client, start(client, batch).url)
        assert first == second == django
        assert kept._MARK not in str(first)


@pytest.mark.parametrize("way_in", WAYS_IN.values(), ids=WAYS_IN)
@pytest.mark.parametrize("settings", BATCHES.values(), ids=BATCHES)
def test_kept_and_not_kept_a_first_page_is_the_same(settings, way_in):
    batch = make_batch(corpus=make_corpus(documents=2), launched=False, **settings)
    save_participation(batch=batch, settings=ParticipationSettings(**way_in), now=NOW)
    launch_batch(batch=batch, now=NOW)
    for language in batch.languages:
        client = Client(headers={"accept-language": language})
        first, second, django = both_ways(client, url("join", batch))
        assert first == second == django
        assert kept._MARK not in str(first)


def test_a_first_page_follows_what_becomes_of_its_batch(client):
    """All that changes with it is what the page is kept by."""
    batch = make_batch(corpus=make_corpus(documents=1), raters=1)
    address = url("join", batch)
    open_page = plain(client.get(address))
    pause_batch(batch=batch, now=NOW)
    paused = both_ways(client, address)
    assert paused[0] == paused[1] == paused[2] != open_page
    assert "This survey is paused for now" in str(paused[0])


def test_keys_and_tokens_of_a_kept_page_are_each_visitors_own(client):
    batch = make_batch(corpus=make_corpus(documents=2))
    pages = [one.get(url("join", batch)).content.decode() for one in (client, Client())]
    keys = [re.findall(r'name="key" value="([^"]+)"', page) for page in pages]
    tokens = [re.findall(r'name="csrfmiddlewaretoken" value="([^"]+)"', page) for page in pages]
    assert [len(found) for found in (*keys, *tokens)] == [1, 1, 1, 1]
    assert keys[0] != keys[1]
    assert tokens[0] != tokens[1]
    strict = Client(enforce_csrf_checks=True)
    page = strict.get(url("join", batch)).content.decode()
    sent = {name: of_form(page, name) for name in ("csrfmiddlewaretoken", "key")}
    assert strict.post(url("start", batch), sent | {"csrfmiddlewaretoken": "x" * 64}).status_code == 403
    questionnaire = strict.post(url("start", batch), sent).url
    page = strict.get(questionnaire)
    sent = {"csrfmiddlewaretoken": of_form(page.content.decode(), "csrfmiddlewaretoken")}
    sent |= {"item": codes(page)[0].removeprefix("rating-"), "value": 2}
    assert strict.post(f"{questionnaire}rate/", sent).json() == {"value": 2}


def of_form(page, name):
    return re.findall(rf'name="{name}" value="([^"]+)"', page)[-1]


def test_what_was_answered_or_written_is_shown_by_djangos_way(client):
    batch = make_batch(corpus=make_corpus(documents=2))
    address = start(client, batch).url
    fresh = client.get(address)
    item = codes(fresh)[0].removeprefix("rating-")
    client.post(f"{address}rate/", {"comment": "my remark"})
    before = kept._kept_pages.cache_info()
    assert "my remark" in client.get(address).content.decode()
    client.post(f"{address}rate/", {"comment": ""})
    client.post(f"{address}rate/", {"item": item, "value": 6})
    assert f'name="rating-{item}" value="6" checked' in client.get(address).content.decode()
    assert kept._kept_pages.cache_info() == before


def test_who_is_logged_in_sees_their_messages(client, admin_user):
    batch = make_batch(corpus=make_corpus(documents=2))
    client.force_login(User.objects.get(pk=admin_user.pk))
    before = kept._kept_pages.cache_info()
    assert client.get(url("join", batch)).status_code == 200
    assert kept._kept_pages.cache_info() == before


def test_a_first_page_without_a_form_sets_no_cookie(client):
    over = make_batch(closes_at=NOW + timedelta(hours=1))  # long past
    page = client.get(url("join", over))
    assert ("This survey is closed" in page.content.decode(), dict(client.cookies)) == (True, {})
    client.get(url("join", make_batch()))
    assert list(client.cookies) == ["csrftoken"]


def test_pages_name_no_number_where_more_is_left_than_is_counted(client, monkeypatch):
    monkeypatch.setattr(queries, "MOST_COUNTED", 1)
    batch = make_batch(corpus=make_corpus(documents=3))
    address = start(client, batch).url
    first, second, django = both_ways(client, address)
    assert first == second == django
    assert re.findall(r"Questionnaire 1 \S+", str(first)) == ["Questionnaire 1 ·"]
    answer_all(client, address)
    last = client.get(url("done", batch)).content.decode()
    assert "There are many more that you could do." in last
    first, second, django = both_ways(client, start(client, batch).url)
    assert first == second == django
    assert "Questionnaire 2 of about 3 ·" in str(first)
