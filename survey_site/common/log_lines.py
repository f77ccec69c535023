"""How a line of the log is written, and the ids on it: which request or which job it is about.

Ids are numbers of rows, ids of tasks and random ids of requests; none of them says who somebody is.
"""

import json
import logging
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, Token, copy_context
from datetime import UTC, datetime
from typing import Any

Ids = Mapping[str, object]
_ids: ContextVar[Ids] = ContextVar("ids of log lines", default={})  # noqa: B039 - never changed in place
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")


@contextmanager
def about(**ids: object) -> Iterator[None]:
    """Put the ids on every line that is logged inside, beside those from around it."""
    token = begin(**ids)
    try:
        yield
    finally:
        end(token)


def begin(**ids: object) -> Token[Ids]:
    """As `about`, for what begins and ends in different functions; `end` takes what this gives."""
    return _ids.set({**_ids.get(), **ids})


def end(token: Token[Ids]) -> None:
    _ids.reset(token)


def current_id(name: str) -> str:
    """The id of that name on lines logged here; empty where there is none."""
    return str(_ids.get().get(name, ""))


def in_this_context(act: Callable[..., None]) -> Callable[..., None]:
    """The same for a thread: its lines carry the ids that lines carry here."""
    context = copy_context()
    return lambda *arguments: context.run(act, *arguments)


def request_id(wanted: str | None) -> str:
    """What a proxy calls the request, if that can stand in a log; else a new random id."""
    return wanted if wanted and _REQUEST_ID.fullmatch(wanted) else secrets.token_hex(8)


class IdsFilter(logging.Filter):
    """Gives each record the ids of where it was logged."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.ids = _ids.get()
        return True


class TextFormatter(logging.Formatter):
    """A line for people: time, level, logger, message, and the ids in brackets."""

    def __init__(self) -> None:
        super().__init__("{asctime} {levelname} {name} {message}", style="{")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's own name
        ids = " ".join(f"{name}={value}" for name, value in _ids_of(record).items())
        return f"{super().formatMessage(record)} [{ids}]" if ids else super().formatMessage(record)


class JsonFormatter(logging.Formatter):
    """A line for programs: one JSON object, whatever the message holds."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **_ids_of(record),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


def _ids_of(record: logging.LogRecord) -> Ids:
    found: Ids = getattr(record, "ids", {})
    return found
