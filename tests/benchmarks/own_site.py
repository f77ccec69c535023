"""A site of its own for a benchmark that asks it within one process."""

import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

UNLIMITED = "1000000000"
NO_LIMITS = {
    "LOG_LEVEL": "WARNING",
    "CONCORD_JOINS_PER_ADDRESS": UNLIMITED,  # all raters come from one address
    "CONCORD_POSTS_PER_RATER": UNLIMITED,
}
"""Settings under which one process may be many raters."""


def set_environment(folder: Path, database: str = "", **settings: str) -> None:
    """For this process, and for the servers that it starts, the settings of a site that keeps its data there.

    database: address of a PostgreSQL; without one SQLite's file is in the folder.
    """
    os.environ.pop("DATABASE_URL", None)
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "survey_site.settings",
        "SECRET_KEY": secrets.token_urlsafe(50),
        "CONCORD_DATA_DIR": str(folder),
        "CONCORD_HTTPS": "false",
        "ALLOWED_HOSTS": "127.0.0.1",
        "OMP_NUM_THREADS": "1",
        **NO_LIMITS,
        "LOG_LEVEL": "ERROR",
        **({"DATABASE_URL": database} if database else {}),
        **settings,
    }


@contextmanager
def own_site(**settings: str) -> Iterator[None]:
    """Within the block Django is set up on an empty database, which is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "survey_site.settings",
            "CONCORD_DATA_DIR": folder,
            "SECRET_KEY": secrets.token_urlsafe(50),
            "LOG_LEVEL": "ERROR",
            **settings,
        }
        import django

        django.setup()
        from django.core.management import call_command

        from survey_site.rehearsal.site import own_database

        with own_database(Path(folder)):
            call_command("migrate", interactive=False, verbosity=0)
            yield


def server_seconds() -> float:
    """Of the processor, of the PostgreSQL process that serves us; 0 where none does on this machine.

    What the cluster does for all connections, such as writing pages out, is not in it.
    """
    from django.db import connection

    if connection.vendor != "postgresql":
        return 0.0
    with connection.cursor() as cursor:
        cursor.execute("select pg_backend_pid()")
        (key,) = cursor.fetchone()
    state = Path(f"/proc/{key}/schedstat")
    return int(state.read_text().split()[0]) / 1e9 if state.exists() else 0.0
