"""How long requests took and how they ended, by route, counted over all web processes of the site.

Each process adds to a file of its own below the data folder, which it has mapped and locked: no request waits
for another process. A process that starts takes the file of one that died and counts on, so that no count
ever falls. The columns of a file are those of one version's routes, whose hash is in its name.
"""

import fcntl
import logging
import mmap
import os
import platform
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import get_resolver

from survey_site.common.digest import digest

FOLDER = "request-times"
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds up to which each bucket counts; one more is for what took longer."""
STATUSES = (200, 204, 301, 302, 304, 400, 401, 403, 404, 405, 409, 410, 413, 422, 429, 500, 503)
"""Those that the site answers with; one more column, 0, is for others."""
NO_ROUTE, OTHER_ROUTE = "none", "other"
_SUM = len(BOUNDS) + 1
_WIDTH = _SUM + 1 + len(STATUSES) + 1
_BYTES = 8
_lock = Lock()
_own: dict[Path, "memoryview[int] | None"] = {}
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class RouteTimes:
    """One route: requests in each bucket (not added up), their seconds together, and answers by status."""

    route: str
    buckets: Sequence[int]
    seconds: float
    statuses: dict[int, int]


def observe(request: HttpRequest, status: int, seconds: float) -> None:
    """Count a request that was answered."""
    match = request.resolver_match
    row = _rows()[0].get(match.view_name, 1) * _WIDTH if match else 0
    ended = STATUSES.index(status) if status in STATUSES else len(STATUSES)
    with _lock:
        cells = _own_cells()
        if cells is not None:
            cells[row + bisect_left(BOUNDS, seconds)] += 1
            cells[row + _SUM] += int(seconds * 1e6)
            cells[row + _SUM + 1 + ended] += 1


def read_times() -> Iterator[RouteTimes]:
    """What all processes counted, of each route that was asked for."""
    names, version = _rows()
    total = array("q", bytes(_BYTES * _WIDTH * len(names)))
    for path in _folder().glob(f"*.{version}"):
        found = array("q", path.read_bytes())
        if len(found) == len(total):
            total = array("q", map(sum, zip(total, found, strict=True)))
    for name, row in names.items():
        cells = total[row * _WIDTH : (row + 1) * _WIDTH]
        if any(cells):
            ended = dict(zip((*STATUSES, 0), cells[_SUM + 1 :], strict=True))
            yield RouteTimes(name, cells[:_SUM], cells[_SUM] / 1e6, {k: n for k, n in ended.items() if n})


@cache
def _rows() -> tuple[dict[str, int], str]:
    """The row of each route, and the hash of them all with their columns."""
    names = [NO_ROUTE, OTHER_ROUTE, *sorted(set(_route_names(get_resolver().url_patterns, "")))]
    return {name: row for row, name in enumerate(names)}, digest([names, BOUNDS, STATUSES])[:12]


def _route_names(patterns: Sequence[Any], prefix: str) -> Iterator[str]:
    for one in patterns:
        if hasattr(one, "url_patterns"):
            inner = f"{prefix}{one.namespace}:" if one.namespace else prefix
            yield from _route_names(one.url_patterns, inner)
        elif one.name:
            yield f"{prefix}{one.name}"


def _folder() -> Path:
    return Path(settings.CONCORD_DATA_DIR) / FOLDER


def _own_cells() -> "memoryview[int] | None":
    """This process's counters; None where the disk does not take them, and then nothing is counted."""
    folder = _folder()
    if folder not in _own:
        try:
            _own[folder] = _take_file(folder)
        except OSError as error:
            log.warning("Times of requests are not counted: %s: %s", folder, error.strerror)
            _own[folder] = None
    return _own[folder]


def _take_file(folder: Path) -> "memoryview[int]":
    """Map the first file that no living process holds; the lock ends with this process, however it ends."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    names, version = _rows()
    _remove_others(folder, version)
    size = _BYTES * _WIDTH * len(names)
    for number in count():
        file = os.open(folder / f"{platform.node()}-{number}.{version}", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            continue
        try:
            _make_room(file, size)
            return memoryview(mmap.mmap(file, size)).cast("q")
        except OSError:
            os.close(file)
            raise
    raise AssertionError


def _make_room(file: int, size: int) -> None:
    """A full disk is told here, not by a fault when it is written; macOS can only be told the size."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, size)
    else:
        os.ftruncate(file, size)


def _remove_others(folder: Path, version: str) -> None:
    """Remove files of other versions, but for those that a process still counts in."""
    for path in folder.glob("*-*.*"):
        if path.suffix == f".{version}":
            continue
        with suppress(OSError), path.open("rb") as file:  # locked, or removed by another process meanwhile
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()


os.register_at_fork(after_in_child=_own.clear)  # the file of the parent stays the parent's
