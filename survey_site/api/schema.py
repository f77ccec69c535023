"""What the schema says besides the operations: the token, the scopes, and the shape of every refusal."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.plumbing import get_lib_doc_excludes

from survey_site.api.authentication import scope_of

EXAMPLES = Path(__file__).with_name("examples.json")
"""By operation what was sent and came back; `python -m tests.fixtures.make_api_examples` writes it."""
METHODS = ("get", "post", "put", "patch", "delete")
PROBLEM = {
    "type": "object",
    "description": "What is wrong and what to do (RFC 9457).",
    "required": ["type", "title", "status", "detail", "action"],
    "properties": {
        "type": {"type": "string", "format": "uri", "description": "Where it is explained."},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What is wrong."},
        "action": {"type": "string", "description": "What to do about it."},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "detail"],
                "properties": {"field": {"type": "string"}, "detail": {"type": "string"}},
            },
        },
    },
}
REFUSALS: Mapping[str, str] = {
    "401": "No token, or one that does not work.",
    "403": "The token or the role of its owner does not allow it.",
    "400": "The request cannot be read.",
    "404": "There is no such thing.",
    "409": "The state of things does not allow it.",
    "406": "The answer does not come in the type that is asked for.",
    "429": "Too many requests; `Retry-After` says when to go on.",
}
CHANGING: Mapping[str, str] = {
    "412": "It has changed since the program read it (`If-Match`).",
    "413": "More than this operation takes.",
    "415": "The body is of a type that this operation does not take.",
    "422": "Values that do not make sense, or another request with the same `Idempotency-Key`.",
}
SEEN = {
    "in": "header",
    "name": "If-None-Match",
    "schema": {"type": "string"},
    "description": "The ETag of an answer that you have: 304 without content where it is still the same.",
}
EXAMPLE = {
    "type": "https://concord.example.org/help/api/#problems--404",
    "title": "Not found",
    "status": 404,
    "detail": "There is no such thing.",
    "action": "Ask for the list to see what there is.",
}


class TokenScheme(OpenApiAuthenticationExtension):
    """How the token is sent."""

    target_class = "survey_site.api.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, _auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "A token of the page “API tokens”."}


def add_problems(result: dict[str, Any], generator: SchemaGenerator, **_: Any) -> dict[str, Any]:
    """Add to each operation its scope, its refusals and the headers that it takes."""
    result["components"]["schemas"]["Problem"] = PROBLEM
    views = {path: view for path, _, _, view in generator._get_paths_and_endpoints()}
    for path, method, operation in operations(result):
        scope = scope_of(views[path], method.upper())
        operation["x-scope"] = str(scope)
        operation["description"] = f"{operation.get('description', '')}\n\nScope: `{scope}`.".strip()
        if method == "get" and "application/json" in operation["responses"]["200"].get("content", {}):
            operation.setdefault("parameters", []).append(SEEN)
            operation["responses"]["304"] = {"description": "What the program has is as it was."}
        refusals = {**REFUSALS, **({} if method == "get" else CHANGING), **_of_queries(operation)}
        _add_examples(operation)
        for status, words in sorted(refusals.items()):
            operation["responses"].setdefault(status, _refusal(words))
    return result


def bases_without_words() -> list[type]:
    """Classes whose own words are for those who write views, and no description of an operation."""
    from survey_site.api.base_views import ApiView, ListView  # they load this module's settings

    return [*get_lib_doc_excludes(), ApiView, ListView]


def operations(schema: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Path, method and operation of each, in the order of the schema."""
    for path, methods in schema["paths"].items():
        for method in METHODS:
            if method in methods:
                yield path, method, methods[method]


def _add_examples(operation: dict[str, Any]) -> None:
    """What was sent and came back once, where it is JSON."""
    example = _examples().get(operation["operationId"], {})
    contents = [
        ("request", operation.get("requestBody", {})),
        *(("response", one) for status, one in operation["responses"].items() if status < "300"),
    ]
    for name, holder in contents:
        if name in example and "application/json" in holder.get("content", {}):
            holder["content"]["application/json"]["examples"] = {"real": {"value": example[name]}}


@cache
def _examples() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    return found


def _of_queries(operation: Mapping[str, Any]) -> dict[str, str]:
    queried = any(one["in"] == "query" for one in operation.get("parameters", []))
    return {"422": CHANGING["422"]} if queried else {}


def _refusal(words: str) -> dict[str, Any]:
    content = {"schema": {"$ref": "#/components/schemas/Problem"}, "example": EXAMPLE}
    return {"description": words, "content": {"application/problem+json": content}}
