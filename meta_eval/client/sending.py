"""One request and its answer: sent again where it was lost or came too soon, never to do a thing twice."""

import random
import socket
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import parse_qsl, quote, urlsplit

import msgspec

from meta_eval.client.operations import OPERATIONS, Operation
from meta_eval.client.problems import ClientError, ProblemError, UnreachableError, problem_error

T = TypeVar("T")
Bodies = Callable[[], Iterable[bytes]]
"""Makes the body anew each time it is sent."""
Sleep = Callable[[float], None]

BASE = "/api/v1"
FIRST_WAIT, LONGEST_WAIT, LONGEST_RETRY_AFTER = 0.5, 8.0, 120.0
"""Seconds: the wait after the first failure, doubled after each, up to the second; what a site may ask."""
NOT_DONE = frozenset({429, 503})
"""The site says that it did nothing: asked again whatever it was."""
NO_NAME = frozenset({socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)})
PERHAPS_DONE = frozenset({502, 504})
"""A proxy says that it does not know: like a connection that was lost."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """What is asked. `tag` is sent as If-Match: then it is done only to what is as it was."""

    operation: str
    at: Mapping[str, Any] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    json: Any = None
    body: Bodies | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    key: str | None = None
    tag: str | None = None

    @property
    def asked(self) -> Operation:
        return OPERATIONS[self.operation]

    @property
    def path(self) -> str:
        return self.asked.path.format(**{name: quote(str(value)) for name, value in self.at.items()})


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    content: bytes
    tag: str | None


class Site:
    """A connection to a site; threads may share it. `transport`, `sleep` and `jitter` (0 to 1) are for tests
    and for those who send through something of their own.
    """

    def __init__(
        self,
        address: str,
        token: str,
        *,
        timeout: float,
        retries: int,
        transport: Any = None,
        sleep: Sleep = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.address = _checked_address(address)
        self._token = _checked_token(token)
        self._timeout, self._retries, self._transport = timeout, retries, transport
        self.sleep, self._jitter = sleep, jitter
        self._client: Any = None

    def close(self) -> None:
        """Ends the connections; the next call opens new ones."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def ask(self, call: Call) -> Answer:
        """The answer, read whole."""
        return self.take(call, lambda response: Answer(response.read(), response.headers.get("ETag")))

    def read(self, kind: type[T], call: Call) -> T:
        """The answer as a record of this kind."""
        return decoded(kind, self.ask(call).content)

    def pages(self, kind: type[T], call: Call, *, limit: int = 200) -> Iterator[T]:
        """What stands in a list, page after page, each asked for when it is reached."""
        query = {**call.query, "limit": limit}
        while True:
            content = self.ask(Call(operation=call.operation, at=call.at, query=query)).content
            page = decoded(_Page, content)
            for one in page.results:
                yield decoded(kind, one)
            if page.next is None:
                return
            query = dict(parse_qsl(urlsplit(page.next).query))  # the rest of the address is ours

    def take(self, call: Call, take: Callable[[Any], T]) -> T:
        """What `take` makes of the response while it comes; called anew where the connection was lost."""
        headers, failures = self._headers(call), 0
        while True:
            failures += 1
            try:
                return self._once(call, headers, take, again=failures > 1)
            except _Failed as failed:
                if failures > self._retries or not (failed.not_done or call.tag is None):
                    raise failed.error from failed.__cause__
                self.sleep(failed.after if failed.after is not None else self._wait(failures))

    def _once(self, call: Call, headers: Mapping[str, str], take: Callable[[Any], T], *, again: bool) -> T:
        http, client = _http(), self._opened()
        method, url = call.asked.method, f"{self.address}{BASE}/{call.path}"
        content = call.body() if call.body else None
        request = client.build_request(
            method, url, params=_said(call.query), headers=headers, json=call.json, content=content
        )
        try:
            response = client.send(request, stream=True)
            try:
                self._check(response)
                return take(response)
            except ProblemError as error:
                if again and method == "DELETE" and error.status == 404:
                    return take(response)  # it was deleted, and the answer was lost
                raise
            finally:
                response.close()
        except http.TransportError as error:
            fault = f"{type(error).__name__}: {error}"
            said = f"{self.address} cannot be reached: {fault}. Is this the site's address?"
            if _is_no_name(error):
                raise UnreachableError(f"{said} No machine has this name.") from error
            unsent = (http.ConnectError, http.ConnectTimeout, http.PoolTimeout)
            raise _Failed(UnreachableError(said), not_done=isinstance(error, unsent)) from error

    def _check(self, response: Any) -> None:
        status = response.status_code
        if status < 300:
            return
        if status < 400:
            raise ClientError(_moved(self.address, response.headers.get("Location", "")))
        response.read()
        error = problem_error(status, response.content, response.text)
        if status in NOT_DONE | PERHAPS_DONE:
            after = _seconds(response.headers.get("Retry-After"))
            raise _Failed(error, not_done=status in NOT_DONE, after=after)
        raise error

    def _headers(self, call: Call) -> dict[str, str]:
        """One Idempotency-Key for all times that the call is sent."""
        headers = {"Accept": "application/json", **call.headers}
        if call.asked.keyed:
            headers["Idempotency-Key"] = call.key or uuid.uuid4().hex
        if call.tag is not None:
            headers["If-Match"] = call.tag
        return headers

    def _wait(self, failures: int) -> float:
        wait: float = min(FIRST_WAIT * 2 ** (failures - 1), LONGEST_WAIT)
        return wait * (1 - 0.25 * self._jitter())

    def _opened(self) -> Any:
        if self._client is None:
            headers = {"Authorization": f"Bearer {self._token}"}
            self._client = _http().Client(timeout=self._timeout, headers=headers, transport=self._transport)
        return self._client


def _http() -> Any:
    try:
        import httpx2
    except ImportError as missing:
        raise ClientError("The client needs httpx2: run `pip install httpx2`.") from missing
    return httpx2


def _is_no_name(error: BaseException) -> bool:
    """Whether nobody answers to the name of the host; asking again would find nobody either.

    A resolver that cannot say so now (EAI_AGAIN) is asked again, as any server is.
    """
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, socket.gaierror):
            return seen.errno in NO_NAME
        seen = seen.__cause__ or seen.__context__
    return False


class _Failed(Exception):  # noqa: N818 - it never leaves this file
    """A try that may be made again. not_done: whether it is sure that the site did nothing."""

    def __init__(self, error: ClientError, *, not_done: bool, after: float | None = None) -> None:
        super().__init__(str(error))
        self.error, self.not_done, self.after = error, not_done, after


class _Page(msgspec.Struct):
    results: list[msgspec.Raw]
    next: str | None = None


def decoded(kind: type[T], content: bytes | msgspec.Raw) -> T:
    """The record that JSON holds. Raises ClientError where a field that this client knows is not there."""
    try:
        return msgspec.json.decode(content, type=kind)
    except msgspec.MsgspecError as error:
        if bytes(content).lstrip()[:1] not in {b"{", b"["}:
            raise ClientError(
                "What answers there is no API of Concord: is this the site's address?"
            ) from error
        raise ClientError(
            f"The site answered something that this client does not know ({error}): it may be of another "
            "version. Install the one that belongs to the site."
        ) from error


def _moved(address: str, place: str) -> str:
    """What is said of a redirection, which is never followed: the token is for one address alone."""
    there, here = urlsplit(place), urlsplit(address)
    if not there.netloc:
        return f"{address} leads to {place or 'elsewhere'}: is this the site's address?"
    base = there._replace(path=there.path.partition(f"{BASE}/")[0].rstrip("/"), query="", fragment="")
    told = f"{address} leads to {base.geturl()}: give that address to Concord."
    if (here.scheme, there.scheme) == ("http", "https"):
        told += " The token went there unencrypted: revoke it, and make a new one."
    return told


def _said(query: Mapping[str, Any]) -> dict[str, Any]:
    """Without what was left open."""
    return {name: value for name, value in query.items() if value is not None}


def _checked_address(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
        raise ClientError("The address of a site begins with http:// or https:// and a host.")
    if "@" in parts.netloc:
        raise ClientError("The address of a site holds no user: the token is given beside it.")
    return address.rstrip("/").removesuffix(BASE)


def _checked_token(token: str) -> str:
    """One that no header can hold is refused unseen, since another error would show it."""
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise ClientError(
            "This is no token: make one on the site under Your account, API tokens, and give it whole."
        )
    return token


def _seconds(text: str | None) -> float | None:
    try:
        seconds = float(text or "")
    except ValueError:
        return None
    return min(seconds, LONGEST_RETRY_AFTER) if seconds >= 0 else None


def names_of(values: str | Sequence[str]) -> list[str]:
    """One name or several as a list."""
    return [values] if isinstance(values, str) else list(values)
