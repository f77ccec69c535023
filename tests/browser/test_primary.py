"""Declaring a primary coefficient in a browser, on a wide page and a phone, and reading it in the report."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import scrolls_sideways
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch


@pytest.fixture
def planning(page, login, admin):
    login(page, admin)
    return page


@pytest.mark.parametrize("width", [390, 1280])
def test_it_is_declared_late_and_the_report_says_so(planning, live_server, violations, problems, width):
    batch = make_rated_batch()
    planning.set_viewport_size({"width": width, "height": 800})
    planning.goto(f"{live_server.url}{batch.get_absolute_url()}")
    planning.get_by_text("Plan and wording").click()
    planning.get_by_role("link", name="Declare").click()
    expect(planning.get_by_text("ratings already")).to_be_visible()
    planning.get_by_label("Coefficient").select_option(label="Spearman’s ρ")
    planning.get_by_role("button", name="Declare").click()
    expect(planning.get_by_text("Choose the surrogate, too").first).to_be_visible()
    problems.clear()  # the browser calls the refusal, 422, a problem
    assert not scrolls_sideways(planning)
    planning.get_by_label("Surrogate").select_option(label="ROUGE-L")
    planning.get_by_role("button", name="Declare").click()
    expect(planning.get_by_text("Primary coefficient: Spearman's rho of DEGRESS").first).to_be_visible()
    report = make_report(batch=batch)
    planning.goto(f"{live_server.url}{report.get_absolute_url()}")
    expect(planning.get_by_text("was declared as primary on").first).to_be_visible()
    table = planning.get_by_role("region", name="Measures by the declared primary coefficient")
    expect(table.get_by_role("columnheader", name="p max-T")).to_be_visible()
    assert not scrolls_sideways(planning)
    assert problems == []
    assert violations(planning) == []
