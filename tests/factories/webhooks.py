"""A program that receives webhooks: a real server on loopback, which answers as it is told."""

import base64
import hashlib
import hmac
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from survey_site.accounts.models import User
from survey_site.webhooks.delivering import deliver
from survey_site.webhooks.models import Endpoint
from survey_site.webhooks.services import make_endpoint
from tests.factories.accounts import make_user
from tests.factories.batches import NOW


@dataclass
class Receiver:
    """What came, as headers and body; `status`, `answer` and `headers` are what it says next."""

    port: int = 0
    status: int = 204
    answer: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    came: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    @property
    def ids(self) -> list[str]:
        return [headers["webhook-id"] for headers, _ in self.came]

    @property
    def said(self) -> list[Any]:
        """The bodies, read."""
        return [json.loads(body) for _, body in self.came]


@contextmanager
def receiving() -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            receiver.came.append(({name.lower(): text for name, text in self.headers.items()}, body))
            self.send_response(receiver.status)
            for name, text in receiver.headers.items():
                self.send_header(name, text)
            self.end_headers()
            self.wfile.write(receiver.answer)

        def do_GET(self) -> None:
            receiver.came.append(({"webhook-id": "redirected"}, b""))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver.port = server.server_port
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()


def make_webhook(address: str, *events: str, owner: User | None = None) -> Endpoint:
    owner = owner or make_user(role="researcher")
    return make_endpoint(owner=owner, address=address, events=events or ("batch.launched",), now=NOW)


def deliver_at(now: datetime = NOW) -> int:
    """How many deliveries a worker makes at that time."""
    return deliver(clock=lambda: now)


def plain_signature(secret: str, headers: dict[str, str], body: bytes) -> str:
    """As the specification words it, and with nothing of the site's."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    content = headers["webhook-id"] + "." + headers["webhook-timestamp"] + "." + body.decode()
    return "v1," + base64.b64encode(hmac.digest(key, content.encode(), hashlib.sha256)).decode()
