"""Very many rows at once, as the database takes them fastest: COPY on PostgreSQL, large batches on SQLite.

For imports: no object is made of a row, no default or `save` of the model is asked, and no keys come back.
"""

from collections.abc import Iterable, Sequence
from itertools import islice

from django.db import connection, models
from django.db.backends.utils import CursorWrapper

BATCH = 5000  # rows in memory at a time, where the database takes batches

Row = Sequence[str | int | None]


def store_rows(model: type[models.Model], names: Sequence[str], rows: Iterable[Row]) -> None:
    """Store rows of values in the order of the fields `names`, in the order in which they come.

    Every field without a default of the database must be named. In the transaction that is open: all rows are
    stored, or an error of `django.db` says why not, the same as for rows that are stored one by one.
    """
    quote = connection.ops.quote_name
    table = quote(model._meta.db_table)
    column_of = {field.name: str(field.column) for field in model._meta.concrete_fields}
    columns = ", ".join(quote(column_of[name]) for name in names)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            _copy(cursor, f"COPY {table} ({columns}) FROM STDIN", rows)
        else:
            places = ", ".join(["%s"] * len(names))
            _insert(cursor, f"INSERT INTO {table} ({columns}) VALUES ({places})", rows)  # noqa: S608 - names of the model's


def _copy(cursor: CursorWrapper, statement: str, rows: Iterable[Row]) -> None:
    # What fails while rows are sent fails in psycopg, not in a call that Django watches.
    with connection.wrap_database_errors, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)


def _insert(cursor: CursorWrapper, statement: str, rows: Iterable[Row]) -> None:
    iterator = iter(rows)
    while batch := list(islice(iterator, BATCH)):
        cursor.executemany(statement, batch)
