"""A provider of OpenID Connect on 127.0.0.1: real keys, codes that work once, checked PKCE, and lies; and the
journey of a browser to it and back.
"""

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import requests
from django.test import Client
from joserfc import jwt
from joserfc.jwk import KeySet, OctKey, RSAKey

START, BACK, YOU = "/accounts/openid/", "/accounts/openid/back/", "/accounts/you/"
CLIENT, SECRET = "concord", "a secret of the site's"
KEY, OTHER_KEY = (RSAKey.generate_key(2048, {"kid": name, "use": "sig"}) for name in ("one", "other"))


class Provider:
    """What it says of whoever logs in (`claims`), with which key, and what came to it.

    claims: beside what is right, and in its place; None takes one away. refuses: logs nobody in. says: of
    itself, in place of what is so.
    """

    def __init__(self) -> None:
        self.url = ""
        self.claims: dict[str, Any] = {}
        self.key: RSAKey | OctKey = KEY
        self.published = [KEY]
        self.algorithm = "RS256"
        self.refuses = False
        self.has_log_out = True
        self.says: dict[str, Any] = {}
        self.asked: list[dict[str, str]] = []
        self.granted: dict[str, dict[str, str]] = {}
        self.paths: list[str] = []

    def configuration(self) -> dict[str, Any]:
        said = {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/keys",
            "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
        }
        said |= self.says
        return said | ({"end_session_endpoint": f"{self.url}/end"} if self.has_log_out else {})

    def authorize(self, query: dict[str, str]) -> str:
        """Where the browser is led back to."""
        self.asked.append(query)
        if self.refuses:
            return f"{query['redirect_uri']}?{urlencode({'error': 'access_denied', 'state': query['state']})}"
        code = secrets.token_urlsafe(16)
        self.granted[code] = query
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"

    def token(self, form: dict[str, str], authorization: str) -> dict[str, Any] | None:
        """The tokens for a code; None where the code, the site, or its proof (PKCE) is not right."""
        asked = self.granted.pop(form.get("code", ""), None)
        expected = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        proof = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if asked is None or asked["code_challenge"] != proof or asked["redirect_uri"] != form["redirect_uri"]:
            return None
        if authorization != f"Basic {expected}":
            return None
        return {
            "access_token": "of no use",
            "token_type": "Bearer",
            "id_token": self.id_token(asked["nonce"]),
        }

    def id_token(self, nonce: str) -> str:
        now = int(time.time())
        right = {
            "iss": self.url,
            "aud": CLIENT,
            "sub": "person-1",
            "nonce": nonce,
            "iat": now,
            "exp": now + 300,
        }
        claims = {name: value for name, value in (right | self.claims).items() if value is not None}
        header = {"alg": self.algorithm, "kid": self.key.kid or "one"}
        return jwt.encode(header, claims, self.key, algorithms=[self.algorithm])

    def keys(self) -> dict[str, Any]:
        return KeySet(self.published).as_dict(private=False)


@contextmanager
def running_provider() -> Iterator[Provider]:
    """One that runs until the block ends."""
    provider = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            provider.paths.append(parts.path)
            if parts.path == "/authorize":
                self.send_response(302)
                self.send_header("Location", provider.authorize(dict(parse_qsl(parts.query))))
                self.end_headers()
            elif parts.path in {"/keys", "/.well-known/openid-configuration"}:
                self._send(provider.keys() if parts.path == "/keys" else provider.configuration())
            else:
                self._send({"error": "not found"}, 404)

        def do_POST(self) -> None:
            provider.paths.append(self.path)
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            tokens = provider.token(form, self.headers.get("Authorization", ""))
            self._send(tokens or {"error": "invalid_grant"}, 200 if tokens else 400)

        def _send(self, value: Any, status: int = 200) -> None:
            body = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_args: Any) -> None:
            """Nothing: pytest shows what failed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def way_back(client: Client, start: str = START) -> str:
    """The address with which the provider sends the browser back to the site."""
    there = client.get(start)
    assert there.status_code == 302
    return requests.get(there.headers["Location"], allow_redirects=False, timeout=10).headers["Location"]


def there_and_back(client: Client, start: str = START) -> Any:
    return client.get(way_back(client, start))


def who(client: Client) -> str:
    """The user name of whoever is logged in."""
    page = client.get(YOU).context
    return str(page["user"].username) if page else ""
