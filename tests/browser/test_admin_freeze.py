"""What admins do while a batch runs and after it, in a real browser: watch, add, freeze."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone
from playwright.sync_api import expect

from survey_site.batches.services import close_batch
from survey_site.survey.simulation import simulate_raters
from tests.browser.conftest import PHONE, open_menu, scrolls_sideways
from tests.factories.accounts import make_user
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_assignment

DESK = {"width": 1280, "height": 900}


@pytest.fixture
def staff(page, login, live_server):
    """A page with an admin logged in; `staff.visit` takes paths."""
    login(page, make_user(role="admin"))
    page.visit = lambda path: page.goto(live_server.url + path)
    return page


@pytest.fixture
def rated():
    """A live batch that simulated raters have completed but for one stale claim."""
    cache.clear()
    batch = make_batch(
        corpus=make_corpus(documents=14, systems=4), documents=12, raters=3, systems_per_questionnaire=4
    )
    simulate_raters(batch=batch, raters=6, completion=0.7, seed=1, now=NOW)
    make_assignment(batch)
    return batch


def expect_sound(page, violations):
    """Fits the phone and the desk, and axe finds nothing."""
    for size in (PHONE, DESK):
        page.set_viewport_size(size)
        assert not scrolls_sideways(page)
        assert violations(page) == []


def test_the_monitor_fetches_agreement_and_reopens_claims(staff, rated, violations, problems):
    staff.visit(rated.get_absolute_url())
    so_far = staff.locator("section", has=staff.locator("#so-far-title"))
    expect(so_far.get_by_text("Krippendorff's alpha, ordinal")).to_be_visible()
    expect(so_far.get_by_text("raters flagged, of 6")).to_be_visible()
    assert problems == []
    expect_sound(staff, violations)
    staff.get_by_role("button", name="Give their places back").click()
    expect(staff.get_by_text("1 place given back. Answers that were given are kept.")).to_be_visible()


def test_documents_are_added_on_a_phone(staff, rated, violations):
    staff.set_viewport_size(PHONE)
    staff.visit(rated.get_absolute_url())
    open_menu(staff)
    staff.get_by_role("link", name="Add documents …").click()
    expect(staff.get_by_role("heading", level=1)).to_have_text("Add documents to “Pilot”")
    staff.get_by_label("How many documents more").fill("2")
    staff.get_by_role("button", name="Show what it asks of raters").click()
    expect(staff.get_by_role("heading", name="2 documents more")).to_be_visible()
    expect_sound(staff, violations)
    staff.get_by_role("button", name="Add 2 questionnaires").click()
    expect(staff.get_by_text("2 questionnaires are added and handed out from now on.")).to_be_visible()


def test_the_end_of_the_window_is_moved(staff, rated, violations):
    staff.visit(f"/batches/{rated.pk}/extend/")
    expect_sound(staff, violations)
    end = timezone.localtime() + timedelta(days=30)
    staff.get_by_label("End of the time window").fill(end.strftime("%Y-%m-%dT%H:%M"))
    staff.get_by_role("button", name="Move the end").click()
    expect(staff.get_by_text("The end of the time window is")).to_be_visible()


def test_a_batch_is_closed_frozen_and_recommended_for_a_report(staff, rated, violations):
    staff.visit(f"/reports/new/?batch={rated.pk}")
    expect(staff.get_by_text("Recommended: freeze the batch first")).to_be_visible()
    expect_sound(staff, violations)
    close_batch(batch=rated, now=timezone.now())
    staff.visit(rated.get_absolute_url())
    staff.get_by_role("link", name="Freeze …").click()
    expect(staff.get_by_role("heading", level=1)).to_have_text("Freeze “Pilot”?")
    expect_sound(staff, violations)
    staff.get_by_role("button", name="Freeze the batch").click()
    expect(staff.get_by_role("heading", level=1)).to_have_text("“Pilot” is frozen")
    expect(staff.get_by_text("still has the hash above")).to_be_visible()
    expect_sound(staff, violations)
    with staff.expect_download() as download:
        staff.get_by_role("link", name="Snapshot JSON").click()
    assert download.value.suggested_filename.startswith(f"snapshot-batch-{rated.pk}-")
    staff.visit(rated.get_absolute_url())
    expect(staff.get_by_role("heading", name="Snapshot")).to_be_visible()
    expect_sound(staff, violations)


def test_the_plan_with_a_time_window_fits_and_is_accessible(staff, violations):
    batch = make_batch(launched=False)
    staff.visit(f"/batches/{batch.pk}/edit/")
    staff.get_by_text("Time window", exact=True).click()
    expect(staff.get_by_label("Opens")).to_be_visible()
    expect_sound(staff, violations)
