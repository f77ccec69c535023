"""An admin in a real browser: plan, see the effort, preview, launch, watch, close."""

from datetime import timedelta

import pytest
from playwright.sync_api import expect

from survey_site.batches.models import Batch, Questionnaire
from tests.browser.conftest import PHONE, open_menu, scrolls_sideways
from tests.factories.accounts import make_user
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_assignment, submit_all


@pytest.fixture
def staff(page, login, live_server):
    """A page with an admin logged in; `staff.goto` takes paths."""
    login(page, make_user(role="admin"))
    page.visit = lambda path: page.goto(live_server.url + path)
    return page


def test_from_plan_to_closed_batch(staff, problems):
    corpus = make_corpus(documents=3, systems=4)
    staff.visit(f"/batches/new/?corpus={corpus.pk}")
    staff.get_by_label("Name").fill("Pilot")
    staff.get_by_label("How many documents").fill("2")
    staff.get_by_label("Systems per questionnaire").fill("2")
    effort = staff.locator("[data-effort]")
    expect(effort).to_contain_text("Ratings24", use_inner_text=False)
    staff.get_by_role("button", name="Save the draft").click()
    expect(staff.get_by_role("heading", level=1)).to_have_text("Pilot Draft")

    staff.get_by_role("link", name="Preview").click()
    expect(staff.get_by_text("Preview for you")).to_be_visible()
    expect(staff.get_by_role("button", name="Submit")).to_be_disabled()
    staff.get_by_role("link", name="Next").click()
    expect(staff.get_by_text("Questionnaire 2 of 4 of “Pilot”")).to_be_visible()
    assert Questionnaire.objects.count() == 0

    staff.get_by_role("link", name="Back to the batch").click()
    staff.get_by_role("link", name="Launch …").click()
    expect(staff.get_by_text("You have seen a preview of the plan as it is now.")).to_be_visible()
    staff.get_by_label("warnings and launch all the same").check()
    staff.get_by_role("button", name="Launch").click()
    expect(staff.get_by_text("The batch is live")).to_be_visible()
    assert Questionnaire.objects.count() == 4

    open_menu(staff)
    staff.get_by_role("link", name="Close …").click()
    staff.get_by_role("button", name="Close the batch").click()
    expect(staff.get_by_role("heading", level=1)).to_have_text("Pilot Closed")
    assert problems == []


def test_effort_and_price_stay_in_view_and_follow_what_is_picked(staff, violations, problems):
    corpus = make_corpus(documents=30)
    staff.set_viewport_size(PHONE)
    staff.visit(f"/batches/new/?corpus={corpus.pk}")
    line = staff.locator(".plan__bar [data-part=line]")
    expect(line).to_contain_text("60 completed questionnaires")
    staff.get_by_label("Raters per questionnaire").fill("3")
    expect(line).to_contain_text("90 completed questionnaires")
    staff.get_by_label("Price of an hour of a rater's time").fill("1000")
    expect(line).to_contain_text("price about")
    staff.get_by_text("Pick the documents from a list").click()
    staff.get_by_label("Find documents").press_sequentially("title 17")
    expect(staff.get_by_text("1 found among the 30")).to_be_visible()
    staff.get_by_role("checkbox", name="doc17").check()
    expect(line).to_contain_text("3 completed questionnaires")
    expect(staff.get_by_role("checkbox", name="doc17")).to_be_focused()
    expect(line).to_be_in_viewport()
    assert problems == []  # before axe, which loads more than the content policy lets it
    assert (violations(staff), scrolls_sideways(staff)) == ([], False)
    staff.get_by_label("Find documents").press("Enter")
    staff.get_by_label("Name").fill("Pilot")
    staff.get_by_role("button", name="Save the draft").click()
    expect(staff.get_by_role("heading", level=1)).to_have_text("Pilot Draft")
    assert Batch.objects.get().document_keys == ["doc17"]


def test_a_draft_is_deleted_after_a_question(staff, problems):
    draft = make_batch(launched=False)
    staff.visit(draft.get_absolute_url())
    open_menu(staff)
    staff.get_by_role("link", name="Delete …").click()
    expect(staff.get_by_role("heading", level=1)).to_have_text("Delete the draft “Pilot”?")
    staff.get_by_role("link", name="Keep it").click()
    open_menu(staff)
    staff.get_by_role("link", name="Delete …").click()
    staff.get_by_role("button", name="Delete the draft").click()
    expect(staff.get_by_text("The draft “Pilot” is deleted.")).to_be_visible()
    assert Batch.objects.count() == 0
    assert problems == []


def test_the_link_can_be_copied(staff):
    staff.context.grant_permissions(["clipboard-read", "clipboard-write"])
    batch = make_batch()
    staff.clock.install(time=NOW)
    staff.clock.pause_at(
        NOW + timedelta(minutes=1)
    )  # nothing is asked anew, and "Copied" stays until it is seen
    staff.visit(batch.get_absolute_url())
    staff.get_by_role("button", name="Copy").click()
    expect(staff.get_by_role("button", name="Copied")).to_be_visible()
    copied = staff.evaluate("navigator.clipboard.readText()")
    assert copied.endswith(f"/s/{batch.token}/")
    staff.clock.run_for(2_000)
    expect(staff.get_by_role("button", name="Copy", exact=True)).to_be_visible()


def test_an_answer_that_comes_late_replaces_nothing_that_somebody_has_begun_to_use(staff):
    batch, held = make_batch(), []

    def hold(route):
        held.append(route)

    staff.route("**/progress/**", hold)
    with staff.expect_request("**/progress/**"):  # what the page asks for at once
        staff.visit(batch.get_absolute_url())
    staff.get_by_role("button", name="Copy").click()
    field = staff.get_by_role("textbox", name="Link for raters")
    expect(field).to_be_focused()
    field.evaluate("field => { field.dataset.mine = 'yes'; }")
    with staff.expect_response("**/progress/**") as answered:
        held.pop().continue_()
    answered.value.finished()
    staff.evaluate("() => new Promise((done) => setTimeout(done, 100))")
    assert field.get_attribute("data-mine") == "yes"


def test_the_monitor_keeps_itself_up_to_date(staff):
    batch = make_batch()
    staff.clock.install()
    staff.visit(batch.get_absolute_url())
    expect(staff.get_by_text("0 of 4 completed")).to_be_visible()
    submit_all(make_assignment(batch))
    staff.clock.run_for(6_000)
    expect(staff.get_by_text("1 of 4 completed")).to_be_visible()


def test_without_scripts_a_batch_can_be_planned_and_launched(new_page, login, live_server):
    page = new_page(java_script_enabled=False)
    login(page, make_user(role="admin"))
    corpus = make_corpus(documents=3, systems=3)
    page.goto(f"{live_server.url}/batches/new/?corpus={corpus.pk}")
    page.get_by_label("Name").fill("Pilot")
    page.get_by_label("Raters per questionnaire").fill("4")
    page.get_by_text("Pick the documents from a list").click()
    page.get_by_label("Find documents").fill("doc2")
    page.get_by_role("button", name="Find", exact=True).click()
    page.get_by_role("checkbox", name="doc2 Title 2").check()
    page.get_by_role("button", name="Show effort").click()
    expect(page.locator("[data-effort]")).to_contain_text("At least 4 different people")
    expect(page.get_by_text("4 completed questionnaires · about")).to_be_visible()
    page.get_by_role("button", name="Save the draft").click()
    page.get_by_role("link", name="Launch …").click()
    page.get_by_label("warnings and launch all the same").check()
    page.get_by_role("button", name="Launch").click()
    expect(page.get_by_text("The batch is live")).to_be_visible()
    batch = Batch.objects.get()
    assert (batch.status, batch.document_keys) == ("live", ["doc2"])


def test_no_accessibility_violations_and_no_sideways_scrolling(staff, violations):
    live = make_batch()
    submit_all(make_assignment(live))
    draft = make_batch(corpus=live.corpus, launched=False)
    paths = [
        "/batches/",
        "/batches/new/",
        f"/batches/new/?corpus={live.corpus_id}",
        f"/batches/new/?corpus={live.corpus_id}&preset=thesis",
        f"/batches/{draft.pk}/",
        f"/batches/{draft.pk}/edit/",
        f"/batches/{draft.pk}/preview/",
        f"/batches/{draft.pk}/launch/",
        f"/batches/{draft.pk}/delete/",
        f"/batches/{live.pk}/",
        f"/batches/{live.pk}/extend/",
        f"/batches/{live.pk}/close/",
    ]
    staff.set_viewport_size(PHONE)
    found = {}
    for path in paths:
        staff.visit(path)
        found[path] = (violations(staff), scrolls_sideways(staff))
    assert found == dict.fromkeys(paths, ([], False))
