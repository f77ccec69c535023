"""Settings of the test suite: fast hashing, a temporary data folder, a database in a file."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from survey_site.settings.base import *  # noqa: F403
from survey_site.settings.base import DATABASES

SECRET_KEY = "a key that signs nothing but the tests' own sessions"  # noqa: S105
DEBUG = False
ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1"]

CONCORD_DATA_DIR = Path(tempfile.mkdtemp(prefix="concord-test-"))
atexit.register(shutil.rmtree, CONCORD_DATA_DIR, ignore_errors=True)

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file, not memory: tests with several connections meet the locks that production meets.
    DATABASES["default"]["TEST"] = {"NAME": str(CONCORD_DATA_DIR / "test.sqlite3")}
    DATABASES["default"]["OPTIONS"]["init_command"] = "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"
elif name := os.environ.get("TEST_DATABASE_NAME"):
    DATABASES["default"]["TEST"] = {"NAME": name}
DATABASES["default"]["CONN_MAX_AGE"] = 0  # each test's threads close what they open

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
AXES_ENABLED = False  # client.login carries no request; the lock-out has its own test
WHITENOISE_AUTOREFRESH = True  # no scan of all static files for each client
CELERY_BROKER_URL = CELERY_BROKER_READ_URL = CELERY_BROKER_WRITE_URL = "memory://"
