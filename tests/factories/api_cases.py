"""Requests of the API's schema, the same each time or drawn by schemathesis, sent to a small site as
everybody, and what is wrong with the answers.

Each case goes through the whole application, middleware and all, in a savepoint that is rolled back: the next
one finds the site as it was. Numbers of things that there are take the place of many that are drawn, for
nobody ever draws them.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import schemathesis
from django.core.cache import caches
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import ignored_auth, negative_data_rejection, positive_data_acceptance

from survey_site.accounts.permissions import Role, Scope, scopes_of
from survey_site.accounts.tokens import make_token
from survey_site.api.forms_of_answers import ARCHIVE_PARSERS, FILE_PARSERS
from survey_site.api.schema import operations
from survey_site.projects.gate import NAMED
from tests.factories.accounts import make_project, make_user

STRANGERS = ("nobody", "wrong token", "no token at all")
ELSEWHERE = {"auditor elsewhere": Role.AUDITOR, "researcher elsewhere": Role.RESEARCHER}
"""Members of another project than the one that everything belongs to, and their roles."""
PEOPLE = (*Role.values, *ELSEWHERE, *STRANGERS)
SECRET = "Only-for-the-first-team"
"""In the names of all things that belong to the first project."""
OF_PROJECTS = {start.partition("/")[0] for start in NAMED}
"""Beginnings of addresses that name a thing of a project."""
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
REFUSED_UNREAD = {400, 401, 404, 405}
"""What a stranger may get: a token is needed, there is no such address, or no such bytes are taken."""
NOT_CHECKED = [ignored_auth, positive_data_acceptance]
"""Strangers are sent here anyway; and a schema cannot say which measures, documents or names make sense."""
TOO_LONG = 413
"""A wrong body that is too long to be read is refused for its length; schemathesis counts it as taken."""
JSON = "application/json"
WRONG: Any = {"a": [None, "\0", 10**30]}
"""A value that no field takes."""
WRONG_BODIES: Sequence[Any] = (None, [WRONG], "\0", WRONG)
PLACED = (
    *("distances", "run", "invitation", "code", "language", "delivery", "exclusion", "username"),
    *("file", "address"),
)
"""Parts of an address, besides its number, that are of something that there is."""
WRONG_WORDS = ("\0", "9" * 30)

Numbers = Mapping[str, Sequence[Any]]
"""By the first part of an address, or by the field of a body, numbers or names of things that there are."""


@dataclass
class Found:
    """What was asked, and what was wrong: by operation and fault one request that shows it."""

    statuses: Counter[tuple[str, int]] = field(default_factory=Counter)
    faults: dict[str, str] = field(default_factory=dict)

    @property
    def cases(self) -> int:
        return sum(self.statuses.values())


def headers_of(person: str) -> dict[str, str]:
    """What that person's program sends: a token with every scope of the role, or something that is none."""
    if role := role_of(person):
        scopes = [str(one) for one in scopes_of(role)]
        user = make_user(role=role, projects=[make_project()] if person in ELSEWHERE else None)
        made = make_token(user=user, name="t", scopes=scopes, days=1, now=timezone.now())
        return {"Authorization": f"Bearer {made.secret}"}
    return {"nobody": {}, "wrong token": {"Authorization": "Bearer concord_wrong"}}.get(
        person, {"Authorization": "Basic bm9ib2R5Og=="}
    )


def role_of(person: str) -> str:
    """The role of their account; empty for a stranger."""
    return ELSEWHERE.get(person, person if person in Role.values else "")


def load_schema() -> Any:
    """The schema as the site serves it, but for tokens, which are sent here; files are texts."""
    types = {one.media_type for one in (*FILE_PARSERS, *ARCHIVE_PARSERS)} - {"application/octet-stream"}
    schemathesis.serializer(*types)(lambda _context, value: {"data": str(value).encode()})
    served = Client().get("/api/v1/schema/").json()
    for _, _, operation in operations(served):
        operation.pop("security", None)
    schema = schemathesis.openapi.from_dict(served)
    schema.app = get_wsgi_application()  # a web server's own keeps a connection to the database
    return schema


def try_operation(
    operation: Any,
    *,
    numbers: Numbers,
    people: Mapping[str, Mapping[str, str]],
    cases: int,
    found: Found,
    first: int = 1,
) -> None:
    """Send so many cases of the operation, half of them wrong on purpose, each as one of these people.

    first: the seed; the same one sends the same cases.
    """
    for mode in MODES:
        cases_of = operation.as_strategy(generation_mode=mode)

        @seed(first)
        @settings(
            max_examples=max(1, cases // len(MODES)),
            phases=[Phase.generate],
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(cases_of, st.sampled_from(sorted(people)), st.integers(0, 7))
        def send(case: Case, person: str, pick: int) -> None:
            _place(case, numbers, pick)
            _send(case, person, people[person], found)

        try:
            send()
        except Unsatisfiable:
            if mode.is_positive:
                raise
            # nothing about it can be wrong: it takes no body and no parameters


def try_fixed(
    operation: Any, *, numbers: Numbers, people: Mapping[str, Mapping[str, str]], found: Found
) -> None:
    """Send what is the same each time: something right as everybody, then what is wrong as an admin."""
    right, *wrong = fixed_cases(operation, numbers)
    for person, headers in people.items():
        _send(right, person, headers, found)
    for case in wrong:
        _send(case, Role.ADMIN, people[Role.ADMIN], found)


def fixed_cases(operation: Any, numbers: Numbers) -> Iterator[Case]:
    """Of things that there are with the body of the example; then of none, with wrong queries and bodies."""
    raw, kind = operation.definition.raw, operation.path.removeprefix("/api/v1/").split("/")[0]
    named = {one["name"]: one["in"] for one in raw.get("parameters", [])}
    path = [name for name, place in named.items() if place == "path"]
    there = {name: numbers.get(kind if name == "id" else name, [1])[0] for name in path}
    media_type, body = _example(raw, numbers)
    sent = {"body": body, "media_type": media_type} if media_type else {}
    yield operation.Case(path_parameters=there, **sent)
    if path:
        yield operation.Case(path_parameters=dict.fromkeys(path, 10**30), **sent)
    if query := [name for name, place in named.items() if place == "query"]:
        for wrong in WRONG_WORDS:
            yield operation.Case(path_parameters=there, query=dict.fromkeys(query, wrong), **sent)
    if media_type == JSON:
        for other in (*WRONG_BODIES, *({**body, name: WRONG} for name in body)):
            yield operation.Case(path_parameters=there, body=other, media_type=JSON)


def _example(raw: Any, numbers: Numbers) -> tuple[str, Any]:
    """The type of the body and the one that the schema shows, of things that there are; no type for none."""
    content = raw.get("requestBody", {}).get("content", {})
    if not content:
        return "", None
    if JSON not in content:
        return next(iter(content)), "a file that is none"
    shown = next(iter(content[JSON].get("examples", {}).values()), {}).get("value", {})
    return JSON, {name: numbers[name][0] if name in numbers else value for name, value in shown.items()}


def _send(case: Case, person: str, headers: Mapping[str, str], found: Found) -> None:
    if fault := _ask(case, person, headers, found):
        found.faults.setdefault(*fault)


def _place(case: Case, numbers: Numbers, pick: int) -> None:
    """Put numbers of things that there are where the case has drawn some."""
    if pick == 0 or not case.meta or not case.meta.generation.mode.is_positive:
        return
    kind = case.path.removeprefix("/api/v1/").split("/")[0]
    for holder, names in (
        (case.path_parameters, {"id": kind, **{name: name for name in PLACED}}),
        (case.body, {name: name for name in numbers}),
    ):
        if not isinstance(holder, dict):
            continue
        for name in names.keys() & holder.keys():
            if there := numbers.get(names[name]):
                holder[name] = there[pick % len(there)]


def _ask(case: Case, person: str, headers: Mapping[str, str], found: Found) -> tuple[str, str] | None:
    """The fault of the answer: what is wrong, and the request that shows it; None where nothing is."""
    label = f"{case.method} {case.path}"
    for cache in caches.all():
        cache.clear()  # requests are counted there
    with _undone():
        response = case.call(headers=dict(headers))
        found.statuses[label, response.status_code] += 1
        if person in STRANGERS and response.status_code not in REFUSED_UNREAD:
            return f"{label}: a stranger gets {response.status_code}", case.as_curl_command()
        scope = Scope(case.operation.definition.raw["x-scope"])
        role = role_of(person)
        if role and scope not in scopes_of(role) and response.status_code < 400:
            return f"{label}: {person} gets {response.status_code}", case.as_curl_command()
        if person in ELSEWHERE and (told := _told_of_others(case, response)):
            return f"{label}: {person} {told}", case.as_curl_command()
        too_long = [negative_data_rejection] if response.status_code == TOO_LONG else []
        try:
            case.validate_response(response, excluded_checks=[*NOT_CHECKED, *too_long])
        except FailureGroup as group:
            kinds = ", ".join(sorted({type(one).__name__ for one in group.exceptions}))
            return f"{label}: {kinds} ({response.status_code})", f"{person}: {group}"
    return None


def _told_of_others(case: Case, response: Any) -> str:
    """What the member of another project learns that they should not; empty where it is nothing."""
    if SECRET.encode() in response.content:
        return f"is told of the first project ({response.status_code})"
    names_a_thing = "{id}" in case.path and case.path.removeprefix("/api/v1/").split("/")[0] in OF_PROJECTS
    return f"gets {response.status_code}" if names_a_thing and response.status_code < 400 else ""


@contextmanager
def _undone() -> Iterator[None]:
    """Requests leave the connection open, as those of Django's own test client do, and no row behind."""
    ends = (request_started, request_finished)
    for signal in ends:
        signal.disconnect(close_old_connections)
    try:
        with transaction.atomic():
            yield
            transaction.set_rollback(True)
    finally:
        for signal in ends:
            signal.connect(close_old_connections)
