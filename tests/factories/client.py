"""The library's client before the real site, without a server between them."""

import httpx2
from django.test import Client
from django.utils import timezone

from meta_eval.client import Concord
from survey_site.accounts.permissions import scopes_of
from survey_site.accounts.tokens import make_token
from tests.factories.accounts import make_user


def make_secret(role: str = "admin") -> str:
    """A token of somebody with that role, with every scope that the role has."""
    scopes = [str(one) for one in scopes_of(role)]
    made = make_token(user=make_user(role=role), name="client", scopes=scopes, days=1, now=timezone.now())
    return str(made.secret)


def make_concord(role: str = "admin") -> Concord:
    """The client of somebody with that role; it never sleeps."""
    transport = httpx2.MockTransport(_through_django)
    return Concord("http://testserver", make_secret(role), transport=transport, sleep=lambda _seconds: None)


def _through_django(request: httpx2.Request) -> httpx2.Response:
    kind = request.headers.get("Content-Type", "application/json")
    headers = {name: text for name, text in request.headers.items() if name.lower() != "host"}
    path, body = request.url.raw_path.decode(), request.read()
    client = Client(raise_request_exception=False)
    answer = client.generic(request.method, path, body, content_type=kind, headers=headers)
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content  # type: ignore[arg-type]
    return httpx2.Response(answer.status_code, headers=dict(answer.headers), content=content)
