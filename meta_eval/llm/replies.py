"""Replies that are kept, by the content of what was asked: no request is paid for twice.

They lie in the same store as distances do (`distances.store.signature_parts`), a folder for each model as it
was set; a row is a reply with its key, when it was kept (`asked_at`) and the messages it answers. Of two
processes that asked the same at once the one that keeps its reply first counts, for everybody and ever after:
in a folder the other one finds it there and keeps none. At a URL, where nobody can be kept out, both may be
kept; then the earlier one counts.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from meta_eval.distances.store.files import StoreFiles
from meta_eval.distances.store.pairs import Span
from meta_eval.distances.store.signature_parts import Clock, SignatureParts, utc_now
from meta_eval.llm.models import ModelOptions, Reply, replies_signature
from meta_eval.llm.questions import Request

EVERYTHING = Span(0, 2**32 - 1)
_KEPT = ("text", "finish", "prompt_tokens", "completion_tokens", "fingerprint", "top")


class ReplyStore:
    """Replies in a folder or at an fsspec URL; safe for any number of processes at once."""

    def __init__(self, url: str, *, clock: Clock = utc_now) -> None:
        self._files = StoreFiles(url)
        self._clock = clock

    def of(self, options: ModelOptions, given: Mapping[str, Reply] | None = None) -> "KeptReplies":
        """The replies of one model; `given` ones count more than those of the store."""
        signature = replies_signature(options)
        return KeptReplies(SignatureParts(self._files, signature, self._clock), given, self._clock)


class KeptReplies:
    """The replies of one model by key: those `given`, and those of a store if there is one."""

    def __init__(
        self,
        parts: SignatureParts | None = None,
        given: Mapping[str, Reply] | None = None,
        clock: Clock = utc_now,
    ) -> None:
        self._parts = parts
        self._given = dict(given or {})
        self._clock = clock
        self._found: dict[str, tuple[str, Reply]] = {}
        self._read: set[str] = set()

    def find(self, key: str) -> Reply | None:
        """The reply that is kept under a key, as of the last `refresh`."""
        if key in self._given:
            return self._given[key]
        return self._found[key][1] if key in self._found else None

    def refresh(self) -> None:
        """Read what other processes have kept since."""
        if self._parts is None:
            return
        for name, table in self._parts.tables(EVERYTHING, but=self._read):
            self._read.add(name)
            self._parts.mark_used(name)
            # Replies of before probabilities could be asked for have none.
            known = [column for column in _KEPT if column in table.column_names]
            for row in table.select(["key", "asked_at", *known]).to_pylist():
                self._add(row["key"], row["asked_at"], Reply(**{column: row[column] for column in known}))

    def keep(self, replies: Sequence[tuple[str, Request, Reply, datetime]]) -> None:
        """Write replies, each with its key and the moment, as one part; without a store nothing is kept.

        Those whose request has a reply by now are left out: `find` gives that one.
        """
        if self._parts is None or not replies:
            return
        with self._parts.alone():
            self.refresh()
            self._write(self._parts, [one for one in replies if one[0] not in self._found])

    def _write(self, parts: SignatureParts, replies: Sequence[tuple[str, Request, Reply, datetime]]) -> None:
        if not replies:
            return
        from meta_eval.distances.store.parts import encode_table

        rows = [_row(*one) for one in replies]
        heads = [int(key[:8], 16) for key, *_ in replies]
        span = Span(min(heads), max(heads))
        self._read.add(parts.keep(span, encode_table(_table(rows), parts.digest)))
        for key, _, reply, moment in replies:
            self._add(key, moment.isoformat(), reply)

    def now(self) -> datetime:
        return self._clock()

    def _add(self, key: str, asked_at: str, reply: Reply) -> None:
        """The earlier reply counts; of two in one moment that whose text sorts first."""
        known = self._found.get(key)
        if known is None or (asked_at, reply.text) < (known[0], known[1].text):
            self._found[key] = (asked_at, reply)


def _row(key: str, request: Request, reply: Reply, moment: datetime) -> dict[str, Any]:
    messages = [message.as_dict() for message in request.messages]
    return {
        "key": key,
        "asked_at": moment.isoformat(),
        **{column: getattr(reply, column) for column in _KEPT},
        "messages": json.dumps(messages, ensure_ascii=False),
    }


def _table(rows: Sequence[Mapping[str, Any]]) -> Any:
    import pyarrow as pa

    counts = ("prompt_tokens", "completion_tokens")
    schema = pa.schema([(name, pa.int64() if name in counts else pa.string()) for name in rows[0]])
    return pa.Table.from_pylist([dict(row) for row in rows], schema=schema)
