"""The quality page in a real browser."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from survey_site.quality import kept
from survey_site.quality.kept import compute_kept
from survey_site.quality.models import KeptFindings
from survey_site.survey.simulation import simulate_raters
from tests.browser.conftest import PHONE, open_menu, scrolls_sideways, wait_until_loaded
from tests.factories.accounts import make_user
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus


@pytest.fixture
def staff(page, login, live_server):
    """A page with an admin logged in; `staff.visit` takes paths."""
    login(page, make_user(role="admin"))
    page.visit = lambda path: page.goto(live_server.url + path)
    return page


@pytest.fixture
def rated():
    """A batch that simulated raters have completed."""
    batch = make_batch(corpus=make_corpus(documents=12, systems=4), systems_per_questionnaire=4)
    simulate_raters(batch=batch, raters=6, completion=1.0, seed=1, now=NOW)
    return batch


def test_quality_page_is_accessible_and_fits_a_phone(staff, rated, violations, problems):
    staff.set_viewport_size(PHONE)
    staff.visit(f"/batches/{rated.pk}/quality/")
    assert not scrolls_sideways(staff)
    assert problems == []
    assert violations(staff) == []


def test_what_a_worker_found_shows_itself(staff, rated, monkeypatch, violations, problems):
    monkeypatch.setattr(kept, "FEW_PAGES", 0)
    staff.set_viewport_size(PHONE)
    staff.clock.install()
    staff.visit(f"/batches/{rated.pk}/quality/")
    expect(staff.get_by_text("A worker reads the ratings")).to_be_visible()
    assert not scrolls_sideways(staff)
    compute_kept(KeptFindings.objects.get(), clock=timezone.now)
    staff.clock.fast_forward(5000)
    expect(staff.get_by_text("As of")).to_be_visible()
    expect(staff.locator("section#raters tbody tr")).to_have_count(6)
    expect(staff.get_by_text("A worker reads the ratings")).to_have_count(0)
    assert not scrolls_sideways(staff)
    assert problems == []
    assert violations(staff) == []


def test_audit_log_is_accessible_and_fits_a_phone(staff, rated, violations):
    staff.set_viewport_size(PHONE)
    staff.visit("/accounts/audit/")
    assert not scrolls_sideways(staff)
    assert violations(staff) == []
    staff.get_by_label("What").select_option("batch launched")
    staff.get_by_role("button", name="Show").click()
    expect(staff.get_by_role("link", name="Show all")).to_be_visible()
    expect(staff.locator("tbody tr")).to_have_count(1)


def test_an_admin_excludes_a_rater_and_undoes_it(staff, rated, violations):
    staff.set_viewport_size(PHONE)
    staff.visit(f"/batches/{rated.pk}/quality/")
    staff.locator("section#raters tbody a").first.click()
    expect(staff.get_by_label("Reason")).to_be_visible()
    assert not scrolls_sideways(staff)
    assert violations(staff) == []
    staff.get_by_label("Reason").fill("answers at random")
    staff.get_by_role("button", name="Exclude").click()
    expect(staff.get_by_text("Nothing of this rater counts")).to_be_visible()
    staff.get_by_role("button", name="Undo the exclusion").click()
    expect(staff.get_by_text("the ratings count again")).to_be_visible()
    expect(staff.get_by_label("Reason")).to_be_visible()
    assert violations(staff) == []


@pytest.mark.parametrize("list_of", ["", "quality/"])
def test_an_admin_finds_excludes_and_counts_a_rater_again_in_the_list(staff, rated, list_of, problems):
    staff.set_viewport_size(PHONE)
    staff.visit(f"{rated.get_absolute_url()}{list_of}")
    raters = staff.locator("section#raters")
    rows = raters.locator("table").first.locator("tbody tr")
    expect(rows).to_have_count(6)
    code = rows.last.locator("th a").inner_text()
    raters.get_by_label("Find a rater").fill(code[4:])
    raters.get_by_role("button", name="Show").click()
    expect(rows).to_have_count(1)
    rows.locator("summary").click()
    rows.get_by_label("Reason").fill("answers at random")
    assert not scrolls_sideways(staff)
    rows.get_by_role("button", name="Exclude everything").click()
    expect(staff.get_by_text("Excluded. The ratings are kept")).to_be_visible()
    assert staff.url.endswith(f"/{rated.pk}/{list_of}#raters")
    raters.get_by_role("button", name=f"the exclusion of {code} in this list").click()
    expect(staff.get_by_text("the ratings count again")).to_be_visible()
    assert staff.url.endswith(f"/{rated.pk}/{list_of}#raters")
    assert problems == []


def test_the_monitor_leaves_a_form_that_is_opened_while_it_fetches(staff, rated, problems):
    held = {}
    staff.route("**/progress/**", lambda route: held.update(answer=route))
    with staff.expect_request("**/progress/**"):
        staff.visit(rated.get_absolute_url())
    row = staff.locator("section#raters tbody tr").first
    row.locator("summary").click()
    row.get_by_label("Reason").fill("answers at random")
    row.get_by_label("Reason").blur()
    held["answer"].continue_()
    wait_until_loaded(staff)
    expect(row.get_by_label("Reason")).to_have_value("answers at random")
    expect(row.get_by_role("button", name="Exclude everything")).to_be_visible()
    assert problems == []


@pytest.mark.parametrize("list_of", ["", "quality/"])
def test_on_a_phone_each_rater_is_a_block_that_nothing_scrolls(staff, rated, list_of):
    staff.set_viewport_size(PHONE)
    staff.visit(f"{rated.get_absolute_url()}{list_of}")
    expect(staff.locator("section#raters tbody tr").first).to_be_visible()
    wide = ".table-scroll:visible:not(:has(> .table--stack, > .heat-table))"
    expect(staff.locator(wide)).to_have_count(0)
    for box in staff.locator(".table-scroll:has(> .table--stack)").all():
        assert box.evaluate("box => box.scrollWidth <= box.clientWidth")
    completed = staff.locator("section#raters td[data-head=Completed]").first
    assert "Completed" in completed.evaluate("cell => getComputedStyle(cell, '::before').content")


def test_a_batch_is_paused_and_extended_on_a_phone(staff, violations):
    batch = make_batch()
    staff.set_viewport_size(PHONE)
    staff.visit(batch.get_absolute_url())
    assert not scrolls_sideways(staff)
    open_menu(staff)
    staff.get_by_role("button", name="Pause").click()
    expect(staff.get_by_role("heading", level=1)).to_have_text("Pilot Live Paused")
    assert violations(staff) == []
    open_menu(staff)
    staff.get_by_role("link", name="Extend …").click()
    expect(staff.get_by_role("heading", level=1)).to_have_text("Extend “Pilot”")
    assert violations(staff) == []
    staff.get_by_label("More raters for every questionnaire").fill("2")
    staff.get_by_role("button", name="Add the raters").click()
    expect(staff.get_by_text("Every questionnaire now has 4 places.")).to_be_visible()
    staff.get_by_role("button", name="Resume").click()
    expect(staff.get_by_role("heading", level=1)).to_have_text("Pilot Live")


def test_precision_page_is_accessible_and_fits_a_phone(staff, violations):
    batch = make_batch(corpus=make_corpus(documents=4, systems=5), launched=False)
    staff.set_viewport_size(PHONE)
    staff.visit(batch.get_absolute_url())
    staff.get_by_role("link", name="Precision").click()
    expect(staff.get_by_role("heading", level=1)).to_have_text("How precise the results will be")
    assert not scrolls_sideways(staff)
    assert violations(staff) == []
    staff.get_by_label("Price of an hour").fill("12")
    staff.get_by_role("button", name="Simulate").click()
    expect(staff.locator("td[data-head=Cost]").first).to_be_visible()
