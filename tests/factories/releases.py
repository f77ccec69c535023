"""The site as an earlier release left it: its database, data folder and key, at the moment it stopped."""

import json
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import global_settings
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import connection, connections
from django.test import override_settings

RELEASES = Path(__file__).parent.parent / "fixtures" / "releases"

# Python 3.11.2, as Debian 12 has it, knows no filter; later ones warn without.
_FILTERED: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}

Rows = dict[str, list[dict[str, Any]]]
"""All rows of each table, by column."""


class Upgraded:
    """That site once this version's `migrate` ran on its database.

    known: what `make.py` of the release says of it (links, cookies, passwords, what it showed). before: its
    rows as that release left them. new_site: the connection to the database of the other tests, which has the
    tables of a site that began with this version. now: two minutes after the old release stopped.
    """

    def __init__(self, known: dict[str, Any], before: Rows, new_site: Any) -> None:
        self.known, self.before, self.new_site = known, before, new_site
        self.now = datetime.fromisoformat(known["moment"]) + timedelta(minutes=2)


@contextmanager
def upgraded_site(release: str, folder: Path) -> Iterator[Upgraded]:
    """Within, the site is that of the release, upgraded: database, folder, key and the time of its pages."""
    with tarfile.open(RELEASES / release / f"{connection.vendor}.tar.xz") as tar:
        tar.extractall(folder, **_FILTERED)  # noqa: S202 - our own file
    known = json.loads((folder / "known.json").read_text(encoding="utf-8"))
    new_site = connections["default"]
    with ExitStack() as stack:
        old = new_site.copy()
        load = _load_sqlite if old.vendor == "sqlite" else _load_postgres
        stack.enter_context(load(old, folder))
        connections["default"] = old
        stack.callback(_go_back, new_site)
        site = Upgraded(known, read_rows(), new_site)
        of_the_site = {
            "SECRET_KEY": known["secret_key"],
            "CONCORD_DATA_DIR": folder / "data",
            "PASSWORD_HASHERS": global_settings.PASSWORD_HASHERS,
        }
        stack.enter_context(override_settings(**of_the_site))
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        patch.setattr("django.utils.timezone.now", lambda: site.now)
        ContentType.objects.clear_cache()
        call_command("migrate", interactive=False, verbosity=0)
        yield site


def _go_back(new_site: Any) -> None:
    connections["default"].close()
    connections["default"] = new_site
    ContentType.objects.clear_cache()


@contextmanager
def _load_sqlite(old: Any, folder: Path) -> Iterator[None]:
    old.settings_dict["NAME"] = str(folder / "database.sqlite3")
    yield


@contextmanager
def _load_postgres(old: Any, folder: Path) -> Iterator[None]:
    """By the driver alone: the file holds no commands of psql, which a machine may lack."""
    name = f"{old.settings_dict['NAME']}_release"
    quoted = old.ops.quote_name(name)
    with old._nodb_cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {quoted}")
        cursor.execute(f"CREATE DATABASE {quoted}")
    old.settings_dict["NAME"] = name
    try:
        with old.cursor() as cursor:
            cursor.connection.execute((folder / "database.sql").read_text(encoding="utf-8"))
        yield
    finally:
        old.close()
        with old._nodb_cursor() as cursor:
            cursor.execute(f"DROP DATABASE {quoted}")


def read_rows() -> Rows:
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        return {table: _read(cursor, table) for table in sorted(tables)}


def _read(cursor: Any, table: str) -> list[dict[str, Any]]:
    cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)} ORDER BY 1")  # noqa: S608 - a quoted name
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def read_tables(line: Any) -> dict[str, Any]:
    """By table: its columns with their types, its constraints and indexes."""
    with line.cursor() as cursor:
        if line.vendor == "sqlite":
            cursor.execute("SELECT name, sql FROM sqlite_master")
            return {name: _parts(sql or "") for name, sql in cursor.fetchall()}
        return {name: _describe(line, cursor, name) for name in line.introspection.table_names(cursor)}


def _parts(sql: str) -> list[str]:
    """What stands between the commas of a statement, not within its inner brackets, in an order of its own.

    A test that takes a constraint away and puts it back leaves the columns of a table in another order.
    """
    inner, depth = "", 0
    for sign in sql:
        depth += (sign == "(") - (sign == ")")
        inner += "\n" if depth == 1 and sign in "(," else sign
    return sorted(line.strip() for line in inner.removesuffix(")").splitlines())


def _describe(line: Any, cursor: Any, table: str) -> tuple[dict[str, Any], dict[str, Any]]:
    columns = line.introspection.get_table_description(cursor, table)
    typed = {one.name: (one.type_code, one.display_size, one.precision, one.null_ok) for one in columns}
    return typed, line.introspection.get_constraints(cursor, table)
