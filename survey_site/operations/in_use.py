"""Whether the site is in use, which a restore must know before it lets the database go.

What serves holds a lock on a file of the data folder as long as it lives, in a quiet moment too; the kernel
takes it back however the process ends. Other machines are seen by what they have in the database: web servers
by a connection of their own, workers by what they say of themselves.
"""

import fcntl
import logging
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import Error, connection

FILE = ".in-use"
EVERY_SECONDS = 10.0
PAUSES = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2)
"""Seconds after which sessions are counted again."""
log = logging.getLogger(__name__)
_held: list[int] = []
"""Files that stay open, and locked, until this process ends."""


def show_use(**_signal: object) -> None:
    """Say that this process serves, until it ends. While a backup is being restored, it waits for that."""
    try:
        file = _open()
        fcntl.flock(file, fcntl.LOCK_SH)
    except OSError as error:
        log.warning("A restore will not see that this process serves: %s", error)
    else:
        _held.append(file)


def show_web_use() -> None:
    """Say so of a web server, which may have no connection to the database while nobody asks it anything."""
    show_use()
    if connection.vendor == "postgresql":
        threading.Thread(target=_stay_connected, name="in-use", daemon=True).start()


@contextmanager
def signs_of_use(now: datetime) -> Iterator[list[str]]:
    """What says that the site is in use. Within it, no process of this data folder begins to serve."""
    file = _open()
    signs = []
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        signs.append(f"a web server or worker runs with the data folder {settings.CONCORD_DATA_DIR}")
    try:
        yield [*signs, *_connections(), *_workers(now)]
    finally:
        os.close(file)


def _open() -> int:
    """The file, which belongs to whom the data folder does, even where root is the first to need it."""
    folder = Path(settings.CONCORD_DATA_DIR)
    file = os.open(folder / FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with suppress(OSError):
        os.fchown(file, folder.stat().st_uid, folder.stat().st_gid)
    return file


def _stay_connected() -> None:
    pause = threading.Event()
    while True:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
        except Error:  # whoever asks for a page meets it too, and says so in the log
            connection.close()
        pause.wait(EVERY_SECONDS)


def _connections() -> Iterator[str]:
    if connection.vendor == "sqlite":
        if _is_open_elsewhere(connection.settings_dict["NAME"]):
            yield "another process has the file of the database open"
        return
    others, names = _sessions()
    for pause in PAUSES:  # a session that has just been closed is listed until its process has ended
        if not others:
            return
        threading.Event().wait(pause)
        others, names = _sessions()
    if others:
        yield f"{others} other connection{'s' * (others != 1)} to the database ({names})"


def _sessions() -> tuple[int, str]:
    """How many sessions of PostgreSQL there are in this database beside ours, and whose."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")  # what is listed stands still in a transaction
        cursor.execute(
            "SELECT count(*), string_agg(DISTINCT coalesce(nullif(application_name, ''), usename), ', ')"
            " FROM pg_stat_activity"  # those of no user are PostgreSQL's own
            " WHERE datname = current_database() AND pid <> pg_backend_pid() AND usename IS NOT NULL"
        )
        found: tuple[int, str] = cursor.fetchone()
        return found


def _is_open_elsewhere(path: str) -> bool:
    """In WAL mode every connection that has read once holds a lock on the file, as long as it is open."""
    connection.close()
    if not Path(path).exists():
        return False
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as probe:
        try:
            probe.execute("PRAGMA locking_mode = EXCLUSIVE")
            probe.execute("BEGIN IMMEDIATE")
            probe.execute("ROLLBACK")
        except sqlite3.OperationalError:
            return True
        return False


def _workers(now: datetime) -> Iterator[str]:
    from survey_site.operations.models import (
        WorkerSeen,
    )  # models need the site set up, and `show_use` does not
    from survey_site.operations.presence import LIVES_FOR

    if WorkerSeen._meta.db_table not in connection.introspection.table_names():
        return
    for worker in WorkerSeen.objects.filter(seen_at__gt=now - LIVES_FOR):
        ago = round((now - worker.seen_at).total_seconds())
        yield f"the worker {worker} lived {ago} s ago (one that was killed is forgotten after 35 s)"
