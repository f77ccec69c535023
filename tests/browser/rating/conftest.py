"""A rater's first questionnaire in a real browser."""

import pytest
from playwright.sync_api import expect

from tests.browser.rating.steps import progress
from tests.factories.batches import make_batch
from tests.factories.corpus import make_corpus


@pytest.fixture
def batch():
    return make_batch(corpus=make_corpus(documents=3, systems=5))


@pytest.fixture
def questionnaire(page, batch, open_survey):
    """A page that has just joined and shows its first questionnaire, its script at work."""
    open_survey(page, batch)
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Compare 6 pairs of texts")
    expect(progress(page)).to_have_text("0 of 6 rated")
    return page
