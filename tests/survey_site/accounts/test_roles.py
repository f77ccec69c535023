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
from survey_site.batches.models import Batch
from survey_site.corpus.models import Corpus
from survey_site.notices.models import NoticeKind
from survey_site.notices.services import notify
from survey_site.scoring.adapters import MeasureChoice
from survey_site.scoring.services import request_automatic
from tests.factories.accounts import make_project, make_user
from tests.factories.batches import NOW
from tests.factories.reports import make_report
from tests.factories.studies import make_study

PAGE = Path(__file__).parents[3] / "docs" / "admins.md"
SECRET = "Only-for-the-first-team"
PEOPLE = ("stranger", *Role.values)
OUTSIDE = ("s/", "admin/", "api/")
"""Raters' pages, which know no accounts; Django's own administration, for superuser accounts; and the
API, which programs ask with a token: its table is in docs/api.md."""


@pytest.fixture(scope="module")
def report(make_once):
    return make_once(lambda: _everything(make_report(built=False)))


def _everything(report):
    """What addresses name besides: a run of scores, a notice and a study."""
    report.run = request_automatic(corpus_row=report.batch.corpus, choice=MeasureChoice(spec="jsd"), now=NOW)
    report.notice = notify(kind=NoticeKind.COMPLETE, batch=report.batch, key="1", now=NOW)
    report.study = make_study(SECRET)
    Batch.objects.filter(pk=report.batch_id).update(name=SECRET)
    Corpus.objects.filter(pk=report.batch.corpus_id).update(name=SECRET)
    return report


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
        "<int:delivery>": "0",
        "<int:corpus>": str(report.batch.corpus_id),
        "<str:secret>": "none",
        "<str:name>": "none.png",
    }
    things = {
        "reports": report.pk,
        "corpora": report.batch.corpus_id,
        "runs": report.run.pk,
        "notices": report.notice.pk,
        "studies": report.study.pk,
        "projects": report.batch.corpus.project_id,
        "accounts": 0,
    }
    about = things.get(route.split("/")[0], report.batch_id)
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


def session_of(person, projects=None):
    """The cookie of somebody with that role, of these projects; a stranger has none."""
    if person == "stranger":
        return ""
    client = Client()
    client.force_login(make_user(role=person, projects=projects))
    return client.cookies["sessionid"].value


@pytest.mark.django_db
@pytest.mark.parametrize("person", PEOPLE)
def test_everybody_gets_where_the_table_says_and_nowhere_else(report, person):
    session = session_of(person)
    found = {route: walked(session, route, report) for route in routes()}
    assert found == {route: row[person] for route, row in documented().items()}


def answers(session, path):
    """What that address answers to being read and to a form, and the page."""
    client = Client()
    client.cookies["sessionid"] = session
    with transaction.atomic():
        read, sent = client.get(path), client.post(path)
        transaction.set_rollback(True)
    return {read.status_code, sent.status_code}, read


LOG_OUT = '<form method="post" action="/accounts/logout/">'


@pytest.mark.django_db
def test_every_page_of_staff_has_one_button_that_logs_out(report):
    """Those that show staff what raters see too. Whole pages: no redirects, files, or parts of pages."""
    client = Client()
    client.force_login(make_user(role=Role.ADMIN))
    answered = {route: client.get(address(route, report)) for route in routes() if "logout" not in route}
    whole = {
        route: page.content.decode()
        for route, page in answered.items()
        if page.status_code == 200 and page.headers["Content-Type"].startswith("text/html")
    }
    pages = {route: text for route, text in whole.items() if "</html>" in text}
    assert len(pages) > 40
    assert {route: text.count(LOG_OUT) for route, text in pages.items()} == dict.fromkeys(pages, 1)


def names_a_thing(route):
    """Of pages whose address has a number only accounts, and webhooks of one person, are of no project."""
    return bool(re.search(r"<int:|\?P<pk>", route)) and not route.startswith(("accounts/", "webhooks/"))


@pytest.mark.django_db
@pytest.mark.parametrize("role", [Role.AUDITOR, Role.RESEARCHER])
def test_what_belongs_to_another_project_is_not_there(report, role):
    session = session_of(role, [make_project()])
    named = [route for route in routes() if names_a_thing(route)]
    found = {route: answers(session, address(route, report))[0] for route in named}
    assert found == {route: {404} for route in named}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("role", "projects"), [(Role.AUDITOR, 1), (Role.RESEARCHER, 1), (Role.RESEARCHER, 0)]
)
def test_no_list_and_no_form_tells_of_another_project(report, role, projects):
    session = session_of(role, [make_project() for _ in range(projects)])
    others = [route for route in routes() if not re.search("[<^]", route)]
    about = f"batch={report.batch_id}&corpus={report.batch.corpus_id}&a={report.pk}&b={report.pk}"
    pages = {route: answers(session, f"/{route}?{about}&archive=with")[1] for route in others}
    assert [route for route, page in pages.items() if SECRET in page.content.decode(errors="replace")] == []
    seen = answers(session_of(Role.RESEARCHER), "/batches/")[1]
    assert SECRET in seen.content.decode()


@pytest.mark.django_db
def test_an_admin_sees_every_project(report):
    session = session_of(Role.ADMIN, [])
    assert SECRET in answers(session, f"/corpora/{report.batch.corpus_id}/")[1].content.decode()


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
