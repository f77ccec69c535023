"""The schema and the page that is made from it."""

import json
import re

import pytest
from django.test import Client
from drf_spectacular.generators import SchemaGenerator

from survey_site.api.schema import EXAMPLES, operations
from tests.factories.api import make_program
from tests.factories.api_examples import collect_examples
from tests.factories.batches import make_batch

pytestmark = pytest.mark.django_db


def schema():
    return Client().get("/api/v1/schema/").json()


def test_the_schema_is_openapi_3_1_with_scope_and_refusals_of_each_operation():
    found = schema()
    assert found["openapi"] == "3.1.0"
    for path, method, operation in operations(found):
        assert operation["x-scope"], path
        assert operation["summary"], path
        assert {"401", "403", "404", "406", "429"} <= set(operation["responses"]), (method, path)
        for status, answer in operation["responses"].items():
            if status >= "400":
                assert list(answer["content"]) == ["application/problem+json"]
    assert found["components"]["securitySchemes"]["token"]["scheme"] == "bearer"


def test_every_reference_of_the_schema_leads_somewhere():
    found = schema()
    named = set(re.findall(r'"\$ref": "#/components/schemas/(\w+)"', json.dumps(found)))
    assert named <= set(found["components"]["schemas"])


def test_the_page_has_every_operation_and_nothing_inline(researcher_client):
    page = researcher_client.get("/api/v1/").content.decode()
    for path, method, operation in operations(schema()):
        assert f'id="{operation["operationId"]}"' in page, (method, path)
    outside = re.sub(r"<pre[^>]*><code>[^<]*</code></pre>", "", page)  # examples hold addresses as texts
    assert len(outside) < len(page)
    assert re.findall(r"<script(?![^>]*src=)|style=|\son\w+=|https?://", outside) == []


def test_the_page_is_for_people_with_an_account():
    answer = Client().get("/api/v1/")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/accounts/login/?next=/api/v1/")
    assert make_program().get("").status_code == 302


def test_what_comes_back_has_the_fields_that_the_schema_says():
    found = schema()
    shape = found["components"]["schemas"]["OneBatchShape"]
    batch = make_program().get(f"batches/{make_batch().pk}/").json()
    assert set(batch) == set(shape["properties"])


def _shape(value):
    """The names of fields, without what stands in them."""
    if isinstance(value, dict):
        return {name: _shape(one) for name, one in value.items()}
    return [_shape(one) for one in value] if isinstance(value, list) else None


def test_the_examples_are_what_the_site_answers():
    assert _shape(json.loads(EXAMPLES.read_text("utf-8"))) == _shape(collect_examples())


def test_every_operation_that_sends_or_gets_json_has_an_example():
    lacking = set()
    for *_, one in operations(schema()):
        answers = [answer for status, answer in one["responses"].items() if status < "300"]
        for part in (one.get("requestBody", {}), *answers):
            content = part.get("content", {})
            if set(content) == {"application/json"} and "examples" not in content["application/json"]:
                lacking.add(one["operationId"])
    assert lacking == set()


def test_the_schema_and_the_page_show_the_examples(researcher_client):
    (planned,) = [one for *_, one in operations(schema()) if one["operationId"] == "plan_batch"]
    content = planned["requestBody"]["content"]["application/json"]
    assert content["examples"]["real"]["value"]["name"] == "Pilot"
    assert "&quot;name&quot;: &quot;Pilot&quot;" in researcher_client.get("/api/v1/").content.decode()


def test_the_schema_is_made_once_however_often_it_is_asked_for(monkeypatch):
    first = Client().get("/api/v1/schema/")
    monkeypatch.setattr(SchemaGenerator, "get_schema", None)
    again = Client().get("/api/v1/schema/", headers={"Accept": "application/json"})
    assert (again.status_code, again.json()) == (200, first.json())
    assert again.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_the_schema_is_read_alone(method):
    answer = Client(raise_request_exception=False).generic(method, "/api/v1/schema/")
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD")
    assert answer.headers["Content-Type"] == "application/problem+json"
