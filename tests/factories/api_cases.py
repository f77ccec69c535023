"""Requests that schemathesis makes of the API's schema, sent to a small site as everybody, and what is wrong
with the answers.

Each case goes through the whole application, middleware and all, in a savepoint that is rolled back: the next
one finds the site as it was. Numbers of things that there are take the place of many that are drawn, for
nobody ever draws them.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import schemathesis
from django.core.cache import caches
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import ignored_auth, positive_data_acceptance

from survey_site.accounts.permissions import Role, Scope, scopes_of
from survey_site.accounts.tokens import make_token
from survey_site.api.forms_of_answers import ARCHIVE_PARSERS, FILE_PARSERS
from survey_site.api.schema import operations
from survey_site.wsgi import application
from tests.factories.accounts import make_user

STRANGERS = ("nobody", "wrong token", "no token at all")
PEOPLE = (*Role.values, *STRANGERS)
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
REFUSED_UNREAD = {400, 401, 404, 405}
"""What a stranger may get: a token is needed, there is no such address, or no such bytes are taken."""
NOT_CHECKED = [ignored_auth, positive_data_acceptance]
"""Strangers are sent here anyway; and a schema cannot say which measures, documents or names make sense."""

Numbers = Mapping[str, list[int]]
"""By the first part of an address, or by the field of a body, numbers of things that there are."""


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
    if person in Role.values:
        scopes = [str(one) for one in scopes_of(person)]
        made = make_token(user=make_user(role=person), name="t", scopes=scopes, days=1, now=timezone.now())
        return {"Authorization": f"Bearer {made.secret}"}
    return {"nobody": {}, "wrong token": {"Authorization": "Bearer concord_wrong"}}.get(
        person, {"Authorization": "Basic bm9ib2R5Og=="}
    )


def load_schema() -> Any:
    """The schema as the site serves it, but for tokens, which are sent here; files are texts."""
    types = {one.media_type for one in (*FILE_PARSERS, *ARCHIVE_PARSERS)} - {"application/octet-stream"}
    schemathesis.serializer(*types)(lambda _context, value: {"data": str(value).encode()})
    served = Client().get("/api/v1/schema/").json()
    for _, _, operation in operations(served):
        operation.pop("security", None)
    schema = schemathesis.openapi.from_dict(served)
    schema.app = application
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
            fault = _ask(case, person, people[person], found)
            if fault:
                found.faults.setdefault(fault[0], fault[1])

        send()


def _place(case: Case, numbers: Numbers, pick: int) -> None:
    """Put numbers of things that there are where the case has drawn some."""
    if pick == 0 or not case.meta or not case.meta.generation.mode.is_positive:
        return
    kind = case.path.removeprefix("/api/v1/").split("/")[0]
    for holder, names in (
        (case.path_parameters, {"id": kind, "distances": "distances"}),
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
        if person in Role.values and scope not in scopes_of(person) and response.status_code < 400:
            return f"{label}: {person} gets {response.status_code}", case.as_curl_command()
        try:
            case.validate_response(response, excluded_checks=NOT_CHECKED)
        except FailureGroup as group:
            kinds = ", ".join(sorted({type(one).__name__ for one in group.exceptions}))
            return f"{label}: {kinds} ({response.status_code})", f"{person}: {group}"
    return None


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
