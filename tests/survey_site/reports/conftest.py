"""One finished report for all tests of a module that only read it, or change its row."""

import pytest

from survey_site.reports.models import Report
from tests.factories.reports import make_report


@pytest.fixture(scope="module")
def shared(shared_rows):
    """The module's report, as it was made; a module that needs another one overrides this."""
    return shared_rows(make_report)


@pytest.fixture
def report(shared, db):
    """The module's report, its row read anew for each test."""
    return Report.objects.get(pk=shared.pk)
