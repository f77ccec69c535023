"""One finished report for all tests of a module that only read it, or change its row."""

import pytest

from survey_site.reports.models import Report
from tests.factories.reports import make_report


@pytest.fixture(scope="module")
def made_once(make_once):
    """The module's report, as it was made; a module that needs another one overrides this."""
    return make_once(make_report)


@pytest.fixture
def report(made_once, db):
    """The module's report, its row read anew for each test."""
    return Report.objects.get(pk=made_once.pk)
