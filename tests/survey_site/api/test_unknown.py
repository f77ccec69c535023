"""What an operation does not know is refused: a misspelt name would else be left out in silence."""

import pytest
from django.urls import reverse

from survey_site.api.schema import operations
from survey_site.batches.models import Batch
from survey_site.projects.models import Project
from survey_site.reports.models import Report
from tests.factories.accounts import make_user
from tests.factories.api import make_program
from tests.factories.batches import make_batch

pytestmark = pytest.mark.django_db


@pytest.fixture
def program():
    return make_program()


def refused(response):
    """The fields that a refusal names, with what it says of each."""
    assert response.status_code == 422, response.content
    return {one["field"]: one["detail"] for one in response.json()["errors"]}


@pytest.mark.parametrize(
    ("path", "body", "unknown", "nearest"),
    [
        ("batches/", {"corpus": 1, "name": "n", "ratrs": 3}, "ratrs", "raters"),
        ("reports/", {"batch": 1, "resample": 5000}, "resample", "resamples"),
        ("score-runs/", {"corpus": 1, "measure": "jsd", "Mode": "kdm"}, "Mode", "mode"),
        ("projects/", {"name": "n", "titel": "t"}, "titel", None),
        ("notices/read/", {"all": True}, "all", None),
        ("notices/read/", [1], "body", None),
    ],
)
def test_an_unknown_field_is_refused_and_nothing_is_made(program, path, body, unknown, nearest):
    before = [kind.objects.count() for kind in (Batch, Report, Project)]
    found = refused(program.post(path, body))
    assert unknown in found
    assert nearest is None or nearest in found[unknown]
    assert [kind.objects.count() for kind in (Batch, Report, Project)] == before


def test_an_unknown_field_below_another_is_named_by_its_path(program):
    pair = {"left": "a", "right": "b", "low": 1, "high": 6, "why": "w", "colour": "red"}
    asked = {"examples": [pair], "wording": {"lowlabel": "far"}}
    found = refused(program.ask("PATCH", f"batches/{make_batch(launched=False).pk}/texts/en/", asked))
    assert found.keys() == {"examples.0.colour", "wording.lowlabel"}


@pytest.mark.parametrize("path", ["batches/?stat=live", "batches/?offset=3", "models/?kind=chat"])
def test_an_unknown_parameter_of_a_list_is_refused(program, path):
    assert refused(program.get(path)).keys() == {path.partition("?")[2].partition("=")[0]}


def test_an_operation_knows_the_parameters_that_its_schema_names(program):
    """Of addresses without a name in them: the others are refused where there is no such thing."""
    for path, method, operation in operations(program.get("schema/").json()):
        if "{" not in path and operation["operationId"] != "read_schema":
            named = [one["name"] for one in operation.get("parameters", []) if one["in"] == "query"]
            query = "&".join(f"{name}=" for name in ["zzz", *named])
            assert refused(program.ask(method.upper(), f"{path}?{query}")).keys() == {"zzz"}, path


def test_a_planning_page_refuses_a_preset_that_there_is_not(client):
    client.force_login(make_user(role="admin"))
    corpus = make_batch().corpus_id
    statuses = [
        client.get(reverse("batches:new"), {"corpus": corpus, "preset": name}).status_code
        for name in ("perseval", "persevall")
    ]
    assert statuses == [200, 404]
