"""The site that is rehearsed: one of our own on a database of its own, or one that runs already."""

import os
import secrets
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from urllib.parse import urlsplit, urlunsplit

from django.core.management import call_command
from django.db import connection, connections

from survey_site.operations.servers import child_process, free_port, wait_until_ready, web_command
from survey_site.settings.reading import FROM_FILE, read_settings

UNLIMITED = "1000000000"


@dataclass
class WebServer:
    """A gunicorn of several processes that can be killed and started again on the same port."""

    port: int
    processes: int
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    keep_folder: bool = False
    _running: ExitStack = field(default_factory=ExitStack)
    _process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = web_command(self.port, processes=self.processes)
        started = child_process("web", command, self.folder, self.environment)
        self._process = self._running.enter_context(started)
        wait_until_ready(self.address, self._process, self.folder / "web.log")

    def kill(self) -> None:
        """SIGKILL to all its processes at once: nothing in progress is finished."""
        if self._process:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self.stop()

    def kill_process(self, chance: Random) -> None:
        """SIGKILL to one of the processes that answer requests; the server replaces it."""
        if self._process and (children := _children(self._process.pid)):
            os.kill(chance.choice(children), signal.SIGKILL)

    def stop(self) -> None:
        self._running.close()
        self._process = None


def _children(parent: int) -> list[int]:
    rows = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True)  # noqa: S607
    pairs = [line.split() for line in rows.stdout.splitlines()]
    return sorted(int(pid) for pid, owner in pairs if int(owner) == parent)


@contextmanager
def own_site(processes: int) -> Iterator[WebServer]:
    """A migrated, empty database and a running server on it; both are gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="concord-rehearsal-"))
    server = WebServer(free_port(0), processes, folder)
    try:
        with own_database(folder) as variables:
            call_command("migrate", interactive=False, verbosity=0)
            server.environment = _environment(folder, variables)
            try:
                server.start()
                yield server
            finally:
                server.stop()
    finally:
        if not server.keep_folder:
            shutil.rmtree(folder, ignore_errors=True)


def _environment(folder: Path, variables: Mapping[str, str]) -> dict[str, str]:
    ours = {
        "DJANGO_SETTINGS_MODULE": "survey_site.settings",
        "CONCORD_DATA_DIR": str(folder),
        "CONCORD_HTTPS": "false",
        "SECRET_KEY": secrets.token_urlsafe(50),
        "ALLOWED_HOSTS": "127.0.0.1",
        "LOG_LEVEL": "WARNING",
        "CONCORD_JOINS_PER_ADDRESS": UNLIMITED,  # all raters come from one address
        "CONCORD_POSTS_PER_RATER": UNLIMITED,
    }
    known = {"DATABASE_URL", *ours}
    known |= {f"{name}{FROM_FILE}" for name in known}  # a value and a file of it would be one too many
    kept = {name: value for name, value in os.environ.items() if name not in known}
    return {**kept, **ours, **variables}


@contextmanager
def own_database(folder: Path) -> Iterator[dict[str, str]]:
    """Turn this process to a new database of the configured kind; yields what names it to other processes.

    SQLite: the embedded default, a file in `folder`. PostgreSQL: a database beside the configured one.
    """
    if connection.vendor == "sqlite":
        with _turned_to(str(folder / "concord.sqlite3")):
            yield {}
        return
    name = f"concord_rehearsal_{secrets.token_hex(6)}"
    _administer(f'CREATE DATABASE "{name}"')
    try:
        with _turned_to(name):
            yield {"DATABASE_URL": _renamed(read_settings()["DATABASE_URL"], name)}
    finally:
        _administer(f'DROP DATABASE "{name}" WITH (FORCE)')


@contextmanager
def _turned_to(name: str) -> Iterator[None]:
    """All connections of this process, in all threads, lead to this database meanwhile."""
    config = connections.settings["default"]
    before = config["NAME"]
    connections.close_all()
    config["NAME"] = name
    try:
        yield
    finally:
        connections.close_all()
        config["NAME"] = before


def _administer(statement: str) -> None:
    with connection._nodb_cursor() as cursor:  # what Django's own test databases are made with
        cursor.execute(statement)


def _renamed(url: str, name: str) -> str:
    parts = urlsplit(url)
    path = f"{parts.path.rpartition('/')[0]}/{name}"
    return urlunsplit(parts._replace(path=path))
