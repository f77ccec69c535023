"""One request to an endpoint: bounded in time and in what is read, without redirects, proxies or decoding."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpcore2

from survey_site.common.errors import InvalidInputError
from survey_site.webhooks.targets import ForbiddenTargetError, check_address, resolve

SECONDS = 15.0
"""For all of a request, from the first look at the name to the last byte that is read."""
MOST_BYTES = 2048
"""Of a response that are read."""


@dataclass(frozen=True)
class Outcome:
    """What came of a request: a status and the first letters of the response, or why there is none."""

    status: int | None
    answer: str
    fault: str
    milliseconds: int

    @property
    def is_delivered(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


def post(address: str, body: bytes, headers: Mapping[str, str]) -> Outcome:
    """Send it once. Nothing is raised for what the network, the name or the other side do."""
    start = time.monotonic()
    status, answer, fault = None, b"", ""
    try:
        status, answer = _post(address, body, headers, start + SECONDS)
    except ForbiddenTargetError as error:
        fault = f"Not sent: {error}"
    except httpcore2.TimeoutException:
        fault = f"No whole answer within {SECONDS:.0f} seconds."
    except InvalidInputError as error:  # of a setting that has changed since the address was given
        fault = f"Not sent: {error.message}"
    except Exception as error:  # of the network, the name or the client: an attempt that failed, in any case
        fault = f"{type(error).__name__}: {error}"
    took = round(1000 * (time.monotonic() - start))
    text = answer.decode("utf-8", errors="replace").replace("\0", "\ufffd")
    return Outcome(status, text, fault[:200], took)


def _post(address: str, body: bytes, headers: Mapping[str, str], until: float) -> tuple[int, bytes]:
    named = ("host", urlsplit(address).netloc)  # the client leaves the brackets of an IPv6 address out
    sent = [named, ("content-type", "application/json"), ("user-agent", "Concord-Webhooks"), *headers.items()]
    timeouts = dict.fromkeys(("connect", "read", "write", "pool"), SECONDS)
    check_address(address)
    with (
        httpcore2.ConnectionPool(network_backend=_CheckedBackend(until)) as pool,
        pool.stream(
            "POST", address, headers=sent, content=body, extensions={"timeout": timeouts}
        ) as response,
    ):
        return response.status, _first_bytes(response.iter_stream())


def _first_bytes(chunks: Iterable[bytes]) -> bytes:
    found = b""
    for chunk in chunks:
        found += chunk
        if len(found) >= MOST_BYTES:
            break
    return found[:MOST_BYTES]


class _CheckedBackend(httpcore2.SyncBackend):
    """Connects to an address that was looked at, and to no other; TLS still asks for the name."""

    def __init__(self, until: float) -> None:
        self._until = until

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> httpcore2.NetworkStream:
        fault: Exception = httpcore2.ConnectError(f"{host} has no address.")
        for address in resolve(host, port):
            try:
                stream = super().connect_tcp(
                    address, port, _left(self._until, timeout), local_address, socket_options
                )
                return _BoundedStream(stream, self._until)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                fault = error
        raise fault


class _BoundedStream(httpcore2.NetworkStream):
    """Each step gets what is left of the time for all: a byte now and then does not hold the sender up."""

    def __init__(self, stream: httpcore2.NetworkStream, until: float) -> None:
        self._stream, self._until = stream, until

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _left(self._until, timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _left(self._until, timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        stream = self._stream.start_tls(ssl_context, server_hostname, _left(self._until, timeout))
        return _BoundedStream(stream, self._until)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def _left(until: float, timeout: float | None) -> float:
    """Seconds for one step. Raises what the client raises for a time that is over."""
    left = until - time.monotonic()
    if left <= 0:
        raise httpcore2.ReadTimeout("The time for the request is over.")
    return left if timeout is None else min(left, timeout)
