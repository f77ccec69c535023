"""A database copied while people write to it, and put back, by the means of each engine.

A copy is one moment of the database: SQLite's backup reads in one transaction; PostgreSQL's `pg_dump` in
the snapshot in which the rows are counted. Neither keeps anybody from writing.

What puts one back does: all is done in one transaction of the site's own connection, in which others write
nothing. So what it replaces can be copied, and what it brings be counted, before anything is given up.
"""

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from django.db import Error, OperationalError, connection, transaction
from django.db.backends.utils import CursorWrapper

from survey_site.operations.archive import BackupError

FILES = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}
"""The name of the copy in an archive, by engine."""
INSTALL = (
    "Install PostgreSQL's client programs (Debian: postgresql-client) of the server's version or a later one."
)

_TRIES = 15
_END_OTHERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid() AND usename = current_user"
)
NOT_THROUGH_A_POOLER = (
    "DATABASE_URL leads through a pooler that gives each transaction another connection "
    "(DISABLE_SERVER_SIDE_CURSORS). What {program} sets would stay in connections of the site, which then "
    "find no table. Run this command with a DATABASE_URL of the server itself, without that switch."
)


def copy_database(folder: Path) -> dict[str, int]:
    """Copy the site's database to its file in `folder`; returns how many rows each table of the copy has."""
    target = folder / FILES[connection.vendor]
    if connection.vendor == "sqlite":
        return _copy_sqlite(target)
    if connection.in_atomic_block:  # in which others write nothing
        return _dump_postgres(target)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        return _dump_postgres(target)


@contextmanager
def replaced_database(source: Path, *, end_others: bool) -> Iterator[Callable[[], None]]:
    """A transaction in which nobody else writes; what it gives puts the copy in the place of the database.

    source: the folder of the copy. end_others: whether other connections to PostgreSQL are ended. Where the
    block fails, all stays as it is. Raises BackupError.
    """
    file = source / FILES[connection.vendor]
    _require_no_pooler("pg_restore")
    whole = False
    connection.close()  # what earlier statements set in it goes, too
    try:
        if connection.vendor == "sqlite":
            with connection.cursor() as cursor:
                cursor.execute("PRAGMA foreign_keys = OFF")
                cursor.execute("ATTACH DATABASE %s AS restored", [str(file)])
            with transaction.atomic(durable=True):
                yield _load_sqlite
                whole = True
        else:
            with transaction.atomic(durable=True):
                _lock_tables("EXCLUSIVE", end_others)
                yield lambda: _load_postgres(file, end_others)
                whole = True
    except (Error, sqlite3.Error) as error:
        what = "did not say that it is restored; look, or restore again" if whole else "was left as it is"
        raise BackupError(f"The database {what}: {str(error).strip()}") from error
    finally:
        connection.close()


def count_rows() -> dict[str, int]:
    """How many rows each table of the site's database has."""
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        return {table: _count(cursor, table) for table in sorted(tables)}


def _count(cursor: CursorWrapper | sqlite3.Cursor, table: str) -> int:
    cursor.execute(f"SELECT COUNT(*) FROM {connection.ops.quote_name(table)}")  # noqa: S608 - a quoted name
    return int(cursor.fetchone()[0])


def _copy_sqlite(target: Path) -> dict[str, int]:
    name = connection.settings_dict["NAME"]
    with closing(sqlite3.connect(name)) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)  # all pages at once: one moment, and who writes meanwhile does not start it anew
        if (said := copy.execute("PRAGMA integrity_check").fetchone()[0]) != "ok":
            raise BackupError(f"The database is damaged; SQLite says: {said}")
        tables = copy.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        )
        return {table: _count(copy.cursor(), table) for (table,) in sorted(tables.fetchall())}


def _load_sqlite() -> None:
    """Make every table anew, as the attached copy has it; an index or trigger goes with its table."""
    with connection.cursor() as cursor:
        for kind, name, _ in _objects(cursor, "main"):
            if kind in ("table", "view"):
                cursor.execute(f"DROP {kind} main.{connection.ops.quote_name(name)}")
        later = []
        for kind, name, sql in _objects(cursor, "restored"):
            if kind != "table":
                later.append(sql)
                continue
            table = connection.ops.quote_name(name)
            cursor.execute(sql)
            cursor.execute(f"INSERT INTO main.{table} SELECT * FROM restored.{table}")  # noqa: S608 - quoted
        if _has_sequence(cursor):
            cursor.execute("DELETE FROM main.sqlite_sequence")
            cursor.execute("INSERT INTO main.sqlite_sequence SELECT * FROM restored.sqlite_sequence")
        for sql in later:
            cursor.execute(sql)


def _objects(cursor: CursorWrapper, schema: str) -> list[tuple[str, str, str]]:
    """Kind, name and statement of all that somebody made, in the order in which it was made."""
    cursor.execute(
        f"SELECT type, name, sql FROM {schema}.sqlite_master"  # noqa: S608 - one of two words
        " WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY rowid"
    )
    found: list[tuple[str, str, str]] = cursor.fetchall()
    return found


def _has_sequence(cursor: CursorWrapper) -> bool:
    cursor.execute("SELECT 1 FROM restored.sqlite_master WHERE name = 'sqlite_sequence'")
    return bool(cursor.fetchone())


def _dump_postgres(target: Path) -> dict[str, int]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_export_snapshot()")
        snapshot = cursor.fetchone()[0]
    options = [f"--snapshot={snapshot}", "--format=custom", "--no-owner", "--no-privileges"]
    _run("pg_dump", *options, f"--file={target}")
    return count_rows()


def _lock_tables(mode: str, end_others: bool) -> None:
    """Lock all tables, or give up after half a minute.

    A wait of two seconds is longer than the server lets two wait for each other; then all are tried anew.
    """
    with connection.cursor() as cursor:
        tables = map(connection.ops.quote_name, connection.introspection.table_names(cursor))
        if not (names := ", ".join(tables)):
            return
        for _ in range(_TRIES):
            if end_others:
                cursor.execute(_END_OTHERS)
            with suppress(OperationalError), transaction.atomic():
                cursor.execute("SET LOCAL lock_timeout = '2s'")
                cursor.execute(f"LOCK TABLE {names} IN {mode} MODE")
                return
    raise BackupError("Others work in the database, and do not end: nothing was changed. Stop the site.")


def _load_postgres(source: Path, end_others: bool) -> None:
    """Run the statements that `pg_restore` writes, in the transaction that is open."""
    script = source.with_suffix(".sql")
    options = ["--clean", "--if-exists", "--no-owner", "--no-privileges", f"--file={script}"]
    _run("pg_restore", *options, str(source))
    _lock_tables("ACCESS EXCLUSIVE", end_others)
    with script.open("rb") as lines, connection.cursor() as cursor:
        statements: list[bytes] = []
        for line in lines:
            if line.startswith(b"COPY ") and line.endswith(b" FROM stdin;\n"):
                _execute(cursor, statements)
                with connection.wrap_database_errors, cursor.copy(line.decode()) as copy:
                    while (row := lines.readline()) not in (b"\\.\n", b""):
                        copy.write(row)
            elif not line.startswith(b"\\"):  # a word to psql, not to the server
                statements.append(line)
        _execute(cursor, statements)
        cursor.execute("RESET search_path")


def _execute(cursor: CursorWrapper, statements: list[bytes]) -> None:
    if text := b"".join(statements).decode().strip():
        cursor.execute(text)
    statements.clear()


def _run(program: str, *arguments: str) -> None:
    """Run one of PostgreSQL's programs. The password goes by the environment, where `ps` does not show it."""
    _require_no_pooler(program)
    path = shutil.which(program)
    if path is None:
        raise BackupError(f"{program} was not found. {INSTALL}")
    command = [path, *arguments]
    done = subprocess.run(  # noqa: S603 - a program and names of ours, no shell
        command, env=_environment(), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise BackupError(
            f"{program} failed: {done.stderr.strip()} {INSTALL if 'version' in done.stderr else ''}"
        )


def _require_no_pooler(program: str) -> None:
    if connection.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS"):
        raise BackupError(NOT_THROUGH_A_POOLER.format(program=program))


def _environment() -> dict[str, str]:
    said = connection.settings_dict
    _, extra = connection.client.settings_to_cmd_args_env(said, [])
    names = {"PGHOST": "HOST", "PGPORT": "PORT", "PGUSER": "USER", "PGDATABASE": "NAME"}
    return os.environ | {name: str(said[key]) for name, key in names.items() if said[key]} | (extra or {})
