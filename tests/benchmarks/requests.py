"""What does a whole questionnaire cost the web process, from joining to the last page?

    python -m tests.benchmarks.requests --questionnaires 30
    DATABASE_URL=postgres://... python -m tests.benchmarks.requests

Raters of a database of its own go through the rehearsal's batch one after the other, in this process: all
middleware, templates and commits are in it, the web server's own work (about 0.1 ms a request) is not.
Printed for each request: the median of the processor's milliseconds, which other programs on the machine
disturb little, and the most statements that the database was sent; then the sum for six ratings, and, per
questionnaire as it is, seven pairs in some, what the PostgreSQL process that serves ours took itself.
"""

import argparse
import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from http.cookies import SimpleCookie
from io import BytesIO
from statistics import median
from typing import Any
from urllib.parse import urlencode
from wsgiref.util import setup_testing_defaults

from tests.benchmarks.own_site import NO_LIMITS, own_site, server_seconds

PER_QUESTIONNAIRE = {"join": 1, "start": 1, "rate": 6, "submit": 1, "done": 1}


class Browser:
    """Sends requests straight to the application, and notes what each kind of them costs."""

    def __init__(self, application: Callable[..., Any], statements: list[str]) -> None:
        self.costs: dict[str, list[tuple[float, int]]] = defaultdict(list)
        self.cookies: dict[str, str] = {}
        self._application, self._statements = application, statements

    def send(self, kind: str, path: str, fields: dict[str, object] | None = None) -> tuple[str, str]:
        """The page and the address that it leads on to."""
        headers: dict[str, str] = {}
        environ = self._environ(path, fields)
        self._statements.clear()
        started = time.process_time()
        answer = self._application(environ, lambda _status, given, *_rest: headers.update(self._read(given)))
        page = b"".join(answer).decode()
        answer.close()
        self.costs[kind].append((1000 * (time.process_time() - started), len(self._statements)))
        return page, headers.get("Location", "")

    def _environ(self, path: str, fields: dict[str, object] | None) -> dict[str, Any]:
        body = urlencode(fields or {}).encode()
        environ = {
            "REQUEST_METHOD": "GET" if fields is None else "POST",
            "PATH_INFO": path,
            "REMOTE_ADDR": "127.0.0.1",
            "CONTENT_LENGTH": str(len(body)),
            "CONTENT_TYPE": "application/x-www-form-urlencoded",
            "HTTP_COOKIE": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            "wsgi.input": BytesIO(body),
        }
        setup_testing_defaults(environ)
        return environ

    def _read(self, headers: list[tuple[str, str]]) -> dict[str, str]:
        for name, value in headers:
            if name == "Set-Cookie":
                self.cookies |= {one.key: one.coded_value for one in SimpleCookie(value).values()}
        return dict(headers)


def fill_in(browser: Browser, token: str) -> None:
    """One rater: join, start, rate pair by pair as the page's script does, submit, read the last page."""
    browser.cookies.clear()
    page, _ = browser.send("join", f"/s/{token}/")
    page, _ = browser.send("start", f"/s/{token}/start/", joining_fields(page) | {"at_once": "yes"})
    address = re.findall(r'action="([^"]+/q/[^"]+)"', page)[0]
    form = {_TOKEN: _field(page, _TOKEN), "tab": "t"}
    names = list(dict.fromkeys(re.findall(r'name="(rating-[^"]+)"', page)))
    for turn, name in enumerate(names):
        answer = {"item": name.removeprefix("rating-"), "value": 3, "turn": turn}
        stored, _ = browser.send("rate", f"{address}rate/", form | answer)
        if stored != '{"value": 3}':
            raise SystemExit(f"A rating was answered with {stored[:200]!r}")
    form |= {"turn": len(names), "comment": "", "comment_before": "", **dict.fromkeys(names, 3)}
    _, address = browser.send("submit", address, form)
    browser.send("done", address)


_TOKEN = "csrfmiddlewaretoken"


def joining_fields(page: str) -> dict[str, object]:
    """What the first page sends when somebody agrees to take part."""
    return {name: _field(page, name) for name in (_TOKEN, "key")}


def _field(page: str, name: str) -> str:
    found = re.findall(rf'name="{name}" value="([^"]+)"', page)
    return str(found[-1])


def measure(questionnaires: int) -> None:
    from django.db import connection
    from django.utils import timezone

    from survey_site.rehearsal.services import make_rehearsal_batch
    from survey_site.wsgi import application

    batch = make_rehearsal_batch(raters=200, seed=1, now=timezone.now())
    statements: list[str] = []

    def note(execute: Callable[..., Any], sql: str, *arguments: Any) -> Any:
        statements.append(sql)
        return execute(sql, *arguments)

    with connection.execute_wrapper(note):
        browser = Browser(application, statements)
        for _ in range(5):  # what is made once
            fill_in(browser, batch.token)
        browser.costs.clear()
        connection.close_at = None  # one process of the server serves us all the time
        before = server_seconds()
        for _ in range(questionnaires):
            fill_in(browser, batch.token)
        server = 1000 * (server_seconds() - before) / questionnaires
    _print(browser, connection.vendor, server)


def _print(browser: Browser, database: str, server: float) -> None:
    typical = {kind: median(ms for ms, _ in browser.costs[kind]) for kind in PER_QUESTIONNAIRE}
    for kind, milliseconds in typical.items():
        most = max(count for _, count in browser.costs[kind])
        sys.stdout.write(f"{kind:8}{milliseconds:7.2f} ms {most:4} statements\n")
    whole = sum(times * typical[kind] for kind, times in PER_QUESTIONNAIRE.items())
    sys.stdout.write(f"a questionnaire of six ratings on {database}: {whole:.1f} ms of processor\n")
    if server:
        ratings = len(browser.costs["rate"]) / len(browser.costs["join"])
        sys.stdout.write(f"and {server:.1f} ms of the server's for one of {ratings:.1f} ratings on average\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--questionnaires", type=int, default=30)
    questionnaires = parser.parse_args().questionnaires
    with own_site(**NO_LIMITS):
        measure(questionnaires)


if __name__ == "__main__":
    main()
