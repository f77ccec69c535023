"""Programs with tokens, for tests."""

import json
from typing import Any

from django.test import Client
from django.utils import timezone

from survey_site.accounts.models import User
from survey_site.accounts.permissions import scopes_of
from survey_site.accounts.tokens import make_token
from tests.factories.accounts import make_user

BASE = "/api/v1/"


class Program:
    """Asks the API with a token of its own, or with none."""

    def __init__(self, secret: str = "", user: User | None = None) -> None:
        self.user, self._client = user, Client(raise_request_exception=False)
        self._headers = {"Authorization": f"Bearer {secret}"} if secret else {}

    def ask(self, method: str, path: str, body: Any = None, **options: Any) -> Any:
        """The answer. Without `kind` a body is sent as JSON."""
        headers = {**self._headers, **options.pop("headers", {})}
        kind = options.pop("kind", "application/json")
        data = json.dumps(body) if kind == "application/json" and body is not None else body or ""
        path = path if path.startswith("/") else BASE + path
        return self._client.generic(method, path, data, content_type=kind, headers=headers, **options)

    def get(self, path: str, **headers: str) -> Any:
        return self.ask("GET", path, headers={name.replace("_", "-"): text for name, text in headers.items()})

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        named = {name.replace("_", "-"): text for name, text in headers.items()}
        return self.ask("POST", path, body, headers=named)


def make_program(
    role: str = "admin", *, scopes: list[str] | None = None, user: User | None = None
) -> Program:
    """One with a token of somebody with that role; with every scope that the role has, unless told."""
    user = user or make_user(role=role)
    given = [str(one) for one in scopes_of(role)] if scopes is None else scopes
    made = make_token(user=user, name="test", scopes=given, days=1, now=timezone.now())
    return Program(made.secret, user)
