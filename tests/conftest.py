"""Fixtures that every test of the web site may use, and how property tests run."""

from typing import Any

import pytest
from django.apps import AppConfig
from django.core.cache import caches
from django.db.models.signals import post_migrate
from django.test import Client
from hypothesis import HealthCheck, settings
from kombu.transport.memory import Channel

from survey_site.scoring import jobs
from tests.factories.accounts import first_project, make_user
from tests.left_out import left_out, pytest_terminal_summary

__all__ = ["left_out", "pytest_terminal_summary"]  # pytest finds them here

# Speed is a matter for benchmarks: a busy machine must not fail a property. Nor must luck: each run tries the
# same examples, so that what fails has been changed.
settings.register_profile(
    "concord",
    deadline=None,
    derandomize=True,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("concord")


def pytest_make_parametrize_id(val: Any) -> str | None:
    """Cases that are lists or dictionaries are called by what these hold, not by a number."""
    if not isinstance(val, (dict, list, tuple)) or not _reads_alike(val):
        return None
    words = [f"{name}={value}" for name, value in val.items()] if isinstance(val, dict) else map(str, val)
    name = " ".join(words)[:60] or "nothing"
    return name.encode("unicode_escape").decode("ascii")  # as pytest writes texts: half a pair is no UTF-8


def _reads_alike(value: Any) -> bool:
    """Whether it is written the same in every process, as xdist asks; a set or an object is not."""
    if isinstance(value, dict):
        return all(map(_reads_alike, [*value, *value.values()]))
    if isinstance(value, (list, tuple)):
        return all(map(_reads_alike, value))
    return isinstance(value, (str, int, float, type(None)))


@pytest.fixture(autouse=True, scope="session")
def _no_heartbeats():
    """A beat comes from another connection: on SQLite it would wait, and the job for it, until the time is up
    that writers wait for the transaction around a test. Tests of beats set their own time.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "BEAT_SECONDS", 3600.0)
        yield


@pytest.fixture(autouse=True)
def _empty_caches():
    """What the site keeps in memory is kept by numbers of rows, which the next test gives to others."""
    for cache in caches.all():
        cache.clear()


@pytest.fixture(autouse=True)
def _empty_broker():
    """Messages of earlier tests of this process: no worker takes them, and pages say that they wait."""
    Channel.queues.clear()


def _keep_first_project(sender: AppConfig, **_signal: object) -> None:
    """A test of whole transactions empties every table after it, and so takes away what migrations made."""
    if sender.label == "projects":
        first_project()


post_migrate.connect(_keep_first_project)


@pytest.fixture
def pauses(monkeypatch):
    """How long a job waits before it goes on: seconds, none of which passes here."""
    waited = []
    monkeypatch.setattr(jobs.time, "sleep", waited.append)
    return waited


@pytest.fixture
def researcher(db):
    return make_user(username="rita", role="researcher")


@pytest.fixture
def admin(db):
    return make_user(username="adam", role="admin")


@pytest.fixture
def researcher_client(researcher):
    client = Client()
    client.force_login(researcher)
    return client


@pytest.fixture
def admin_client(admin):
    client = Client()
    client.force_login(admin)
    return client
