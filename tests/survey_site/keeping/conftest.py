import pytest

from survey_site.batches.services import close_batch
from tests.factories.batches import NOW
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch


@pytest.fixture
def batch(db):
    """A closed batch that two raters each rated."""
    return close_batch(batch=make_rated_batch(name="Pilot"), now=NOW)


@pytest.fixture
def report(batch, researcher):
    """A report that waits, asked for by a researcher."""
    return make_report(batch=batch, built=False, created_by=researcher)
