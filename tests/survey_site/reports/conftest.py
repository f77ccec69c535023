"""One finished report for all tests of a module that only read it, or change its row."""

import pytest

from survey_site.reports.bundles import kept as kept_bundles
from survey_site.reports.models import Report
from tests.factories.bundles import bundle_address
from tests.factories.reports import make_report


@pytest.fixture(scope="module")
def made_once(make_once):
    """The module's report, as it was made; a module that needs another one overrides this."""
    return make_once(make_report)


@pytest.fixture
def report(made_once, db):
    """The module's report, its row read anew for each test."""
    return Report.objects.get(pk=made_once.pk)


@pytest.fixture
def many(monkeypatch):
    """Every report is too large for its bundle to be made at once, and its file is in many pieces."""
    monkeypatch.setattr(kept_bundles, "FEW_DOCUMENTS", 0)
    monkeypatch.setattr(kept_bundles, "PIECE", 1000)


@pytest.fixture
def at_once(client, admin, report):
    """The bundle as the web process makes it of a small report."""
    client.force_login(admin)
    return client.get(bundle_address(report)).getvalue()
