"""A browser as the site sees one: cookies, forms, and a line that can break in the middle of a request."""

from dataclasses import dataclass
from enum import StrEnum
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlencode, urlsplit

TIMEOUT_SECONDS = 60.0


class NoAnswer(Exception):  # noqa: N818 - it is no error of the program
    """The request got no answer: server down, line broken, or the script hung up. It may have been heard."""


class HangUp(StrEnum):
    """Where the line breaks."""

    HALF_SENT = "half sent"
    UNANSWERED = "sent, but closed before the answer"


@dataclass(frozen=True)
class Reply:
    """An answer of the site, with the whole body. is_to_wait: whether it says when to try again."""

    status: int
    location: str
    body: str
    is_to_wait: bool = False


class Browser:
    """One person's browser. Each request has a connection of its own, so that several can be under way."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self._connect = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._host = parts.netloc
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self.cookies: dict[str, str] = {}

    def get(self, path: str) -> Reply:
        return self._request("GET", path)

    def post(
        self,
        path: str,
        fields: dict[str, Any],
        *,
        headers: dict[str, str] | None = None,
        hang_up: HangUp | None = None,
    ) -> Reply:
        body = urlencode(fields).encode()
        sent = body[: len(body) // 2] if hang_up == HangUp.HALF_SENT else body
        form = {"Content-Type": "application/x-www-form-urlencoded", "Content-Length": str(len(body))}
        return self._request("POST", path, sent, form | (headers or {}), hang_up)

    def _request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
        hang_up: HangUp | None = None,
    ) -> Reply:
        connection = self._connect(self._host, timeout=TIMEOUT_SECONDS)
        try:
            connection.request(method, path, body, self._headers() | (headers or {}))
            if hang_up:
                raise NoAnswer(hang_up)
            return self._read(connection)
        except (OSError, HTTPException) as error:
            raise NoAnswer(f"{type(error).__name__}: {error}") from error
        finally:
            connection.close()

    def _headers(self) -> dict[str, str]:
        cookies = "; ".join(f"{name}={value}" for name, value in list(self.cookies.items()))
        return {"Referer": f"{self._origin}/", "Connection": "close"} | (
            {"Cookie": cookies} if cookies else {}
        )

    def _read(self, connection: HTTPConnection) -> Reply:
        response = connection.getresponse()
        body = response.read().decode("utf-8", errors="replace")
        for line in response.headers.get_all("Set-Cookie") or []:
            self.cookies |= {name: morsel.coded_value for name, morsel in SimpleCookie(line).items()}
        headers = response.headers
        return Reply(response.status, headers.get("Location", ""), body, "Retry-After" in headers)
