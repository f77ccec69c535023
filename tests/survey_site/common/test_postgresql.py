"""PostgreSQL is asked less: it keeps the plans of raters' statements, and a line that lives is not tried."""

from contextlib import closing
from types import SimpleNamespace

import pytest
from django.db import (
    DataError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    close_old_connections,
    connection,
    transaction,
)
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext

from survey_site.batches.states import AssignmentState
from survey_site.common.postgresql import POOLER, base
from survey_site.common.prepared import Parameter, prepared, prepared_update, repeated_cursor
from survey_site.survey.models import Assignment, Rater
from tests.factories.batches import make_batch
from tests.factories.survey import make_assignment

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no server that is asked"),
]


@prepared
def open_of(rater: Parameter) -> QuerySet[Assignment]:
    return Assignment.objects.filter(rater=rater, state=AssignmentState.OPEN).order_by()


def kept_plans(name: str) -> list[tuple[str, int]]:
    """The statements about a table whose plans the server keeps for us, and how often each was run."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement, generic_plans FROM pg_prepared_statements ORDER BY prepare_time")
        return [(statement, runs) for statement, runs in cursor.fetchall() if name in statement]


@pytest.fixture
def claimed():
    connection.close()
    assignment = make_assignment(make_batch())
    connection.close()  # what was kept is gone with it
    return assignment


def test_a_statement_is_planned_once_for_a_connection(claimed):
    assert [open_of.first(rater=claimed.rater_id) for _ in range(3)] == [claimed] * 3
    ((statement, runs),) = kept_plans("survey_assignment")
    assert runs == 3
    assert statement.endswith(
        """WHERE ("survey_assignment"."rater_id" = ($1) AND "survey_assignment"."state" = 'open')"""
    )


def test_a_connection_has_one_cursor_for_them(claimed):
    with repeated_cursor() as one, repeated_cursor() as other:
        first = one.cursor
        assert other.cursor is first
    with repeated_cursor() as after:
        assert (after.cursor is first, first.closed) == (True, False)
    connection.close()
    assert open_of.first(rater=claimed.rater_id) == claimed
    with repeated_cursor() as of_another_connection:
        assert of_another_connection.cursor is not first


def test_a_cursor_serves_on_after_a_fault(claimed):
    with pytest.raises(DataError), repeated_cursor() as cursor:
        cursor.execute("SELECT 1 / %s", [0])
    assert open_of.first(rater=claimed.rater_id) == claimed


def test_the_log_of_statements_has_the_values_in_their_places(claimed):
    with CaptureQueriesContext(connection) as asked:
        assert open_of.first(rater=claimed.rater_id) == claimed
        with repeated_cursor() as cursor:
            cursor.execute("SELECT 1")
    assert f"({claimed.rater_id}) AND" in asked.captured_queries[0]["sql"]
    assert asked.captured_queries[1]["sql"] == "SELECT 1"


def test_what_is_asked_once_is_not_kept(claimed):
    assert Assignment.objects.get(pk=claimed.pk) == claimed
    assert kept_plans("survey_assignment") == []


@pytest.mark.parametrize("part", ["5% 'of'", "%s", "a%%b", "back\\slash"])
def test_what_never_differs_is_written_into_the_statement(part, claimed):
    @prepared
    def with_name(batch: Parameter) -> QuerySet[Rater]:
        return Rater.objects.filter(name__contains=part, batch=batch).order_by()

    @prepared_update
    def renamed(batch: Parameter, name: Parameter) -> tuple[QuerySet[Rater], dict[str, object]]:
        return Rater.objects.filter(batch=batch), {"name": name, "language": part}

    batch = claimed.rater.batch_id
    assert with_name.rows(batch=batch) == []
    assert renamed(batch=batch, name=f"so {part} is") == 1
    assert with_name.rows(batch=batch) == [claimed.rater]
    claimed.rater.refresh_from_db()
    assert (claimed.rater.name, claimed.rater.language) == (f"so {part} is", part)


def test_behind_a_pooler_by_transactions_no_plan_is_kept(claimed, monkeypatch):
    monkeypatch.setitem(connection.settings_dict, "DISABLE_SERVER_SIDE_CURSORS", True)
    with repeated_cursor() as cursor:
        cursor.execute("SELECT count(*) FROM survey_assignment")
        assert cursor.fetchone() == (1,)
    assert kept_plans("survey_assignment") == []
    connection.close()


def test_no_two_connections_use_one_name_for_a_plan(claimed):
    """Behind a pooler by transactions one would run what the other has prepared."""
    names = []
    for _ in range(2):
        with repeated_cursor() as cursor:
            cursor.execute("SELECT count(*) FROM survey_assignment")
        with connection.cursor() as cursor:
            cursor.execute("SELECT name FROM pg_prepared_statements")
            names += [name for (name,) in cursor.fetchall()]
        connection.close()
    assert len(set(names)) == len(names) == 2


@pytest.mark.parametrize("line", [SimpleNamespace(), SimpleNamespace(_prepared=SimpleNamespace())])
def test_where_psycopg_has_other_names_inside_no_plan_is_kept(line, claimed, monkeypatch):
    """What names plans apart is no public part of psycopg, and may be another one in a later release."""
    monkeypatch.setattr(base, "name_plans_apart", lambda _line, ask=base.name_plans_apart: ask(line))
    assert [open_of.first(rater=claimed.rater_id) for _ in range(2)] == [claimed] * 2
    assert kept_plans("survey_assignment") == []
    connection.close()


def test_a_plan_that_is_lost_to_a_pooler_is_an_error_that_says_what_to_do(claimed):
    """As where a transaction comes to another connection of the server."""
    assert open_of.first(rater=claimed.rater_id) == claimed
    with connection.cursor() as cursor:
        cursor.execute("DEALLOCATE ALL")
    with pytest.raises(ProgrammingError) as error:
        open_of.first(rater=claimed.rater_id)
    assert error.value.__cause__.__notes__ == [POOLER]
    assert connection.connection.closed  # with what it believes of plans
    connection.close()


def test_other_statements_leave_nothing_in_the_memory_of_the_process(claimed):
    assert open_of.first(rater=claimed.rater_id) == claimed
    assert [Assignment.objects.filter(code=f"none {n}").exists() for n in range(20)] == [False] * 20
    prepared_by_psycopg = connection.connection._prepared
    assert (len(prepared_by_psycopg._names), len(prepared_by_psycopg._counts)) == (1, 0)
    assert open_of.first(rater=claimed.rater_id) == claimed
    assert [runs for _, runs in kept_plans("survey_assignment")] == [2]


def test_plans_outlive_no_rollback(claimed):
    assert open_of.first(rater=claimed.rater_id) == claimed
    with transaction.atomic():
        assert open_of.first(rater=claimed.rater_id) == claimed
        transaction.set_rollback(True)
    assert open_of.first(rater=claimed.rater_id) == claimed
    assert [runs for _, runs in kept_plans("survey_assignment")] == [1]


@prepared
def raters_of(batch: Parameter) -> QuerySet[Rater]:
    return Rater.objects.filter(batch=batch).order_by()


def test_a_migration_under_a_running_site_costs_a_connection_one_error(claimed):
    batch = claimed.rater.batch_id
    assert raters_of.rows(batch=batch) == [claimed.rater]
    with closing(connection.copy()) as other, other.cursor() as cursor:
        cursor.execute("ALTER TABLE survey_rater ALTER COLUMN language TYPE varchar(11)")
        try:
            with pytest.raises(NotSupportedError, match="cached plan"):
                raters_of.rows(batch=batch)
            close_old_connections()
            assert raters_of.rows(batch=batch) == [claimed.rater]
            connection.close()
        finally:
            cursor.execute("ALTER TABLE survey_rater ALTER COLUMN language TYPE varchar(10)")


@pytest.fixture
def between_requests():
    """A connection that was kept for the next request, as on a site."""
    with closing(connection):
        connection.ensure_connection()
        connection.health_check_enabled = True
        connection.health_check_done, connection.close_at = True, None
        close_old_connections()
        assert connection.connection is not None
        yield connection.connection


def test_a_line_that_lives_is_not_tried(between_requests, monkeypatch):
    def ask(*_arguments):
        raise AssertionError("the server was asked")

    monkeypatch.setattr(connection, "is_usable", ask)
    assert Rater.objects.count() == 0
    assert connection.connection is between_requests


def test_a_session_that_the_server_has_ended_is_replaced(between_requests):
    end(between_requests)
    assert Rater.objects.count() == 0
    assert connection.connection is not between_requests


def test_one_that_ends_in_the_middle_of_a_request_is_an_error_once(between_requests):
    assert Rater.objects.count() == 0
    end(between_requests)
    with pytest.raises(OperationalError):
        Rater.objects.count()
    close_old_connections()
    assert Rater.objects.count() == 0


def end(session):
    with closing(connection.copy()) as other, other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 10000)", [session.info.backend_pid])
