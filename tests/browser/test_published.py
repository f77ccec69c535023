"""Published tables on the form and on the page of a report: uploaded, shown, readable on a phone."""

import io

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from meta_eval.report.published.reading import read_published
from tests.browser.conftest import scrolls_sideways
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch

TABLE = "system,rouge-l,meteor\nCopy,0.5,0.5\nTheir mix,0.25,0.5\nElsewhere,0.1,0.1\n"
WIDTHS = (360, 1280)


@pytest.fixture
def reading(page, login, researcher):
    login(page, researcher)
    return page


@pytest.mark.parametrize("width", WIDTHS)
def test_the_form_says_what_is_wrong_with_a_table(reading, live_server, violations, problems, width):
    make_rated_batch()
    reading.set_viewport_size({"width": width, "height": 800})
    reading.goto(live_server.url + reverse("reports:new"))
    reading.get_by_label("Batch").select_option(index=1)
    reading.get_by_text("Published numbers to show beside yours").click()
    reading.get_by_label("EGISES by system and measure").set_input_files(
        {"name": "table7.csv", "mimeType": "text/csv", "buffer": b"name,jsd\nA,1\n"}
    )
    reading.get_by_role("button", name="Build the report").click()
    fault = reading.get_by_text("table7.csv:1: the header lacks the columns system")
    expect(fault.last).to_be_visible()
    assert not scrolls_sideways(reading)
    # The refused form itself is a response of 422, which the browser notes.
    assert [one for one in problems if "422" not in one] == []
    assert violations(reading) == []


@pytest.mark.parametrize("width", WIDTHS)
def test_ours_beside_theirs_fits_the_page(reading, live_server, width):
    table = read_published(io.BytesIO(TABLE.encode()), "egises", name="table7.csv")
    report = make_report(published=[table], same_systems={"Mixed": "Their mix"})
    reading.set_viewport_size({"width": width, "height": 800})
    reading.goto(live_server.url + report.get_absolute_url())
    section = reading.get_by_role("region", name="Beside published numbers")
    expect(section).to_be_visible()
    expect(section.get_by_role("row", name="Mixed (Their mix)")).to_contain_text("0.250")
    assert not scrolls_sideways(reading)


def test_ours_beside_theirs_is_accessible(reading, live_server, violations):
    table = read_published(io.BytesIO(TABLE.encode()), "egises", name="table7.csv")
    report = make_report(published=[table], same_systems={"Mixed": "Their mix"})
    reading.goto(live_server.url + report.get_absolute_url())
    expect(reading.get_by_role("heading", name="Beside published numbers")).to_be_visible()
    assert violations(reading) == []
