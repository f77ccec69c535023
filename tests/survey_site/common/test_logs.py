"""No log holds a rater's link or address, whoever writes into it. The lines are those of the real handler."""

import io
import logging

import pytest
from django.http import HttpResponseServerError
from django.test import Client
from django.urls import path, reverse
from django.utils.log import log_response

from survey_site.batches.services import pause_batch
from survey_site.common.logs import RouteFilter
from tests.factories.batches import NOW, make_batch
from tests.survey_site.survey.pages.test_pages import join_key

TOKEN = "a-secret-token"


def broken(_request, **_kwargs):
    raise ZeroDivisionError("no")


urlpatterns = [path("", broken), path("s/<str:token>/start/", broken)]


@pytest.fixture
def lines():
    """What the handler writes, without the times."""
    (handler,) = [one for one in logging.getLogger().handlers if any(map(is_ours, one.filters))]
    stream, formatter = io.StringIO(), handler.formatter
    before = handler.setStream(stream)
    handler.setFormatter(logging.Formatter("%(name)s %(message)s"))
    yield lambda: stream.getvalue().splitlines()
    handler.setFormatter(formatter)
    handler.setStream(before)


def is_ours(one):
    return isinstance(one, RouteFilter)


def test_a_refused_form_is_logged_by_its_route(lines):
    response = Client(enforce_csrf_checks=True).post(f"/s/{TOKEN}/start/?i=1", {})
    assert response.status_code == 403
    written = [line for line in lines() if line.startswith("django")]
    assert written == ["django.security.csrf Forbidden (CSRF cookie not set.): /s/<str:token>/start/"]


@pytest.mark.parametrize(
    ("address", "route"), [(f"/s/{TOKEN}/start/?i=é", "/s/<str:token>/start/"), ("/", "/")]
)
def test_a_failure_is_logged_by_its_route(address, route, lines, settings):
    settings.ROOT_URLCONF = __name__
    assert Client(raise_request_exception=False).get(address).status_code == 500
    written = [line for line in lines() if line.startswith("django.request")]
    assert written == [f"django.request Internal Server Error: {route}"]
    assert [line for line in lines() if TOKEN in line] == []


@pytest.mark.django_db
def test_a_paused_survey_is_no_error(client, lines):
    batch = make_batch()
    key = {"key": join_key(client.get(reverse("survey:join", args=[batch.token])))}
    pause_batch(batch=batch, now=NOW)
    assert client.post(reverse("survey:start", args=[batch.token]), key).status_code == 503
    assert [line for line in lines() if line.startswith("django")] == []


@pytest.mark.parametrize("token", [TOKEN, "ein-ö"])
def test_where_no_route_was_found_there_is_none_to_log(token, lines, rf):
    request = rf.get(f"/t/{token}")
    failed = ZeroDivisionError("no")
    answer = HttpResponseServerError()
    log_response("Not Found: %s", request.path, request=request, response=answer, exception=failed)
    assert lines()[:1] == ["django.request Not Found: (no route)"]


def test_gunicorn_names_neither_path_nor_address(lines):
    log = logging.getLogger("gunicorn.error")
    log.error("Error handling request %s %s", "GET", f"/s/{TOKEN}/")
    log.warning(f"Invalid request from ip=203.0.113.9: Invalid HTTP request line: 'GET /s/{TOKEN}'")
    log.warning("Worker exiting (pid: %s)", 7)
    assert lines() == [
        "gunicorn.error Error handling a request",
        "gunicorn.error Invalid request",
        "gunicorn.error Worker exiting (pid: 7)",
    ]
