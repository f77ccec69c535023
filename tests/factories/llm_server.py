"""A scripted model server on 127.0.0.1 that speaks OpenAI's chat completions, and can fail in every way."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Script = Callable[[Mapping[str, Any], int], "Play"]
"""From a request's body, and how often that body came before, to what the server does."""
Beside = Callable[[str, Mapping[str, Any]], Any]
"""From another address and the body sent there to what it answers as JSON; None: there is no such address.

An error that it raises is what the server answers with, by `Failing`.
"""


class Failing(Exception):  # noqa: N818 - it is what a script says, not a fault of a test
    """What another address answers in place of JSON: a status and words."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(said)
        self.status = status


@dataclass(frozen=True)
class Play:
    """What the server does with a request; by default it answers with `text`.

    `fault`: "" or "cut" (half a body), "garbage" (no JSON), "hang" (closes without a word).
    """

    text: str = ""
    status: int = 200
    finish: str = "stop"
    refusal: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    error: str = ""
    fault: str = ""
    fingerprint: str | None = None
    logprobs: Mapping[str, Any] | None = None


@dataclass
class Seen:
    """What came to the server: each request's bytes and headers, and how many were there at once at most."""

    bodies: list[bytes] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0
    counts: dict[bytes, int] = field(default_factory=dict)
    beside: list[str] = field(default_factory=list)


@dataclass
class ModelServer:
    """A running server: its address as a model's `url`, and what it has seen."""

    url: str
    seen: Seen

    @property
    def requests(self) -> int:
        return len(self.seen.bodies)


@contextmanager
def model_server(
    script: Script, *, before: Callable[[], None] = lambda: None, beside: Beside | None = None
) -> Iterator[ModelServer]:
    """A server until the block ends; `before` is called in each request's thread before it is answered.

    What comes to other addresses than that of completions is answered by `beside`.
    """
    seen, lock = Seen(), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            if not self.path.endswith("/chat/completions"):
                self._beside(json.loads(raw))
                return
            with lock:
                times = seen.counts[raw] = seen.counts.get(raw, 0) + 1
                seen.bodies.append(raw)
                seen.headers.append(dict(self.headers))
                seen.at_once += 1
                seen.most_at_once = max(seen.most_at_once, seen.at_once)
            before()
            play = script(json.loads(raw), times - 1)
            with lock:
                seen.at_once -= 1
            self._perform(play, raw)

        def _beside(self, body: Mapping[str, Any]) -> None:
            seen.beside.append(self.path)
            try:
                found = beside(self.path, body) if beside else None
                status = 404 if found is None else 200
            except Failing as failing:
                found, status = {"error": {"message": str(failing)}}, failing.status
            data = json.dumps(found).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _perform(self, play: Play, raw: bytes) -> None:
            if play.fault == "hang":
                self.close_connection = True
                return
            data = b"<html>no JSON</html>" if play.fault == "garbage" else _body(play, raw)
            self.send_response(play.status)
            for name, value in play.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data[: len(data) // 2] if play.fault == "cut" else data)
            self.close_connection = play.fault == "cut"

        def log_message(self, *args: Any) -> None:
            """Nothing on the terminal."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield ModelServer(f"http://127.0.0.1:{server.server_port}/v1", seen)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _body(play: Play, raw: bytes) -> bytes:
    if play.status != 200:
        return json.dumps({"error": {"message": play.error or "scripted"}}).encode()
    message = {"role": "assistant", "content": play.text, "refusal": play.refusal}
    choice = {"index": 0, "message": message, "finish_reason": play.finish, "logprobs": play.logprobs}
    completion = {
        "object": "chat.completion",
        "choices": [choice],
        "usage": {"prompt_tokens": len(raw) // 4, "completion_tokens": max(1, len(play.text) // 4)},
        "system_fingerprint": play.fingerprint,
    }
    return json.dumps(completion).encode()


def prompt_of(body: Mapping[str, Any]) -> str:
    """The last thing that the user said."""
    return str(body["messages"][-1]["content"])
