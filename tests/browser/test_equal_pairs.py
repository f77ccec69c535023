"""Equal pairs shown once, in the form, the check before the launch, the rater's page and the methods."""

import pytest
from playwright.sync_api import expect

from survey_site.batches.models import Batch
from survey_site.survey.models import Rating
from tests.browser.conftest import scrolls_sideways
from tests.browser.rating.steps import choose, submit
from tests.factories.accounts import make_user
from tests.factories.reports import make_report
from tests.factories.scoring import make_scored_corpus

CHECK = "They are shown once, so raters answer 3 fewer."  # Copy wrote the references, so it is like gold


@pytest.fixture
def staff(page, login):
    """A page with an admin logged in."""
    login(page, make_user(role="admin"))
    return page


def test_equal_pairs_are_shown_once(staff, new_page, live_server, open_survey, violations):
    page = staff
    page.goto(f"{live_server.url}/batches/new/?corpus={make_scored_corpus().pk}")
    page.get_by_label("Name").fill("Once")
    page.get_by_label("Show pairs of the same two texts once").check()
    page.get_by_role("button", name="Save the draft").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Once Draft")
    page.get_by_role("link", name="Launch …").click()
    expect(page.get_by_text(CHECK)).to_be_visible()
    page.get_by_label("warnings and launch all the same").check()
    page.get_by_role("button", name="Launch").click()
    expect(page.get_by_text("The batch is live")).to_be_visible()

    batch, rater = Batch.objects.get(), new_page()
    open_survey(rater, batch)
    rater.get_by_role("button", name="I agree: start").click()
    pairs = rater.locator("[id^=pair-]:has(.scale__option)")
    expect(pairs).to_have_count(3)
    expect(rater.get_by_text("may come more than once")).to_have_count(0)
    assert not scrolls_sideways(rater)
    assert violations(rater) == []
    for pair in pairs.all():
        choose(rater, pair.get_attribute("id").removeprefix("pair-"), 4)
    submit(rater)
    expect(rater.get_by_role("heading", name="Thank you!")).to_be_visible()
    assert Rating.objects.count() == 4

    report = make_report(batch=batch, min_raters=1, resamples=1_000)
    page.goto(live_server.url + report.get_absolute_url())
    expect(page.get_by_text("Pairs of the same two texts were shown once and rated alike.")).to_be_visible()
