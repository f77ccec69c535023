"""What the browser prints: paper has what can be read, and nothing that only a screen can do."""

import pytest

from survey_site.survey.simulation import simulate_raters
from tests.factories.batches import NOW, make_batch
from tests.factories.reports import make_report
from tests.meta_eval.publish.tagged import text_of

A4 = {"width": 703, "height": 1017}
"""What the margins leave of a page, in pixels."""
SHOWN = """selector => [...document.querySelectorAll(selector)].filter(one => one.checkVisibility()).length"""
TOO_WIDE = """() => [...document.querySelectorAll("main table, main svg, main p")]
  .filter(one => one.checkVisibility() && one.getBoundingClientRect().right > innerWidth + 1)
  .map(one => one.outerHTML.slice(0, 80))"""
CUT = """() => [...document.querySelectorAll("main :has(> table)")]
  .filter(one => getComputedStyle(one).overflowX !== "visible" && one.scrollWidth > one.clientWidth + 1)
  .length"""

FOLDED = """() => [...document.querySelectorAll(".disclosure__body")]
  .filter(one => !one.checkVisibility()).length"""


@pytest.fixture
def printed(new_page, login, admin_user, live_server):
    """A page as it is printed by somebody whose screen is dark."""
    page = new_page(color_scheme="dark")
    login(page, admin_user)

    def visit(path):
        page.set_viewport_size(A4)
        page.emulate_media(media="print")
        page.goto(live_server.url + path)
        return page

    return visit


def assert_fits_paper(page):
    assert page.evaluate(SHOWN, "nav, button, .button, form, .no-print, .skip-link, .site-header") == 0
    assert page.evaluate(TOO_WIDE) == []
    assert page.evaluate(CUT) == 0
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert colour in {"rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"}


def test_a_report_is_printed_whole_without_what_only_a_screen_can_do(printed):
    report = make_report(families=["plain = Copy, Same"])
    page = printed(report.get_absolute_url())
    assert_fits_paper(page)
    assert page.evaluate(FOLDED) == 0
    text = text_of(page.pdf(format="A4"))
    screen = ("Download PDF", "Choose a number", "Choose a column", "Downloads", "Skip to", "http://")
    assert [words for words in screen if words in text] == []
    page.emulate_media(media="screen")
    assert page.evaluate(FOLDED) > 5


def test_the_pages_of_a_batch_are_printed_without_what_only_a_screen_can_do(printed):
    batch = make_batch()
    simulate_raters(batch=batch, raters=2, completion=1.0, seed=1, now=NOW)
    for path in (f"/batches/{batch.pk}/", f"/batches/{batch.pk}/quality/"):
        assert_fits_paper(printed(path))


def test_lists_help_and_precision_are_printed_without_what_only_a_screen_can_do(printed):
    named = make_batch(name="Pilot_of_the_autumn_with_headlines_that_systems_wrote_for_one_reader_each")
    simulate_raters(batch=named, raters=2, completion=0.5, seed=1, now=NOW)
    draft = make_batch(launched=False)
    for path in ("/", "/batches/", "/help/glossary/", f"/batches/{draft.pk}/precision/"):
        assert_fits_paper(printed(path))
