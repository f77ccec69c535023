"""The pages of one batch in a real browser: the menu, what comes next, times in one's own zone."""

import re
from datetime import timedelta

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import scrolls_sideways
from tests.factories.accounts import make_user
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_assignment, make_rater, submit_all

NARROW = {"width": 320, "height": 640}


@pytest.fixture
def batch():
    """Two raters, the second of whom rates all alike and fast."""
    batch = make_batch(corpus=make_corpus(documents=3, systems=4))
    for value, seconds in ((None, 400), (3, 2)):
        rater, now = make_rater(batch), NOW
        for _ in range(2):
            claim = make_assignment(batch, rater=rater, now=now)
            now += timedelta(seconds=seconds)
            submit_all(claim, value=value or 1 + claim.pk % 6, now=now)
    return batch


@pytest.fixture
def watching(page, login, live_server, batch):
    """An admin on the monitor of the batch."""
    login(page, make_user(role="admin"))
    page.goto(live_server.url + batch.get_absolute_url())


def test_the_menu_is_worked_by_keyboard(watching, page):
    summary = page.locator("details.menu > summary")
    summary.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Pause")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Pause")).to_be_hidden()
    expect(summary).to_be_focused()


def test_the_menu_and_the_next_step_work_without_scripts(new_page, login, live_server, batch):
    page = new_page(java_script_enabled=False)
    login(page, make_user(role="admin"))
    page.goto(live_server.url + batch.get_absolute_url())
    page.locator("details.menu > summary").click()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Pilot Live Paused")
    page.get_by_role("link", name="Compute them now").click()
    page.get_by_role("link", name="Review raters").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Quality of the ratings")


def test_flagged_raters_come_to_the_top_by_themselves(watching, page, violations, problems):
    expect(page.get_by_role("heading", name=re.compile("flagged: look at"))).to_be_visible()
    page.get_by_text("As a table").first.click()
    assert problems == []
    assert violations(page) == []
    page.set_viewport_size(NARROW)
    page.locator("details.menu > summary").click()
    assert not scrolls_sideways(page)
    assert violations(page) == []


def test_times_are_those_of_the_readers_zone(new_page, login, live_server, batch):
    page = new_page(timezone_id="Asia/Kolkata")
    login(page, make_user())
    page.goto(live_server.url + batch.get_absolute_url())
    expect(page.locator("header time").first).to_have_text("2 March 2026, 14:30 (GMT+5:30)")
    expect(page.locator("[data-refreshed]")).to_have_count(2)
    expect(page.locator("[data-refresh] time").first).to_contain_text("GMT+5:30")
