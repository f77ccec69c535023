"""The part files of one signature in a store: written whole, never changed, checked when they are read.

Under the folder or URL of a store there is one folder for each signature, named by its digest:

    signature.json                              what the parts hold, for people
    parts/FIRST-LAST-CHECKSUM.parquet           rows whose keys lie from FIRST to LAST, 32 bits each
    used/FIRST-LAST-CHECKSUM.parquet            when that part was last read or written
    damaged/...                                 parts that did not hold what was written, set aside

A part's name is made from its content, so any number of processes may write at once.
"""

import json
import logging
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Any

from meta_eval.distances.store.files import StoreFiles
from meta_eval.distances.store.pairs import Span
from meta_eval.measures.base import Signature

PARTS, USED, DAMAGED, MANIFEST = "parts", "used", "damaged", "signature.json"
Clock = Callable[[], datetime]

log = logging.getLogger(__name__)


def utc_now() -> datetime:
    return datetime.now(UTC)


class SignatureParts:
    """The parts of one signature; `clock` dates the uses by which a store is cleaned."""

    def __init__(self, files: StoreFiles, signature: Signature, clock: Clock = utc_now) -> None:
        self._files = files
        self._signature = signature
        self.digest = signature.digest
        self._clock = clock
        self._marked: set[str] = set()

    def tables(self, span: Span, *, but: Collection[str] = ()) -> Iterator[tuple[str, Any]]:
        """Name and table of the sound parts that meet `span`, the narrowest first: most likely they suffice.

        `but` names those that are not wanted.
        """
        from meta_eval.distances.store.parts import DamagedPartError, decode_part, parse_name

        named = [parse_name(name) for name in self._files.sizes(f"{self.digest}/{PARTS}") if name not in but]
        parts = [name for name in named if name and name.span.meets(span)]
        for name in sorted(parts, key=lambda part: (part.span.last - part.span.first, str(part))):
            data = self._files.read(self._path(PARTS, str(name)))
            if data is None:
                continue
            try:
                table = decode_part(name, data, self.digest)
            except DamagedPartError as error:
                self._set_aside(str(name), error)
                continue
            yield str(name), table

    def alone(self) -> AbstractContextManager[None]:
        """While it lasts no other process of this machine is here: what is read stays all there is."""
        return self._files.alone(self.digest)

    def keep(self, span: Span, data: bytes) -> str:
        """Write a part, and give its name."""
        from meta_eval.distances.store.parts import name_part

        self._write_manifest()
        name = str(name_part(span, data))
        self._files.write(self._path(PARTS, name), data)
        self.mark_used(name)
        return name

    def mark_used(self, name: str) -> None:
        """Date the use of a part, once for each process: what was used least recently is cleaned first."""
        if name not in self._marked:
            self._files.write(self._path(USED, name), self._clock().isoformat().encode())
            self._marked.add(name)

    def remove(self) -> None:
        """Remove all parts, those that were set aside too."""
        self._files.remove_folder(self.digest)
        self._marked.clear()

    def _set_aside(self, name: str, error: Exception) -> None:
        log.warning(
            "Part %s of the store %s is damaged: %s. It was set aside under %s/%s, and what it held is "
            "computed, or asked, again.",
            name,
            self._files.url,
            error,
            self.digest,
            DAMAGED,
        )
        self._files.move(self._path(PARTS, name), self._path(DAMAGED, name))
        self._files.remove(self._path(USED, name))

    def _write_manifest(self) -> None:
        path = f"{self.digest}/{MANIFEST}"
        if not self._marked and not self._files.exists(path):
            manifest = {"signature": self._signature.as_dict(), "text": self._signature.text}
            self._files.write(path, (json.dumps(manifest, indent=2) + "\n").encode())

    def _path(self, folder: str, name: str) -> str:
        return f"{self.digest}/{folder}/{name}"
