"""An admin lets a model rate a batch or judge its summaries: sees what leaves, confirms, and follows it."""

import json
import re

import pytest
from playwright.sync_api import expect

from survey_site.model_raters import stopping
from survey_site.model_raters.models import ModelRun
from survey_site.model_raters.services import execute_run
from survey_site.reports.services import build_report
from tests.browser.test_uploads import check_at_both_widths
from tests.factories.llm_server import Play, prompt_of
from tests.factories.model_raters import MODEL, configured
from tests.factories.scoring import make_rated_batch
from tests.meta_eval.studies.perse.judging import FENCED


@pytest.fixture
def start(page, login, admin, live_server):
    """The page of an admin, and where the site is."""
    login(page, admin)
    return page, live_server.url


@pytest.fixture
def batch(settings, tmp_path, monkeypatch):
    settings.CONCORD_DATA_DIR = tmp_path
    monkeypatch.setattr(stopping, "LOOK_SECONDS", 0.05)
    return make_rated_batch()


def test_a_model_is_confirmed_cancelled_tried_again_and_read(start, settings, batch, violations, problems):
    page, site = start
    with configured(settings) as server:
        page.goto(site + batch.get_absolute_url())
        page.get_by_text("Actions", exact=True).click()
        page.get_by_role("link", name="Let a model rate …").click()
        expect(page.get_by_text("What leaves this machine")).to_be_visible()
        page.get_by_text("The first request, word for word").click()
        expect(page.locator("pre").last).to_contain_text("Text 2:")
        assert problems == []  # before a refusal, and before axe, which loads more than the policy lets it
        page.get_by_role("button", name="Send and rate").click()
        expect(page.get_by_text("Confirm that these texts may be sent there.").first).to_be_visible()
        check_at_both_widths(page, violations)
        page.get_by_label("I may give these texts").check()
        page.get_by_role("button", name="Send and rate").click()
        expect(page.get_by_text("Waiting for a worker")).to_be_visible()
        assert server.requests == 0
        check_at_both_widths(page, violations)

        page.get_by_role("button", name="Cancel").click()
        expect(page.get_by_text("It was cancelled before its end.")).to_be_visible()
        page.get_by_role("button", name="Try again").click()
        expect(page.get_by_text("Waiting for a worker")).to_be_visible()
        execute_run(run=ModelRun.objects.get())  # as a worker does; the page sees it by itself
        expect(page.get_by_role("heading", name="What it answered")).to_be_visible()
        expect(page.get_by_text("12 of 12 pairs are rated.")).to_be_visible()
        check_at_both_widths(page, violations)

        page.get_by_role("link", name="Models", exact=True).click()
        expect(page.get_by_role("link", name=MODEL)).to_be_visible()
        check_at_both_widths(page, violations)


def test_a_judge_is_confirmed_followed_and_ticked_in_a_report(start, settings, batch, violations):
    page, site = start

    def by_length(body, _times):
        summary = FENCED.findall(prompt_of(body))[-1][1]
        return Play(json.dumps({"reason": "Long.", "score": min(10, len(summary.split()))}))

    with configured(settings, by_length):
        page.goto(f"{site}{batch.get_absolute_url()}models/")
        page.get_by_role("link", name="Let a model judge in readers’ places").click()
        expect(page.get_by_text("3, those that people rate")).to_be_visible()
        check_at_both_widths(page, violations)
        page.get_by_label("I may give these texts").check()
        page.get_by_role("button", name="Send and judge").click()
        expect(page.get_by_text("Waiting for a worker")).to_be_visible()
        execute_run(run=ModelRun.objects.get())
        expect(page.get_by_role("heading", name="What it answered")).to_be_visible()
        expect(page.get_by_role("row", name="Same 0.111 0.000")).to_be_visible()
        check_at_both_widths(page, violations)
        page.get_by_role("link", name="Models", exact=True).click()
        expect(page.get_by_role("heading", name="Judges in readers’ places")).to_be_visible()
        check_at_both_widths(page, violations)

        page.goto(f"{site}/reports/new/?batch={batch.pk}")
        page.get_by_label(f"perse by {MODEL}").check()
        check_at_both_widths(page, violations)
        page.get_by_role("button", name="Build the report").click()
        expect(page).not_to_have_url(re.compile("/new/"))
        report = build_report(report=batch.reports.get())
        page.goto(site + report.get_absolute_url())
        expect(page.get_by_role("heading", name="Judged in readers’ places")).to_be_visible()
        page.get_by_text(f"Systems as {MODEL} judges them in readers' places").click()
        check_at_both_widths(page, violations)
