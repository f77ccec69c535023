"""The page "As in the papers": reached from the report, readable on a phone, each table to take away."""

import csv
import io

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.browser.conftest import scrolls_sideways
from tests.factories.reports import make_report


@pytest.fixture
def reading(page, login, researcher):
    login(page, researcher)
    return page


@pytest.mark.parametrize("width", [390, 1280])
def test_the_tables_are_a_click_from_the_report_and_fit_the_page(reading, live_server, violations, width):
    report = make_report(families=["plain = Copy, Same"], surrogates=["rouge-l", "jsd"])
    reading.set_viewport_size({"width": width, "height": 800})
    reading.goto(live_server.url + report.get_absolute_url())
    reading.get_by_role("link", name="As in the papers").click()
    expect(reading.get_by_role("heading", name="As in the papers")).to_be_visible()
    first = reading.get_by_role("region", name="PerSEval Table 1: table")
    assert first.get_by_role("row").nth(0).inner_text().split() == ["System", "ROUGE-L", "Jensen-Shannon"]
    assert first.locator("tr.table__ruled").count() == 1
    expect(reading.get_by_role("img", name="Ablation of beta")).to_be_visible()
    expect(reading.get_by_role("heading", name="Not in this report")).to_be_visible()
    assert not scrolls_sideways(reading)
    assert violations(reading) == []


def test_what_is_chosen_is_shown_and_taken_away(reading, live_server):
    report = make_report()
    reading.goto(live_server.url + reverse("reports:papers", args=[report.pk]))
    reading.get_by_label("Measure").select_option("jsd")
    reading.get_by_role("button", name="Show").click()
    section = reading.get_by_role("region", name="PerSEval Table 4", exact=True)
    expect(section).to_contain_text("PerSEval by Jensen-Shannon of each system from fewer documents")
    with reading.expect_download() as download:
        section.get_by_role("link", name="CSV").click()
    assert download.value.suggested_filename == f"concord-report-{report.pk}-perseval-table-4.csv"
    rows = list(csv.reader(io.StringIO(download.value.path().read_text(encoding="utf-8"))))
    (studied,) = (
        row for row in report.read().inference.stability if (row.score, row.measure) == ("perseval", "jsd")
    )
    assert {row[0]: [float(cell) for cell in row[1:6]] for row in rows[1:]} == {
        system.system: list(system.means) for system in studied.systems
    }
