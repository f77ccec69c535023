"""Control pairs on the pages of staff and of raters, in a real browser."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from survey_site.survey.simulation import simulate_raters
from tests.browser.conftest import PHONE, scrolls_sideways
from tests.factories.accounts import make_user
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus

DESK = {"width": 1280, "height": 900}


@pytest.fixture
def staff(page, login, live_server):
    """A page with an admin logged in; `staff.visit` takes a view and the batch."""
    login(page, make_user(role="admin"))
    page.visit = lambda view, batch: page.goto(live_server.url + reverse(view, args=[batch.pk]))
    return page


@pytest.fixture
def batch():
    """A live batch with both controls that careful and careless simulated raters have completed."""
    batch = make_batch(
        corpus=make_corpus(documents=4, systems=3), identical_share=100, unrelated_share=100, raters=2
    )
    simulate_raters(
        batch=batch, raters=3, careless=1, completion=1, seed=1, now=NOW, judge=lambda a, b: float(a == b)
    )
    return batch


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_pages_with_controls_fit_and_are_accessible(staff, batch, violations, size):
    staff.set_viewport_size(size)
    for view in ("batches:preview", "batches:monitor", "quality:detail"):
        staff.visit(view, batch)
        if view == "batches:preview":
            staff.get_by_text("What each pair is").click()
            expect(staff.get_by_text("Control, identical: one text twice")).to_be_visible()
        assert not scrolls_sideways(staff)
        assert violations(staff) == []
    staff.get_by_role("row").filter(has_text="identical pairs rated").get_by_role("link").first.click()
    # On a phone each page is a block, whose cells say what they are.
    heading = ("cell", re.compile("^Controls: identical")) if size == PHONE else ("columnheader", "Controls")
    expect(staff.get_by_role(heading[0], name=heading[1]).first).to_be_visible()
    assert not scrolls_sideways(staff)
    assert violations(staff) == []


def test_the_plan_asks_for_controls_and_shows_their_cost_at_once(staff, violations, problems):
    batch = make_batch(corpus=make_corpus(documents=4), launched=False)
    staff.set_viewport_size(PHONE)
    staff.visit("batches:edit", batch)
    effort = staff.get_by_role("complementary")
    expect(effort.get_by_text("of them controls")).to_have_count(0)
    staff.get_by_text("Control pairs", exact=True).click()
    staff.get_by_label("Questionnaires with an identical pair, in per cent").fill("50")
    expect(effort.get_by_text("of them controls")).to_be_visible()
    assert not scrolls_sideways(staff)
    assert problems == []  # before axe, which loads more than the content policy lets it
    assert violations(staff) == []
