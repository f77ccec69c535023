"""First come, first served: the queue in which those wait who want to write to an SQLite file.

SQLite lets one write at a time. Whom it turns away sleeps, ever longer, and whoever asks while they sleep
goes first: with many raters some wait a second for a write of three milliseconds. So threads of one process
queue in the order in which they come, and the foremost of each process compete for two locks on a file
beside the database. `_NEXT` is for the one that writes next: whoever has just written finds it taken and
cannot overtake. The kernel gives both back when a process is killed.

Nobody depends on the queue for safety. Who writes without it meets SQLite's own lock.
"""

import fcntl
import os
import stat
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from threading import Lock

from django.db import OperationalError

_NEXT, _WRITING = 0, 1
"""The bytes of the file that are locked."""
_LOOK_AGAIN_SECONDS = 0.0005


class FairLock:
    """A lock of one process that is given to those who wait in the order in which they came."""

    def __init__(self) -> None:
        self._guard, self._held = Lock(), False
        self._waiting: deque[Lock] = deque()

    def acquire(self, timeout: float) -> bool:
        with self._guard:
            if not self._held:
                self._held = True
                return True
            turn = Lock()
            turn.acquire()
            self._waiting.append(turn)
        try:
            return turn.acquire(timeout=timeout) or not self._gave_up(turn)
        except BaseException:  # a signal's handler ended the wait: nobody is left to take the turn
            if not self._gave_up(turn):
                self.release()
            raise

    def _gave_up(self, turn: Lock) -> bool:
        """Whether the wait has ended for good; the lock may have been handed over at the last moment."""
        with self._guard:
            if turn not in self._waiting:
                return False
            self._waiting.remove(turn)
            return True

    def release(self) -> None:
        """Hand the lock to whoever has waited longest, so that nobody slips in between."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._held = False

    @property
    def waiting(self) -> int:
        return len(self._waiting)


class WriterQueue:
    """The queue of all processes that write to the database file at `path`.

    Its file is opened once a process and stays open: closing it would give back what other threads hold.
    The locks are the process's own, so that a child made by `fork` holds none of them.
    """

    def __init__(self, path: str) -> None:
        self.threads = FairLock()
        self._file = _open_beside(path)

    def enter(self, timeout: float) -> None:
        """Wait for the turn; OperationalError, as of SQLite itself, where it does not come in `timeout` s."""
        deadline = time.monotonic() + timeout
        if not self.threads.acquire(timeout):
            raise OperationalError("database is locked")
        try:
            self._enter_file(deadline)
        except BaseException:
            self.threads.release()
            raise

    def _enter_file(self, deadline: float) -> None:
        _wait(lambda: self._lock(_NEXT), deadline)
        try:
            _wait(lambda: self._lock(_WRITING), deadline)
        finally:
            self._unlock(_NEXT)

    def leave(self) -> None:
        self._unlock(_WRITING)
        self.threads.release()

    def nobody_is_next(self) -> bool:
        """Whether no process waits to write after the one that writes now."""
        if free := self._lock(_NEXT):
            self._unlock(_NEXT)
        return free

    def _lock(self, byte: int) -> bool:
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
        except (BlockingIOError, PermissionError):  # which of the two depends on the system
            return False
        return True

    def _unlock(self, byte: int) -> None:
        fcntl.lockf(self._file, fcntl.LOCK_UN, 1, byte)


def _wait(locked: Callable[[], bool], deadline: float) -> None:
    """A lock on a file has no time limit, so it is asked for again and again."""
    while not locked():
        if time.monotonic() >= deadline:
            raise OperationalError("database is locked")
        time.sleep(_LOOK_AGAIN_SECONDS)


def _open_beside(path: str) -> int:
    """The queue's file. As SQLite's own files beside it, it is for whom the database is for."""
    file = os.open(f"{path}-queue", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    with suppress(OSError):
        owner = os.stat(path)
        os.fchmod(file, stat.S_IMODE(owner.st_mode))
        os.fchown(file, owner.st_uid, owner.st_gid)
    return file


_queues: dict[str, WriterQueue] = {}
_making = Lock()


def writer_queue(path: str) -> WriterQueue:
    """The one queue of this process for a database file, however its path is written."""
    if path not in _queues:
        with _making:
            real = os.path.realpath(path)
            if real not in _queues:
                _queues[real] = WriterQueue(real)
            _queues[path] = _queues[real]
    return _queues[path]


os.register_at_fork(after_in_child=_queues.clear)
