"""Every staff address, asked by every role and by a stranger, beside the table in docs/admins.md."""

import re
from pathlib import Path

import pytest
from django.db import transaction
from django.test import Client
from django.urls import get_resolver

from survey_site.accounts.models import User
from survey_site.accounts.permissions import RIGHTS, Right, Role
from survey_site.accounts.views import _with_article
from tests.factories.accounts import make_user
from tests.factories.reports import make_report

PAGE = Path(__file__).parents[3] / "docs" / "admins.md"
PEOPLE = ("stranger", *Role.values)
OUTSIDE = ("s/", "admin/", "api/")
"""Raters' pages, which know no accounts; Django's own administration, for superuser accounts; and the
API, which programs ask with a token: its table is in docs/api.md."""


@pytest.fixture(scope="module")
def report(make_once):
    return make_once(lambda: make_report(built=False))


def routes(patterns=None, prefix=""):
    """The route of every address that staff may ask for."""
    for one in get_resolver().url_patterns if patterns is None else patterns:
        route = prefix + str(one.pattern)
        if route.startswith(OUTSIDE):
            continue
        yield from routes(one.url_patterns, route) if hasattr(one, "url_patterns") else [route]


def documented():
    """What the table says of each route: by person, whether it opens and whether a form may be sent."""
    section = PAGE.read_text(encoding="utf-8").split("## Who may do what", 1)[1].split("\n## ", 1)[0]
    rows = {}
    for row in re.findall(r"^\| .+ \|$", section, flags=re.MULTILINE):
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        for route in re.findall(r"`/?([^`]*)`", cells[1]):
            assert route not in rows, route
            rows[route] = dict(zip(PEOPLE, cells[2:], strict=True))
    return rows


def address(route, report):
    """An address of that route about things that are there."""
    values = {
        "<str:language>": "en",
        "<slug:language>": "en",
        "<slug:kind>": "batch",
        "<path:page>": "first",
        "<str:code>": report.batch.people.first().code,
        "<int:exclusion>": "0",
        "<int:run>": "0",
        "<int:corpus>": str(report.batch.corpus_id),
        "<str:secret>": "none",
        "<str:name>": "none.png",
    }
    about = report.pk if route.startswith("reports/") else report.batch_id
    if route.startswith("corpora/"):
        about = report.batch.corpus_id
    if route.startswith(("accounts/", "notices/")):
        about = 0
    path = re.sub(r"\^\(\?P<pk>.*", f"{about}/report.json", route).replace("<int:pk>", str(about))
    path = path.replace("help/<slug:name>", "help/glossary").replace("<slug:name>", "forest")
    for placeholder, value in values.items():
        path = path.replace(placeholder, value)
    assert not re.search(r"[<^]", path), path
    return f"/{path}"


def outcome(session, method, path):
    """Whether the request was let in; None where the address takes no such request at all.

    Nothing that anybody is answered stays in a cache.
    """
    client = Client()
    if session:
        client.cookies["sessionid"] = session
    with transaction.atomic():
        response = getattr(client, method)(path)
        transaction.set_rollback(True)
    assert response.headers["Cache-Control"] == "private, no-store", path
    if response.status_code == 405:
        return None
    sent_to_login = response.status_code == 302 and response.headers["Location"].startswith(
        "/accounts/login/"
    )
    return response.status_code != 403 and not sent_to_login


WORDS = {(None, None): "–", (True, None): "opens", (None, True): "sends", (True, True): "opens, sends"}


def walked(session, route, report):
    """As the table words it: "opens", "sends", both, or a dash where neither is let in."""
    path = address(route, report)
    asked = tuple(outcome(session, method, path) or None for method in ("get", "post"))
    return WORDS[asked]


def session_of(person):
    """The cookie of somebody with that role; a stranger has none."""
    if person == "stranger":
        return ""
    client = Client()
    client.force_login(make_user(role=person))
    return client.cookies["sessionid"].value


@pytest.mark.django_db
@pytest.mark.parametrize("person", PEOPLE)
def test_everybody_gets_where_the_table_says_and_nowhere_else(report, person):
    session = session_of(person)
    found = {route: walked(session, route, report) for route in routes()}
    assert found == {route: row[person] for route, row in documented().items()}


def test_the_table_has_every_address_once():
    assert sorted(documented()) == sorted(routes())


def test_an_auditor_has_no_right_to_change_anything():
    assert RIGHTS[Role.AUDITOR] == {Right.READ, Right.AUDIT}
    assert RIGHTS[Role.ADMIN] == set(Right)


def test_a_superuser_is_an_admin_whatever_the_role_says():
    user = User(role=Role.AUDITOR, is_superuser=True)
    assert (user.held_role, user.is_admin_role, user.may_manage_accounts) == (Role.ADMIN, True, True)


def test_roles_read_well_in_a_sentence():
    assert [_with_article(role.label) for role in Role] == ["an auditor", "a researcher", "an admin"]
