"""Domain errors become a page, or JSON where that is preferred."""

import re

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import RequestFactory

from survey_site.common.errors import (
    ApplicationError,
    ConflictError,
    GoneError,
    InvalidInputError,
    NotFoundError,
)
from survey_site.common.middleware import ApplicationErrorMiddleware
from tests.factories.accounts import make_user


def handle(error, *, user=None, **headers):
    request = RequestFactory().get("/somewhere/", headers=headers)
    request.user = user or AnonymousUser()
    return ApplicationErrorMiddleware(lambda _request: None).process_exception(request, error)


def test_a_browser_gets_a_page_with_what_is_wrong_and_what_to_do():
    response = handle(ConflictError("The batch is closed.", action="Open a new one."), accept="text/html")
    page = response.content.decode()
    assert response.status_code == 409
    assert "<h1>Not possible any more</h1>" in page
    assert "<p>The batch is closed.</p>" in page
    assert "<p>Open a new one.</p>" in page


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("referrer", "links"),
    [
        ("http://testserver/before/?page=2", ['<a class="button" href="http://testserver/before/?page=2">']),
        ("http://testserver/somewhere/", []),
        ("http://elsewhere.example/before/", []),
        ("", []),
    ],
)
def test_staff_find_back_to_where_they_came_from_on_this_site(referrer, links):
    page = handle(ConflictError("No."), user=make_user(), accept="text/html", referer=referrer)
    assert re.findall(r"<a class=.button.[^>]*>", page.content.decode()) == links
    page = handle(ConflictError("No."), accept="text/html", referer=referrer)
    assert re.findall(r"<a class=.button.[^>]*>", page.content.decode()) == [
        '<a class="button" href="/accounts/login/">'
    ]


def test_messages_are_escaped():
    page = handle(InvalidInputError("<script>alert(1)</script>")).content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_a_program_gets_json():
    response = handle(NotFoundError("No such batch."), accept="application/json")
    assert response.status_code == 404
    assert response.headers["Content-Type"] == "application/json"
    assert response.content == b'{"error": "Not found", "message": "No such batch.", "action": ""}'


@pytest.mark.parametrize(
    ("error", "status"),
    [(ApplicationError, 400), (InvalidInputError, 422), (GoneError, 410), (ConflictError, 409)],
)
def test_each_kind_has_its_status(error, status):
    assert handle(error("no")).status_code == status


def test_other_errors_are_left_alone():
    assert handle(ValueError("a defect")) is None
