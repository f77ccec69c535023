"""Django's PostgreSQL backend, which asks the server less.

Plans of statements that are sent again and again are kept, and a line is not tried before each request.
"""

import logging
import secrets
import select
from typing import Any

import psycopg
from django.db.backends.postgresql import base
from django.db.backends.postgresql.psycopg_any import mogrify

from survey_site.common.postgresql import POOLER

log = logging.getLogger(__name__)


class PlannedCursor(psycopg.Cursor[Any]):
    """The server parses and plans each statement once for a connection, and then runs it with other values.

    Planning takes longer than running where a statement finds a few rows by an index. Other cursors of the
    connection keep nothing: psycopg would remember their statements too, with all the values in them. A
    connection has one such cursor, for to make one takes as long as a third of a statement: read what a
    statement gives before you send the next.
    """

    def close(self) -> None:
        """It stays open for the next statement."""

    def execute(self, query: Any, params: Any = None, **_options: Any) -> Any:
        line = self.connection
        line.prepare_threshold = 0
        try:
            return super().execute(query, params, prepare=True)
        except psycopg.errors.FeatureNotSupported:  # a migration has changed a column that a plan gives
            line.close()  # with its plans; the next request opens another
            raise
        except psycopg.errors.InvalidSqlStatementName as error:
            error.add_note(POOLER)  # the plan is in another one; the log shows it
            line.close()
            raise
        finally:
            line.prepare_threshold = None


def name_plans_apart(line: Any) -> bool:
    """Let a new connection name its plans as no other one does; False where this psycopg cannot be told to.

    Where a pooler hands the transactions of two to one session of the server, a name that both use would run
    the statement of the other one, which may be a write. Without names of their own no plans are kept.
    """
    try:
        line._prepared._prepared_idx += secrets.randbits(62)  # psycopg counts from 0
    except AttributeError:
        log.warning("This psycopg cannot name plans apart: none are kept, and raters' pages are slower.")
        return False
    return True


class DatabaseOperations(base.DatabaseOperations):  # type: ignore[misc,name-defined]
    def last_executed_query(self, cursor: Any, sql: Any, params: Any) -> Any:
        """With its values in their places, as those of other cursors stand in the log of statements."""
        if isinstance(cursor, PlannedCursor):
            return self.compose_sql(sql, params)
        return super().last_executed_query(cursor, sql, params)


class DatabaseWrapper(base.DatabaseWrapper):
    ops_class = DatabaseOperations
    health_check_done: bool
    _planned: PlannedCursor | None = None
    _names_apart = True

    def planned_cursor(self) -> Any:
        """The cursor for statements that are sent again and again, with other values each time."""
        self.close_if_health_check_failed()
        self.ensure_connection()
        if not self.keeps_plans:
            return self.cursor()
        if self._planned is None or self._planned.connection is not self.connection:
            with self.wrap_database_errors:
                self._planned = PlannedCursor(self.connection)
        return self._prepare_cursor(self._planned)  # type: ignore[attr-defined]

    @property
    def keeps_plans(self) -> bool:
        """Not behind a pooler by transactions, for which Django has a setting."""
        return self._names_apart and not self.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS")

    def init_connection_state(self) -> None:
        """Plan for any values from the first time on: PostgreSQL would else plan anew five times before."""
        super().init_connection_state()
        self._names_apart = name_plans_apart(self.connection)
        if self.keeps_plans:
            with self.connection.cursor() as cursor:
                cursor.execute("SET plan_cache_mode = force_generic_plan")

    def literal(self, value: object) -> str:
        """The value as it stands in the text of a statement."""
        return str(mogrify("%s", [value], self))

    def close_if_health_check_failed(self) -> None:
        """Before the first statement of a request, leave a connection that its server has ended.

        Django asks the server each time, which costs more than most statements. A server that ends, or is
        killed, closes the line, and that shows here at once; only where something has come is it asked. One
        that is lost without a word fails at the first statement, as one that is lost later does.
        """
        if self.connection is None or self.health_check_done:
            return
        if self._has_something_to_read():
            super().close_if_health_check_failed()
        self.health_check_done = True  # in the middle of a request a loss is an error

    def _has_something_to_read(self) -> bool:
        try:
            descriptor = self.connection.pgconn.socket
        except psycopg.Error:  # it knows already that the line is gone
            return True
        watch = select.poll()
        watch.register(descriptor, select.POLLIN)
        return bool(watch.poll(0))
