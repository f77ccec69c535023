"""What processes of their own are told, so that they find what the test has."""

from django.db import connection


def database_url():
    """The DATABASE_URL of the test's database."""
    found = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{found['NAME']}"
    if str(found["HOST"]).startswith("/"):
        return f"postgres://{found['USER']}@/{found['HOST']}/{found['NAME']}"
    login = f"{found['USER']}:{found['PASSWORD']}" if found["PASSWORD"] else found["USER"]
    return f"postgres://{login}@{found['HOST']}:{found['PORT'] or 5432}/{found['NAME']}"
