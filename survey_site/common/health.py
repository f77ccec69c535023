"""Whether the site is alive, and ready to store answers: for containers, proxies, monitors and the demo."""

import logging
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus

from django.conf import settings
from django.db import Error, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed

ALIVE_PATH = "/health/alive/"
READY_PATH = "/health/ready/"
HEALTH_PATH = "/health/"
"""The same as READY_PATH: what monitors of earlier versions ask."""
TOUCH = "UPDATE django_migrations SET name = name WHERE id = (SELECT MIN(id) FROM django_migrations)"
LITTLE_MEMORY = "SET LOCAL work_mem = '64kB'"
TAKE_ROOM = (
    "WITH pages AS MATERIALIZED (SELECT repeat('x', 8000) AS page FROM generate_series(1, 130)) "
    "SELECT max(length(page)) FROM pages"
)
"""One megabyte, which with little memory PostgreSQL writes to a file of its disk, and removes at once."""
NO_SUCH_FILES = "53400"
"""What PostgreSQL says whose `temp_file_limit` allows no such file; nothing is known of its disk then."""
LEAST_FREE_BYTES = 100_000_000
"""Free bytes of the data folder's disk below which the site calls itself not ready."""
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Fault:
    """What keeps the site from working, and what to do about it."""

    message: str
    action: str = ""

    def __str__(self) -> str:
        return f"{self.message} {self.action}".strip()


class HealthMiddleware:
    """Answers ALIVE_PATH with 200, and READY_PATH with 200 where answers can be stored, else with 503.

    One of the first, because who asks comes by http and by whatever name the machine has: neither the list of
    allowed hosts nor the redirect to https is for it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info not in (ALIVE_PATH, READY_PATH, HEALTH_PATH):
            return self.get_response(request)
        if request.method not in ("GET", "HEAD"):
            return HttpResponseNotAllowed(["GET", "HEAD"])
        return _plain("ok\n", HTTPStatus.OK) if request.path_info == ALIVE_PATH else _readiness()


def _readiness() -> HttpResponse:
    faults = list(readiness_faults())
    for fault in faults:
        log.warning("Not ready: %s", fault)
    if not faults:
        return _plain("ok\n", HTTPStatus.OK)
    said = "".join(f"{fault.message}\n" for fault in faults)
    return _plain(said, HTTPStatus.SERVICE_UNAVAILABLE)


def _plain(text: str, status: HTTPStatus) -> HttpResponse:
    return HttpResponse(text, status=status, content_type="text/plain", headers={"Cache-Control": "no-store"})


def readiness_faults() -> Iterator[Fault]:
    """What keeps the site from storing answers: nothing, where it is ready."""
    if fault := database_fault():
        yield fault
    elif waiting := waiting_migrations():
        yield Fault(f"Migrations that the database lacks: {waiting}.", "Run manage.py migrate.")
    if fault := storage_fault():
        yield fault


def database_fault() -> Fault | None:
    """Write a row as it is and take it back: a database that only reads fails here.

    On a full disk PostgreSQL takes that row, whose page has room, but no answers, for which there is no new
    page: so it is made to write a file. SQLite's disk is the data folder's, which `storage_fault` looks at.
    """
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(TOUCH)
            if connection.vendor == "postgresql":
                cursor.execute(LITTLE_MEMORY)
                cursor.execute(TAKE_ROOM)
            transaction.set_rollback(True)
    except Error as error:
        if getattr(error.__cause__, "sqlstate", "") == NO_SUCH_FILES:
            return None
        log.warning("The database does not take a write: %s", error)
        return _why_no_write()
    return None


def _why_no_write() -> Fault:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            has_tables = "django_migrations" in connection.introspection.table_names(cursor)
    except Error as error:
        said = " ".join(str(error).split())
        return Fault("The database does not answer.", f"Check that it runs, and DATABASE_URL: {said}")
    if not has_tables:
        return Fault("The database has no tables.", "Run manage.py migrate.")
    return Fault("The database takes no writes.", "Check its disk, and that it is no read-only copy.")


def waiting_migrations() -> int:
    """How many migrations of this version the database has not had yet."""
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def storage_fault() -> Fault | None:
    """The data folder takes a file, and its disk has room."""
    folder = settings.CONCORD_DATA_DIR
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"concord")
            file.flush()
        free = shutil.disk_usage(folder).free
    except OSError as error:
        return Fault("The data folder takes no files.", f"{error.strerror}: {folder} (CONCORD_DATA_DIR).")
    if free < LEAST_FREE_BYTES:
        said = (
            f"The data folder's disk has {free / 1e6:,.0f} MB left, less than {LEAST_FREE_BYTES / 1e6:,.0f}."
        )
        return Fault(said, "Make room, or move the data folder.")
    return None
