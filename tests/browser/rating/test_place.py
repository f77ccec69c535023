"""Where a rater is on the page stays where it was."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PHONE
from tests.browser.rating.steps import choose, progress, saved
from tests.factories.batches import make_batch
from tests.factories.corpus import make_corpus


@pytest.mark.parametrize("size", [PHONE, {"width": 1280, "height": 800}])
def test_another_language_shows_the_same_pair_at_the_same_height(page, open_survey, size):
    batch = make_batch(corpus=make_corpus(documents=1, systems=9), systems_per_questionnaire=9)
    type(batch).objects.update(languages=["en", "ar"])
    page.set_viewport_size(size)
    open_survey(page, batch)
    page.locator(".start-bar .button--primary").click()
    expect(progress(page)).to_have_text("0 of 10 rated")
    choose(page, 6, 5)
    saved(page)
    pair = page.locator("#pair-6")
    pair.evaluate("one => scrollBy({ top: one.getBoundingClientRect().top + 40, behavior: 'instant' })")
    before = pair.bounding_box()["y"]
    # Pressed without a mouse, which would first scroll to the end of the page.
    page.get_by_role("button", name="العربيّة").evaluate("one => one.click()")
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    expect(progress(page)).to_be_visible()
    page.wait_for_function("() => scrollY > 100")
    assert abs(pair.bounding_box()["y"] - before) <= 1
    # Only once: who loads the page anew is where the browser puts them.
    assert page.evaluate("Object.keys(sessionStorage).filter((key) => key.startsWith('place/'))") == []
