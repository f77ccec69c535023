"""A database copied while people write to it, and put back, by the means of each engine.

A copy is one moment of the database: SQLite's backup reads in one transaction; PostgreSQL's `pg_dump` in
the snapshot in which the rows are counted. Neither keeps anybody from writing.
"""

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper

from survey_site.operations.archive import BackupError

FILES = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}
"""The name of the copy in an archive, by engine."""
INSTALL = (
    "Install PostgreSQL's client programs (Debian: postgresql-client) of the server's version or a later one."
)

NOT_THROUGH_A_POOLER = (
    "DATABASE_URL leads through a pooler that gives each transaction another connection "
    "(DISABLE_SERVER_SIDE_CURSORS). What {program} sets would stay in connections of the site, which then "
    "find no table. Run this command with a DATABASE_URL of the server itself, without that switch."
)


def copy_database(folder: Path) -> dict[str, int]:
    """Copy the site's database to its file in `folder`; returns how many rows each table of the copy has."""
    target = folder / FILES[connection.vendor]
    return _copy_sqlite(target) if connection.vendor == "sqlite" else _dump_postgres(target)


def load_database(folder: Path) -> dict[str, int]:
    """Put the copy in the place of the site's database, all or nothing; returns the rows of each table."""
    source = folder / FILES[connection.vendor]
    if connection.vendor == "sqlite":
        _load_sqlite(source)
    else:
        _load_postgres(source)
    return count_rows()


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


def _load_sqlite(source: Path) -> None:
    target = connection.settings_dict["NAME"]
    connection.close()
    try:
        with closing(sqlite3.connect(source)) as copy, closing(sqlite3.connect(target)) as database:
            copy.backup(database)  # in one transaction of the target: a kill leaves what was there before
    except sqlite3.Error as error:
        raise BackupError(f"{target}: not restored: {error}. Is the site stopped?") from error


def _dump_postgres(target: Path) -> dict[str, int]:
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute("SELECT pg_export_snapshot()")
            snapshot = cursor.fetchone()[0]
        options = [f"--snapshot={snapshot}", "--format=custom", "--no-owner", "--no-privileges"]
        _run("pg_dump", *options, f"--file={target}")
        return count_rows()


def _load_postgres(source: Path) -> None:
    connection.close()
    options = [
        "--clean",
        "--if-exists",
        "--no-owner",
        "--no-privileges",
        "--single-transaction",
        "--exit-on-error",
    ]
    _run("pg_restore", *options, f"--dbname={connection.settings_dict['NAME']}", str(source))


def _run(program: str, *arguments: str) -> None:
    """Run one of PostgreSQL's programs. The password goes by the environment, where `ps` does not show it."""
    if connection.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS"):
        raise BackupError(NOT_THROUGH_A_POOLER.format(program=program))
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


def _environment() -> dict[str, str]:
    said = connection.settings_dict
    _, extra = connection.client.settings_to_cmd_args_env(said, [])
    names = {"PGHOST": "HOST", "PGPORT": "PORT", "PGUSER": "USER", "PGDATABASE": "NAME"}
    return os.environ | {name: str(said[key]) for name, key in names.items() if said[key]} | (extra or {})
