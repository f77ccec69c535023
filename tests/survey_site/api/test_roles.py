"""Every operation of the schema, asked by every role and by a stranger, beside the table in docs/api.md."""

import re
from pathlib import Path

import pytest
from django.db import transaction
from drf_spectacular.generators import SchemaGenerator

from survey_site.accounts.permissions import Role
from survey_site.api.schema import operations
from tests.factories.api import Program, make_program
from tests.factories.reports import make_report

PAGE = Path(__file__).parents[3] / "docs" / "api.md"
PEOPLE = ("stranger", *Role.values)


@pytest.fixture(scope="module")
def report(make_once):
    return make_once(lambda: make_report(built=False))


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


def walked(program, name, report):
    """As the table words it."""
    method, path = name.split(" ")
    about = {"reports": report.pk, "batches": report.batch_id, "corpora": report.batch.corpus_id}
    path = path.replace("{id}", str(about.get(path.split("/")[0], 0))).replace("{address}", "report.json")
    with transaction.atomic():
        response = program.ask(method, path.replace("{exclusion}", "0"))
        transaction.set_rollback(True)
    assert response.status_code < 500, name
    return "–" if response.status_code in {401, 403} else "yes"


@pytest.mark.django_db
@pytest.mark.parametrize("person", PEOPLE)
def test_everybody_is_let_in_where_the_table_says_and_nowhere_else(report, person):
    program = Program() if person == "stranger" else make_program(person)
    found = {name: walked(program, name, report) for name in asked()}
    assert found == {name: people[person] for name, (_, people) in documented().items()}


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
