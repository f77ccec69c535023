"""Fixtures that every test of the web site may use, and how property tests run."""

import pytest
from django.core.cache import caches
from django.test import Client
from hypothesis import HealthCheck, settings

from tests.factories.accounts import make_user

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


@pytest.fixture(autouse=True)
def _empty_caches():
    """What the site keeps in memory is kept by numbers of rows, which the next test gives to others."""
    for cache in caches.all():
        cache.clear()


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
