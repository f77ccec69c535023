"""Files of a store in a folder or at an fsspec URL: listed, read, and written whole or not at all."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import fsspec
from fsspec.implementations.local import LocalFileSystem

from meta_eval.errors import MetaEvalError

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

TEMPORARY, LOCK = ".writing-", ".lock-"
BUCKETS = frozenset({"s3", "gs", "gcs", "abfs", "az", "adl", "oss", "oci"})
"""Object stores: they need no folders, and what fsspec makes there in place of one is the bucket."""


class StoreError(MetaEvalError):
    """A distance store that cannot be reached, read or written."""


class StoreAddressError(StoreError):
    """An address at which nothing here can open a store; it stays so until somebody changes one of them."""


class StoreFiles:
    """The files under one URL: `file:` or a plain path, `memory:`, or whatever fsspec has a backend for."""

    def __init__(self, url: str) -> None:
        self.url = str(url)
        try:
            self._fs, root = fsspec.core.url_to_fs(self.url)
        except (ImportError, ValueError) as error:
            raise StoreAddressError(f"The distance store {self.url!r} cannot be used: {error}") from error
        self._root = root.rstrip("/")
        self._local = isinstance(self._fs, LocalFileSystem)
        names = self._fs.protocol
        self._needs_folders = BUCKETS.isdisjoint([names] if isinstance(names, str) else names)

    def folders(self, path: str = "") -> list[str]:
        """Names of the folders directly under `path`, sorted."""
        return sorted(_last(entry["name"]) for entry in self._list(path) if entry["type"] == "directory")

    def sizes(self, path: str) -> dict[str, int]:
        """Names of the files directly under `path`, sorted, and their sizes in bytes."""
        sizes = {_last(entry["name"]): entry["size"] for entry in self._list(path) if entry["type"] == "file"}
        return dict(sorted(sizes.items()))

    def _list(self, path: str) -> list[dict[str, Any]]:
        where = self._at(path)
        entries: list[dict[str, Any]] = []
        with self._told("listed"), suppress(FileNotFoundError):
            self._fs.invalidate_cache(where)
            entries = self._fs.ls(where, detail=True)
        return entries

    def read(self, path: str) -> bytes | None:
        """The file's bytes, None if it is not there (any more)."""
        data: bytes | None = None
        with self._told("read"), suppress(FileNotFoundError):
            data = self._fs.cat_file(self._at(path))
        return data

    def exists(self, path: str) -> bool:
        with self._told("read"):
            return bool(self._fs.exists(self._at(path)))

    def modified(self, path: str) -> datetime | None:
        """When the file was written, by the file system's clock; None if it is not there (any more)."""
        modified: datetime | None = None
        with self._told("read"), suppress(FileNotFoundError):
            modified = self._fs.modified(self._at(path))
        return modified

    def write(self, path: str, data: bytes) -> None:
        """Write the file so that nobody ever sees a part of it.

        On disk it is written beside under another name and renamed; an object store puts an object at once.
        """
        where = self._at(path)
        folder, _, name = where.rpartition("/")
        with self._told("written"):
            self._make_folder(folder)
            if self._local:
                temporary = f"{folder}/{TEMPORARY}{uuid.uuid4().hex}-{name}"
                self._fs.pipe_file(temporary, data)
                self._fs.mv(temporary, where)
            else:
                self._fs.pipe_file(where, data)

    def _make_folder(self, folder: str) -> None:
        """A bucket whose name is mistyped, or that these rights may not list, is not made anew."""
        if self._needs_folders:
            self._fs.makedirs(folder, exist_ok=True)

    @contextmanager
    def alone(self, name: str) -> Iterator[None]:
        """While it lasts nobody else is here under this name, in any process of this machine.

        Only a folder can be held in this way: at a URL, and where the file system has no locks, others may be
        here too.
        """
        if not self._local or fcntl is None:
            yield
            return
        place = Path(self._at(f"{LOCK}{name}"))
        with self._told("written"):
            place.parent.mkdir(parents=True, exist_ok=True)
            held = place.open("ab")
        with held:
            with suppress(OSError):
                fcntl.flock(held, fcntl.LOCK_EX)
            yield

    def move(self, path: str, to: str) -> None:
        """Move a file; one that is not there (any more) stays so."""
        target = self._at(to)
        with self._told("written"), suppress(FileNotFoundError):
            self._make_folder(target.rpartition("/")[0])
            self._fs.mv(self._at(path), target)

    def remove(self, path: str) -> None:
        """Remove a file; one that is not there (any more) stays so."""
        with self._told("cleaned"), suppress(FileNotFoundError):
            self._fs.rm_file(self._at(path))

    def remove_folder(self, path: str) -> None:
        """Remove a folder and all that is in it; one that is not there (any more) stays so."""
        with self._told("cleaned"), suppress(FileNotFoundError):
            self._fs.rm(self._at(path), recursive=True)

    def _at(self, path: str) -> str:
        return f"{self._root}/{path}" if path else self._root

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        """Whatever goes wrong meanwhile is a StoreError; `what` could not be done to the store."""
        try:
            yield
        except (MemoryError, TypeError, AttributeError):  # no fault of the place
            raise
        except Exception as error:  # a backend of fsspec has errors of its own, as of a key that is missing
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise StoreError(
                f"The distance store {self.url!r} cannot be {what}: {reason.rstrip('.')}. Check the place, "
                "its permissions and its free space, or name another store."
            ) from error


def _last(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]
