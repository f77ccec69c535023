"""Contrast themes of the system: what is chosen, current, reached or coloured can still be seen."""

import io

import pytest
from django.urls import reverse
from PIL import Image
from playwright.sync_api import expect

from survey_site.batches.services import close_batch
from tests.browser.conftest import wait_until_loaded
from tests.browser.rating.steps import choose, progress
from tests.factories.batches import NOW, make_batch
from tests.factories.reports import make_report
from tests.factories.survey import make_assignment, submit_all

LOOK = """one => {
  const style = getComputedStyle(one);
  return [style.backgroundColor, style.color, style.borderTopColor, style.borderBottomColor];
}"""


@pytest.fixture(params=["light", "dark"])
def page(new_page, request):
    page = new_page(forced_colors="active", color_scheme=request.param)
    # What the tests below read is what such a theme does, not what the page does by itself.
    assert page.evaluate("matchMedia('(forced-colors: active)').matches")
    return page


@pytest.fixture
def reading(page, login, researcher):
    login(page, researcher)
    return page


def look(locator):
    return locator.evaluate(LOOK)


def colour(locator, *, across):
    """The colour that is drawn at this share of an element's width, half way down."""
    wait_until_loaded(locator.page)
    picture = Image.open(io.BytesIO(locator.screenshot())).convert("RGB")
    return picture.getpixel((round(picture.width * across), picture.height // 2))


def test_the_chosen_rating_looks_unlike_the_others(page, open_survey, violations):
    open_survey(page, make_batch())
    page.get_by_role("button", name="Start").click()
    expect(progress(page)).to_have_text("0 of 3 rated")
    options = page.locator("#pair-1 .scale__option > span")
    before = look(options.nth(3))
    choose(page, 1, 4)
    expect(progress(page)).to_have_text("1 of 3 rated")
    page.mouse.move(0, 0)
    assert look(options.nth(2)) == look(options.nth(4)) == before
    chosen = look(options.nth(3))
    assert (chosen[0] != before[0], chosen[1] != before[1]) == (True, True)
    assert colour(options.nth(3), across=0.15) != colour(options.nth(2), across=0.15)
    assert violations(page) == []


def test_a_pair_that_is_missing_is_drawn_otherwise(page, open_survey):
    open_survey(page, make_batch())
    page.get_by_role("button", name="Start").click()
    expect(progress(page)).to_have_text("0 of 3 rated")
    choose(page, 1, 4)
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("alert")).to_have_text("Please rate pairs 2 and 3 too.")
    lines = [page.locator(f"#pair-{n}").evaluate("one => getComputedStyle(one).borderStyle") for n in (1, 2)]
    assert lines == ["solid", "dashed"]


def test_the_navigation_marks_where_one_is_alone(reading, live_server, violations):
    reading.goto(live_server.url + reverse("batches:list"))
    links = reading.locator(".site-nav__link")
    lines = {link.inner_text(): look(link)[3] for link in links.all()}
    ground = look(reading.locator("body"))[0]
    assert lines.pop("Batches") != ground
    assert lines == dict.fromkeys(("Corpora", "Reports", "Help"), ground)
    assert violations(reading) == []


def test_a_progress_bar_shows_how_far_it_is(reading, live_server):
    submit_all(make_assignment(make_batch()))
    reading.goto(f"{live_server.url}/batches/")
    bar = reading.locator("progress").first
    expect(bar).to_have_js_property("position", 0.25)
    assert colour(bar, across=0.1) != colour(bar, across=0.6)


def test_the_monitor_shows_what_is_covered_and_where_one_is(reading, live_server, violations):
    batch = make_batch()
    submit_all(make_assignment(batch))
    close_batch(batch=batch, now=NOW)  # so that the page, once it is whole, stays as it is
    reading.goto(live_server.url + batch.get_absolute_url())
    expect(reading.locator("[data-refreshed]")).to_have_count(2)
    bar = reading.locator(".coverage")
    assert colour(bar, across=0.25) != colour(bar, across=0.75)
    here, other = reading.locator(".subnav [aria-current]"), reading.locator(".subnav a", has_text="Quality")
    assert look(here)[3] != look(other)[3]
    assert violations(reading) == []


def test_a_report_marks_its_score_and_keeps_the_colours_of_its_heat_maps(reading, live_server, violations):
    report = make_report()
    reading.goto(live_server.url + report.get_absolute_url())
    tabs = reading.locator(".tabs__tab")
    current, other = (
        reading.locator(".tabs__tab[aria-current]"),
        reading.locator(".tabs__tab:not([aria-current])"),
    )
    assert tabs.count() == 1 + other.count()
    assert look(current)[:2] != look(other.first)[:2]
    steps = reading.locator(".heat-legend__swatch")
    drawn = {colour(step, across=0.5) for step in steps.all()}
    assert len(drawn) == steps.count() == 11
    cell = reading.locator("td.heat:not(.heat--missing)").first
    name = next(one for one in cell.get_attribute("class").split() if one.startswith("heat--"))
    assert look(cell)[0] == look(reading.locator(f".heat-legend .{name}"))[0]
    assert violations(reading) == []
