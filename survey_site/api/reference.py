"""The schema as the reference page shows it: operations by what they are about."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from survey_site.api.schema import operations

JSON = "application/json"


@dataclass(frozen=True)
class Field:
    """A field of a body or a parameter of an address."""

    name: str
    kind: str
    required: bool
    words: str


@dataclass(frozen=True)
class Answer:
    """What comes back: its types, its fields and an example where it is JSON."""

    status: str
    words: str
    types: Sequence[str]
    fields: Sequence[Field]


@dataclass(frozen=True)
class Operation:
    """One operation; `anchor` leads to it on the page."""

    anchor: str
    method: str
    path: str
    summary: str
    description: str
    scope: str
    parameters: Sequence[Field]
    body: Sequence[Field]
    body_types: Sequence[str]
    answers: Sequence[Answer]
    examples: Sequence[str]


@dataclass(frozen=True)
class Section:
    """The operations on one kind of thing; `anchor` leads to them on the page."""

    anchor: str
    title: str
    operations: Sequence[Operation]


def sections_of(schema: Mapping[str, Any]) -> list[Section]:
    """The operations in the order of the schema, by the first part of their path."""
    found: dict[str, list[Operation]] = {}
    for path, method, operation in operations(schema):
        thing = path.removeprefix("/api/v1/").split("/")[0]
        found.setdefault(thing, []).append(_operation(schema, path, method, operation))
    return [
        Section(f"on-{thing}", thing.replace("-", " ").capitalize(), made) for thing, made in found.items()
    ]


def _operation(schema: Mapping[str, Any], path: str, method: str, given: Mapping[str, Any]) -> Operation:
    body = given.get("requestBody", {}).get("content", {})
    answers = [_answer(schema, status, one) for status, one in sorted(given["responses"].items())]
    return Operation(
        anchor=given["operationId"],
        method=method.upper(),
        path=path,
        summary=given.get("summary", ""),
        description=given["description"].rpartition("Scope:")[0].strip(),
        scope=given["x-scope"],
        parameters=[_parameter(schema, one) for one in given.get("parameters", [])],
        body=list(_fields(schema, body.get(JSON, {}).get("schema", {}))),
        body_types=list(body),
        answers=answers,
        examples=list(_examples(body, given["responses"])),
    )


def _answer(schema: Mapping[str, Any], status: str, given: Mapping[str, Any]) -> Answer:
    content = given.get("content", {})
    fields = _fields(schema, content.get(JSON, {}).get("schema", {}))
    return Answer(status, given.get("description", ""), list(content), list(fields))


def _examples(body: Mapping[str, Any], responses: Mapping[str, Any]) -> Iterator[str]:
    """The examples of the body and of what comes back where it went well."""
    contents = [body, *(one.get("content", {}) for status, one in responses.items() if status < "300")]
    for content in contents:
        for example in content.get(JSON, {}).get("examples", {}).values():
            yield json.dumps(example["value"], indent=2, ensure_ascii=False)


def _parameter(schema: Mapping[str, Any], given: Mapping[str, Any]) -> Field:
    where = {"header": "header", "path": "in the path", "query": "in the query"}[given["in"]]
    kind = f"{_kind(schema, given['schema'])}, {where}"
    return Field(given["name"], kind, given.get("required", False), given.get("description", ""))


def _fields(schema: Mapping[str, Any], shape: Mapping[str, Any], within: str = "") -> Iterator[Field]:
    """The fields of an object, or of the objects in a list; those of objects inside it behind its name."""
    shape = _resolved(schema, shape)
    if shape.get("type") == "array":
        yield from _fields(schema, shape["items"], within)
        return
    required = set(shape.get("required", ()))
    for name, one in shape.get("properties", {}).items():
        words = _resolved(schema, one).get("description", "") or one.get("description", "")
        yield Field(f"{within}{name}", _kind(schema, one), name in required, words)
        yield from _fields(schema, one, f"{within}{name}.")


def _resolved(schema: Mapping[str, Any], shape: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a reference stands for; of several shapes the first."""
    for word in ("allOf", "oneOf"):
        if word in shape:
            return _resolved(schema, shape[word][0])
    if "$ref" in shape:
        found: Mapping[str, Any] = schema["components"]["schemas"][shape["$ref"].rpartition("/")[2]]
        return found
    return shape


def _kind(schema: Mapping[str, Any], shape: Mapping[str, Any]) -> str:
    shape = _resolved(schema, shape)
    if "enum" in shape:
        return "one of " + ", ".join(str(one) for one in shape["enum"] if one is not None)
    kind = shape.get("type", "any value")
    if isinstance(kind, list):
        kind = " or ".join(kind)
    if kind == "array":
        return f"list of {_kind(schema, shape.get('items', {}))}"
    return f"{kind} ({shape['format']})" if "format" in shape else str(kind)
