"""Whether a correlation holds: the tables on the page of a report and their choices on its form."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.browser.conftest import scrolls_sideways
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch

TABLES = (
    "Within families of systems",
    "By system, document and reader pair",
    "Percentile beside BCa",
    "Without each system",
)


@pytest.fixture
def reading(page, login, researcher):
    login(page, researcher)
    return page


@pytest.mark.parametrize("width", [360, 1280])
def test_the_tables_fit_the_page_and_are_accessible(reading, live_server, violations, width):
    report = make_report(
        families=["plain = Copy, Same"], coefficients=["pairwise-accuracy"], measures=["rouge-l", "jsd-oov"]
    )
    reading.set_viewport_size({"width": width, "height": 900})
    reading.goto(f"{live_server.url}{report.get_absolute_url()}?score=degress")
    section = reading.get_by_role("region", name="Does it hold: DEGRESS")
    for title in TABLES:
        section.get_by_text(title, exact=True).click()
    expect(section.get_by_role("region", name="Coefficients without each system")).to_be_visible()
    assert not scrolls_sideways(reading)
    links = reading.locator("section:has(#take-away) dd").first.bounding_box()
    assert links is not None
    assert links["width"] > width / 2
    assert violations(reading) == []


def test_the_form_keeps_what_was_typed_and_says_which_family_is_wrong(reading, live_server):
    make_rated_batch()
    reading.goto(live_server.url + reverse("reports:new"))
    reading.get_by_label("Batch").select_option(index=1)
    reading.get_by_text("More tables").click()
    reading.get_by_label("Families of systems").fill("plain = Nobody")
    reading.get_by_role("button", name="Build the report").click()
    expect(reading.get_by_text("Family 'plain' names 'Nobody'").last).to_be_visible()
    expect(reading.get_by_label("Families of systems")).to_have_value("plain = Nobody")
