"""Processes of their own: what they are told, so that they find what the test has, and waiting for them."""

import time

from django.db import connection

PATIENCE_SECONDS = 120


def wait_for(condition):
    """Ends once the condition holds; fails where it never does."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def database_url():
    """The DATABASE_URL of the test's database."""
    found = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{found['NAME']}"
    if str(found["HOST"]).startswith("/"):
        return f"postgres://{found['USER']}@/{found['HOST']}/{found['NAME']}"
    login = f"{found['USER']}:{found['PASSWORD']}" if found["PASSWORD"] else found["USER"]
    return f"postgres://{login}@{found['HOST']}:{found['PORT'] or 5432}/{found['NAME']}"
