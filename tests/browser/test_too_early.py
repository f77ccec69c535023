"""A report asked for before there are enough ratings: what to do stands in the first screen of a phone."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from survey_site.reports.models import Report
from tests.browser.conftest import PHONE, scrolls_sideways
from tests.factories.scoring import make_rated_batch


@pytest.fixture
def sent(monkeypatch):
    """No worker waits for reports here; the ids of those that would be handed to one."""
    sent = []
    monkeypatch.setattr("survey_site.reports.views.enqueue_report", lambda report: sent.append(report.pk))
    return sent


@pytest.fixture
def phone(page, login, researcher):
    """A researcher's phone."""
    login(page, researcher)
    page.set_viewport_size(PHONE)
    return page


def test_a_refused_report_is_built_with_what_is_there(phone, live_server, violations, sent):
    page = phone
    batch = make_rated_batch(completions=3)
    page.goto(f"{live_server.url}{reverse('reports:new')}?batch={batch.pk}")
    page.get_by_role("button", name="Build the report").click()
    refusal = page.get_by_role("alert")
    expect(refusal).to_contain_text("No pair of a system's texts has 2 ratings yet: so far")
    button = refusal.get_by_role("button", name="Build it with 1 rating a pair")
    expect(button).to_be_in_viewport(ratio=1)
    assert not scrolls_sideways(page)
    assert violations(page) == []
    button.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Report on {batch.name}")
    report = Report.objects.get()
    assert (report.options["min_raters"], sent) == (1, [report.pk])
