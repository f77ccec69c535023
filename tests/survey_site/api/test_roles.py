"""Every operation of the schema, asked by every role and by a stranger, beside the table in docs/api.md."""

import re
from pathlib import Path

import pytest
from django.db import transaction
from drf_spectacular.generators import SchemaGenerator

from survey_site.accounts.permissions import Role
from survey_site.api.schema import operations
from survey_site.notices.models import Notice, NoticeKind
from survey_site.notices.services import notify
from survey_site.reports.models import Report
from survey_site.scoring.adapters import MeasureChoice
from survey_site.scoring.services import request_automatic
from survey_site.studies.models import Study
from tests.factories.accounts import make_project, make_user
from tests.factories.api import Program, make_program
from tests.factories.batches import NOW
from tests.factories.reports import make_report
from tests.factories.studies import make_study

PAGE = Path(__file__).parents[3] / "docs" / "api.md"
PEOPLE = ("stranger", *Role.values)


@pytest.fixture(scope="module")
def report(make_once):
    return make_once(_made)


def _made():
    """A report, and besides it a study and a notice."""
    report = make_report(built=False)
    make_study()
    notify(kind=NoticeKind.COMPLETE, batch=report.batch, key="1", now=NOW)
    return report


def asked():
    """Each operation as the table names it, and its scope."""
    schema = SchemaGenerator().get_schema(request=None, public=True)
    return {
        f"{method.upper()} {path.removeprefix('/api/v1/')}": operation["x-scope"]
        for path, method, operation in operations(schema)
    }


def documented():
    """The rows of the table: by operation its scope, and by person whether they are let in."""
    section = PAGE.read_text(encoding="utf-8").split("## Every operation", 1)[1]
    rows = {}
    for row in re.findall(r"^\| `.+ \|$", section, flags=re.MULTILINE):
        name, scope, *people = [cell.strip().strip("`") for cell in row.strip("|").split("|")]
        assert name not in rows
        rows[name] = (scope, dict(zip(PEOPLE, people, strict=True)))
    return rows


def answered(program, name, report):
    method, path = name.split(" ")
    about = {
        "reports": report.pk,
        "batches": report.batch_id,
        "corpora": report.batch.corpus_id,
        "score-runs": request_automatic(
            corpus_row=report.batch.corpus, choice=MeasureChoice(spec="jsd"), now=NOW
        ).pk,
        "keep": report.pk,
        "studies": Study.objects.get().pk,
        "notices": Notice.objects.get().pk,
        "projects": report.batch.corpus.project_id,
    }
    path = path.replace("{id}", str(about.get(path.split("/")[0], 0))).replace("{address}", "report.json")
    path = path.replace("{file}", "report.html")
    path = path.replace("{kind}", "report").replace("{language}", "en").replace("{code}", "nobody")
    with transaction.atomic():
        Report.objects.filter(pk=report.pk).update(created_by=program.user)
        for part in ("{exclusion}", "{delivery}", "{distances}", "{run}", "{username}", "{invitation}"):
            path = path.replace(part, "0")
        response = program.ask(method, path)
        transaction.set_rollback(True)
    assert response.status_code < 500, name
    return response


def walked(program, name, report):
    """As the table words it."""
    response = answered(program, name, report)
    return "–" if response.status_code in {401, 403} else "yes"


@pytest.mark.django_db
@pytest.mark.parametrize("person", PEOPLE)
def test_everybody_is_let_in_where_the_table_says_and_nowhere_else(report, person):
    program = Program() if person == "stranger" else make_program(person)
    found = {name: walked(program, name, report) for name in asked()}
    assert found == {name: people[person] for name, (_, people) in documented().items()}


@pytest.mark.django_db
@pytest.mark.parametrize("role", [Role.AUDITOR, Role.RESEARCHER])
def test_what_belongs_to_another_project_is_not_there(report, role):
    program = make_program(user=make_user(role=role, projects=[make_project()]), role=role)
    named = {name for name, (_, people) in documented().items() if people[role] == "yes" and "{id}" in name}
    found = {name: answered(program, name, report).status_code for name in named}
    assert found == dict.fromkeys(named, 404)


@pytest.mark.django_db
@pytest.mark.parametrize("role", [Role.AUDITOR, Role.RESEARCHER])
def test_lists_hold_nothing_of_another_project(report, role):
    program = make_program(user=make_user(role=role, projects=[make_project()]), role=role)
    lists = [name for name in asked() if re.fullmatch(r"GET [\w-]+/", name)]
    found = {name: program.get(name.removeprefix("GET ")) for name in lists}
    held = {name: len(one.json()["results"]) for name, one in found.items() if "results" in one.json()}
    assert held == {**dict.fromkeys(held, 0), **({"GET projects/": 1} if "GET projects/" in held else {})}
    assert set(held) >= {
        f"GET {name}/"
        for name in ("batches", "corpora", "reports", "score-runs", "uploads", "studies", "notices")
    }


@pytest.mark.django_db
def test_a_body_cannot_name_what_is_of_another_project(report):
    program = make_program("researcher", user=make_user(role="researcher", projects=[make_project()]))
    corpus = {"corpus": report.batch.corpus_id, "measure": "jsd"}
    batch = {"batch": report.batch_id, "measure": "jsd"}
    full = {"batch": report.batch_id, "measures": ["jsd"], "surrogates": ["jsd"]}
    assert [
        program.post("score-runs/", corpus).status_code,
        program.post("score-runs/", batch).status_code,
        program.post("reports/", full).status_code,
    ] == [404, 404, 404]


def test_the_table_has_every_operation_once_with_its_scope():
    assert {name: scope for name, (scope, _) in documented().items()} == asked()


@pytest.mark.django_db
def test_a_log_in_of_a_browser_opens_nothing(admin_client):
    assert admin_client.get("/api/v1/batches/").status_code == 401
    assert admin_client.post("/api/v1/batches/", "{}", content_type="application/json").status_code == 401


@pytest.mark.django_db
def test_a_token_may_no_more_than_its_scopes():
    program = make_program("admin", scopes=["read"])
    assert program.get("batches/").status_code == 200
    refused = program.post("batches/", {})
    assert (refused.status_code, refused.json()["detail"]) == (
        403,
        "This token does not have the scope “batches”.",
    )
