"""Archiving and deleting in a real browser, by keyboard and without scripts."""

import pytest
from playwright.sync_api import expect

from survey_site.batches.models import Batch
from survey_site.batches.services import close_batch
from survey_site.reports.models import Report
from tests.browser.conftest import PHONE, open_menu, scrolls_sideways
from tests.factories.accounts import make_user
from tests.factories.batches import NOW
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch

DESK = {"width": 1280, "height": 900}


@pytest.fixture
def closed():
    """A closed batch with a report that waits."""
    batch = close_batch(batch=make_rated_batch(name="Pilot"), now=NOW)
    return make_report(batch=batch, built=False)


def expect_sound(page, violations):
    for size in (PHONE, DESK):
        page.set_viewport_size(size)
        assert not scrolls_sideways(page)
        assert violations(page) == []


def test_a_report_and_then_its_batch_are_deleted_by_keyboard(closed, page, login, live_server, violations):
    login(page, make_user(role="admin"))
    page.goto(live_server.url + closed.batch.get_absolute_url())
    open_menu(page)
    page.get_by_role("link", name="Delete …").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Delete “Pilot”?")
    expect(page.get_by_role("button", name="Delete the batch")).to_have_count(0)
    expect_sound(page, violations)
    page.get_by_role("link", name=str(closed)).press("Enter")
    open_menu(page)
    page.get_by_role("link", name="Delete …").press("Enter")
    expect_sound(page, violations)
    page.get_by_label("Type the number of the report").press_sequentially(f"{closed.pk}\n")
    expect(page.get_by_text("is deleted. The audit log keeps that it was here.")).to_be_visible()
    page.goto(live_server.url + f"/keep/batch/{closed.batch.pk}/delete/")
    field = page.get_by_label("Type the name of the batch")
    field.press_sequentially("Pilots\n")
    expect(page.get_by_text("“Pilots” is not “Pilot”.")).to_be_visible()
    expect_sound(page, violations)
    field.fill("Pilot")
    field.press("Enter")
    expect(page.get_by_text("“Pilot” is deleted.")).to_be_visible()
    assert (Report.objects.count(), Batch.objects.count()) == (0, 0)


def test_without_scripts_a_batch_is_archived_and_found_again(closed, new_page, client, live_server):
    client.force_login(make_user(role="admin"))
    page = new_page(java_script_enabled=False, viewport=PHONE)
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}
    page.context.add_cookies([cookie])
    page.goto(live_server.url + closed.batch.get_absolute_url())
    open_menu(page)
    page.get_by_role("button", name="Archive").click()
    expect(page.get_by_text("everything in it can be read")).to_be_visible()
    page.goto(live_server.url + "/batches/")
    expect(page.get_by_role("link", name="Pilot")).to_have_count(0)
    page.get_by_label("Archived", exact=True).select_option("Shown too")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_role("link", name="Pilot")).to_be_visible()
