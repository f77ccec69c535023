"""Statements that are put together once, for the few that every request of a rater sends.

Django puts the SQL of a queryset together anew each time it is asked, and works out anew how rows become
objects. That costs several times what the database takes to answer. So a queryset that is asked again and
again is written as a function of what differs between two requests, and its SQL is kept:

    @prepared
    def _raters(key_hash: Parameter, token: Parameter) -> QuerySet[Rater]:
        return Rater.objects.filter(key_hash=key_hash, batch__token=token)

    _raters.first(key_hash=hash_key(secret), token=token)

The rule stays a queryset, and the same rows come back. What differs are single values only: not which
columns, not how many values a list has, and none of them is None. Decorate what most requests of raters send;
what is asked now and then stays a plain queryset.
"""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import Expression, Model, QuerySet
from django.db.models.query import FlatValuesListIterable, ModelIterable, ValuesListIterable
from django.db.models.sql import UpdateQuery
from django.db.transaction import TransactionManagementError

Row = TypeVar("Row")
Rows = Sequence[Sequence[Any]]


class _Slot(str):
    """The name of a value in the place that it takes among a statement's parameters."""


class Parameter(Expression):
    """A value that is not known yet, for any place of a queryset where an expression may stand."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def as_sql(self, _compiler: object, _connection: object) -> tuple[str, list[_Slot]]:  # type: ignore[override]
        return "%s", [_Slot(self.name)]

    def select_format(self, _compiler: object, sql: str, params: Any) -> tuple[str, Any]:
        """Among the columns, too, the value is taken as it is given."""
        return sql, params


@dataclass(frozen=True)
class _Statement:
    """SQL and what it is sent with: the values that never differ, and slots for those that do."""

    sql: str
    parameters: tuple[Any, ...]

    def filled(self, values: Mapping[str, Any]) -> list[Any]:
        given = {name: _adapted(value) for name, value in values.items()}
        return [given[one] if type(one) is _Slot else one for one in self.parameters]


def repeated_cursor() -> Any:
    """A cursor for a statement that is sent again and again; PostgreSQL may keep its plan."""
    backend: Any = connection
    return backend.planned_cursor() if _keeps_plans() else backend.cursor()


def _keeps_plans() -> bool:
    return getattr(connection, "keeps_plans", False)


def _adapted(value: Any) -> Any:
    """As the database takes it; of what requests bring, moments alone are not taken as they are."""
    return connection.ops.adapt_datetimefield_value(value) if isinstance(value, datetime) else value


def _parameters(build: Callable[..., Any]) -> dict[str, Any]:
    return {name: Parameter(name) for name in inspect.signature(build).parameters}


class Prepared(Generic[Row]):
    """The rows of a queryset, which `build` makes of parameters, for whatever values they are given."""

    def __init__(self, build: "Callable[..., QuerySet[Any, Row]]") -> None:
        self._build = build

    def rows(self, **values: Any) -> list[Row]:
        """All rows. Raises TransactionManagementError where they are to be locked outside a transaction."""
        if self._locks and not connection.in_atomic_block:
            raise TransactionManagementError(f"{self._build.__name__} locks rows: it needs a transaction.")
        with repeated_cursor() as cursor:
            cursor.execute(self.statement.sql, self.statement.filled(values))
            found: Rows = cursor.fetchall()
        return self.made(found)

    def made(self, rows: Rows) -> list[Row]:
        """What comes of rows that begin with the columns of this queryset, whichever statement gave them."""
        return self._made(self._converted(rows))

    def first(self, **values: Any) -> Row | None:
        """The first row, where there is one; of a queryset that has it alone, or is cut to it."""
        found = self.rows(**values)
        return found[0] if found else None

    def get(self, **values: Any) -> Row:
        """The one row. Raises DoesNotExist of the model without it."""
        for row in self.rows(**values):
            return row
        raise self._queryset.model.DoesNotExist(f"{self._build.__name__} found nothing.")

    @cached_property
    def _queryset(self) -> Any:
        return self._build(**_parameters(self._build))

    @cached_property
    def _locks(self) -> bool:
        return bool(self._queryset.query.select_for_update)

    @cached_property
    def _compiler(self) -> Any:
        """Only what it has found out is used later: its connection is that of the first thread."""
        queryset: Any = self._build(**_parameters(self._build))  # compiling changes a query: one of its own
        compiler = queryset.query.get_compiler(queryset.db)
        compiler.statement = _stated(compiler.as_sql())
        return compiler

    @cached_property
    def statement(self) -> _Statement:
        """The SQL and its values, for statements that contain this one."""
        statement: _Statement = self._compiler.statement
        return statement

    @cached_property
    def _converters(self) -> list[tuple[int, list[Callable[..., Any]], Any]]:
        columns = [column for column, *_ in self._compiler.select]
        found = self._compiler.get_converters(columns)
        return [(place, converters, column) for place, (converters, column) in found.items()]

    def _converted(self, rows: Rows) -> Rows:
        """What the database gave, as the fields have it: on SQLite moments and JSON come as text."""
        if not self._converters:
            return rows
        converted = [list(row) for row in rows]
        for row in converted:
            for place, converters, column in self._converters:
                for convert in converters:
                    row[place] = convert(row[place], column, connection)
        return converted

    @cached_property
    def _made(self) -> Callable[[Rows], list[Any]]:
        makers: dict[Any, Callable[[Rows], list[Any]]] = {
            ModelIterable: self._make_objects,
            ValuesListIterable: lambda rows: [tuple(row) for row in rows],
            FlatValuesListIterable: lambda rows: [row[0] for row in rows],
        }
        return makers[self._queryset._iterable_class]

    def _make_objects(self, rows: Rows) -> list[Model]:
        columns, annotated = self._columns, self._annotated
        made = []
        for row in rows:
            one = columns.made(row)
            for place, name in annotated:
                setattr(one, name, row[place])
            made.append(one)
        return made

    @cached_property
    def _annotated(self) -> list[tuple[int, str]]:
        return list(enumerate(self._queryset.query.annotation_select, self._columns.end))

    @cached_property
    def _columns(self) -> "_Columns":
        """Raises TypeError where some are left out (`only`, `defer`): objects come whole."""
        query = self._queryset.query
        selected = query.select_related or {}
        columns = _Columns(self._queryset.model, selected, 0, beside=len(query.annotation_select))
        if columns.after != len(self._compiler.select):
            raise TypeError(f"{self._build.__name__} has other columns than its models and annotations.")
        return columns


class _Columns:
    """Which columns of a row are a model's, and which are those of the relations that come with it.

    Django puts a model's own columns first, then (`beside`) what is annotated, then those of each relation of
    `select_related` and of what is selected behind it, forward ones before the other sides of one-to-ones.
    """

    def __init__(self, model: Any, selected: Mapping[str, Any], start: int, *, beside: int = 0) -> None:
        meta = model._meta
        self._names = [field.attname for field in meta.concrete_fields]
        self._from_db, self._start, self.end = model.from_db, start, start + len(self._names)
        self._key = start + self._names.index(meta.pk.attname)
        self.after = self.end + beside
        self._relations: list[tuple[Any, _Columns]] = []
        others = [one for one in meta.get_fields() if one.one_to_one and not one.concrete]
        for relation in (*meta.concrete_fields, *others):
            if relation.name in selected:
                columns = _Columns(relation.related_model, selected[relation.name], self.after)
                self._relations.append((relation, columns))
                self.after = columns.after

    def made(self, row: Sequence[Any]) -> Any:
        """The object of a row, and those that come with it."""
        one = self._from_db("default", self._names, row[self._start : self.end])
        for relation, columns in self._relations:
            other = None if row[columns._key] is None else columns.made(row)
            relation.set_cached_value(one, other)
            if other is not None and relation.one_to_one:
                relation.remote_field.set_cached_value(other, one)
        return one


def prepared(build: "Callable[..., QuerySet[Any, Row]]") -> Prepared[Row]:
    """Decorates a function that makes a queryset of parameters."""
    return Prepared(build)


class PreparedUpdate:
    """Changes of the rows of a queryset: `build` makes of parameters the rows and what they are set to."""

    def __init__(self, build: "Callable[..., tuple[QuerySet[Any, Any], Mapping[str, Any]]]") -> None:
        self._build = build

    def __call__(self, **values: Any) -> int:
        """How many rows were changed."""
        with repeated_cursor() as cursor:
            cursor.execute(self._statement.sql, self._statement.filled(values))
            return int(cursor.rowcount)

    @cached_property
    def _statement(self) -> _Statement:
        queryset, changes = self._build(**_parameters(self._build))
        query: Any = queryset.order_by().query.chain(UpdateQuery)
        query.add_update_values(changes)
        return _stated(query.get_compiler(queryset.db).as_sql())


def prepared_update(
    build: "Callable[..., tuple[QuerySet[Any, Any], Mapping[str, Any]]]",
) -> PreparedUpdate:
    """Decorates a function that makes of parameters a queryset and the changes by field."""
    return PreparedUpdate(build)


class PreparedInsert:
    """New rows of a model, given as values of `columns`: all but its key, so that none is forgotten.

    once_by: columns that are unique together; a row that is there already with the same is passed over.
    Values are as their columns have them (a moment, a text, a number, None): no field looks at them.
    """

    def __init__(self, model: type[Model], columns: Sequence[str], once_by: Sequence[str] = ()) -> None:
        self._model, self._columns, self._once_by = model, tuple(columns), tuple(once_by)

    def one(self, **values: Any) -> int | None:
        """Store a row; its key, or None where it was passed over."""
        return self._key_of(self._sql(1), self._in_order(values))

    def one_from(self, rows: Prepared[Any], **values: Any) -> int | None:
        """Store the row that a queryset gives, its values in the order of the columns.

        The queryset needs a filter: without one SQLite would read ON CONFLICT as a condition of a join. Gives
        the key of the row; None where the queryset gives none, or where the row was passed over.
        """
        statement = rows.statement
        return self._key_of(f"{self._head} {statement.sql} {self._tail}", statement.filled(values))

    @staticmethod
    def _key_of(sql: str, values: Sequence[Any]) -> int | None:
        with repeated_cursor() as cursor:
            cursor.execute(sql, values)
            found = cursor.fetchone()
        return int(found[0]) if found else None

    def many(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Store rows by one statement."""
        if not rows:
            return
        with repeated_cursor() as cursor:
            cursor.execute(self._sql(len(rows)), [value for row in rows for value in self._in_order(row)])

    def _in_order(self, values: Mapping[str, Any]) -> list[Any]:
        return [_adapted(values[name]) for name in self._columns]

    def _sql(self, rows: int) -> str:
        row = ", ".join(["%s"] * len(self._columns))
        return f"{self._head} VALUES {', '.join([f'({row})'] * rows)} {self._tail}"

    @cached_property
    def _head(self) -> str:
        meta = self._model._meta
        all_columns = {field.attname for field in meta.concrete_fields if not field.primary_key}
        if set(self._columns) != all_columns:
            differing = ", ".join(sorted(all_columns ^ set(self._columns)))
            raise TypeError(f"{meta.label} is stored whole or not at all: {differing}.")
        return f"INSERT INTO {_quoted(meta.db_table)} ({self._listed(self._columns)})"

    @cached_property
    def _tail(self) -> str:
        once = f"ON CONFLICT ({self._listed(self._once_by)}) DO NOTHING " if self._once_by else ""
        key = self._model._meta.pk
        return f"{once}RETURNING {_quoted(str(key and key.column))}"

    def _listed(self, names: Sequence[str]) -> str:
        columns = {field.attname: field.column for field in self._model._meta.concrete_fields}
        return ", ".join(_quoted(str(columns[name])) for name in names)


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)


def _stated(compiled: tuple[str, Sequence[Any]]) -> _Statement:
    """What Django compiled. A plan that is kept is made before values are known, so what never differs is
    written into it: an index on rows in one state serves only a statement that names the state."""
    sql, parameters = compiled
    if not _keeps_plans():
        return _Statement(sql, tuple(parameters))
    backend: Any = connection
    left = iter(parameters)
    slots: list[_Slot] = []

    def written(mark: re.Match[str]) -> str:
        if mark[0] == "%%":
            return "%%"
        value = next(left)
        if type(value) is _Slot:
            slots.append(value)
            return "%s"
        return str(backend.literal(value)).replace("%", "%%")

    return _Statement(re.sub("%%|%s", written, sql), tuple(slots))
