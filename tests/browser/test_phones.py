"""Lists and plain tables of staff's pages on a phone: a row becomes a block, and nothing lies outside."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from survey_site.batches.services import close_batch
from tests.browser.conftest import PHONE, resize, scrolls_sideways, wait_until_loaded
from tests.factories.accounts import make_user
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch
from tests.factories.studies import make_study

HIDDEN = """() => [...document.querySelectorAll("main .table-scroll")]
  .filter(one => one.checkVisibility() && one.scrollWidth > one.clientWidth).map(one => one.innerText)"""
# Read at one moment, since a live monitor replaces its lists every few seconds.
BOXES = """() => {
  const row = (title) => [...document.querySelectorAll(`[aria-labelledby=${title}] tbody tr`)].at(-1);
  const system = row("systems-title"), rater = row("raters-title");
  const parts = { row: system, system: system.querySelector("th"), bar: system.querySelector(".table__bar"),
                  rater: rater.querySelector("th"), exclude: rater.querySelector("details.exclude") };
  const places = Object.entries(parts).map(([name, one]) => [name, one.getBoundingClientRect().toJSON()]);
  return Object.fromEntries(places);
}"""
NAME = "A second survey of the headlines of one week, with four raters"


@pytest.fixture
def phone(page, login, live_server):
    page.set_viewport_size(PHONE)
    login(page, make_user(role="admin"))

    def go(name, *of):
        page.goto(live_server.url + reverse(name, args=of))
        return page

    return go


def test_lists_show_whole_rows_and_names_over_the_whole_width(phone, violations):
    rated = make_rated_batch()
    rated.name = NAME
    rated.save()
    make_report(batch=rated)
    make_study(NAME)
    for name in ("home", "batches:list", "reports:list", "corpus:list", "studies:list"):
        page = phone(name)
        rows = page.locator("main .table tbody th[scope=row]")
        widths = [row.bounding_box()["width"] for row in rows.all()]
        assert (name, page.evaluate(HIDDEN), scrolls_sideways(page)) == (name, [], False)
        assert min(widths) > 300
        assert page.locator(".table__aside:visible").count() == 0
        assert violations(page) == []


IN_SIGHT = """count => {
  const current = [...document.querySelectorAll(":is(.site-nav, .subnav) [aria-current]")];
  return current.length === count && current.every(one => {
    const [link, row] = [one, one.closest("nav")].map(here => here.getBoundingClientRect());
    return link.left >= row.left - 1 && link.right <= row.right + 1;
  });
}"""


def test_the_page_that_one_is_on_is_in_sight_in_every_row_of_pages(phone):
    batch = make_rated_batch()
    for name, of in (("accounts:audit", ()), ("batches:participation", (batch.pk,)), ("batches:list", ())):
        # The browser scrolls there when it first draws the page.
        phone(name, *of).wait_for_function(IN_SIGHT, arg=2 if of else 1)


def test_a_long_name_of_an_account_is_cut_with_an_ellipsis(phone, page, login):
    login(page, make_user(username="a-researcher-with-a-very-long-name", role="admin"))
    name = phone("home").locator("a.user-menu__name")
    assert name.evaluate("one => one.scrollWidth > one.clientWidth")
    expect(name).to_have_css("display", "block")  # within a flex box there is no ellipsis
    expect(name).to_have_css("text-overflow", "ellipsis")
    assert not scrolls_sideways(page)


def test_the_help_stands_beside_the_last_word_of_a_long_title(phone):
    page = phone("studies:list")
    gap = """() => {
      const title = document.querySelector("h1"), words = document.createRange();
      words.selectNodeContents(title);
      const ends = [...words.getClientRects()].map(one => one.right);
      return document.querySelector(".help-link").getBoundingClientRect().left - Math.max(...ends);
    }"""
    assert page.evaluate(gap) < 60


def test_a_corpus_with_one_long_word_for_a_name_breaks_no_form(phone):
    corpus = make_corpus(documents=4, systems=4)
    corpus.name = "_".join(["Parliamentary-debates"] * 4)
    corpus.save()
    page = phone("batches:new")
    for address in (page.url, f"{page.url}?corpus={corpus.pk}"):
        page.goto(address)
        assert not scrolls_sideways(page)
    assert page.locator("h1").bounding_box()["height"] < 60


def test_what_is_folded_on_the_upload_pages_opens_within_the_card(phone):
    corpus = make_corpus()
    for name, *of in (("uploads:new",), ("given:upload", corpus.pk)):
        page = phone(name, *of)
        for folded in page.locator("main details > summary").all():
            folded.click()
        assert not scrolls_sideways(page)


def test_a_name_of_one_long_word_widens_no_page(phone, violations):
    rated = close_batch(batch=make_rated_batch(), now=NOW)
    rated.name = "_".join(["headlines"] * 9)
    rated.save()
    pages = (("batches:monitor", rated.pk), ("quality:freeze", rated.pk), ("quality:detail", rated.pk))
    for name, *of in (*pages, ("batches:list",), ("home",)):
        assert (name, scrolls_sideways(phone(name, *of))) == (name, False)
    page = phone("batches:list")
    resize(page, {"width": 1280, "height": 800})
    assert page.evaluate(HIDDEN) == []  # its last columns are in view
    assert violations(page) == []


def test_the_lists_of_the_monitor_take_few_lines(phone, page, login):
    login(page, make_user(role="admin"))
    wait_until_loaded(phone("batches:monitor", make_rated_batch().pk))
    found = page.evaluate(BOXES)
    name, bar = found["system"], found["bar"]
    assert bar["left"] >= name["right"] - 1
    assert name["top"] <= (bar["top"] + bar["bottom"]) / 2 <= name["bottom"]
    line = name["height"]
    assert found["row"]["height"] < 3 * line
    assert found["exclude"]["top"] < found["rater"]["top"] + line
    rater = page.locator("[aria-labelledby=raters-title] tbody tr").last
    exclude = rater.locator("details.exclude")
    exclude.locator("summary").click()
    expect(rater.get_by_label("Reason")).to_be_visible()
    assert not scrolls_sideways(page)


def test_figures_and_agreement_of_a_report_are_seen_whole(phone):
    page = phone("reports:detail", make_report().pk)
    wide = page.locator(".chart__scroll:visible, [aria-labelledby=agreement] .table-scroll:visible")
    found = wide.evaluate_all("all => all.map(one => one.scrollWidth > one.clientWidth)")
    assert found == [False] * len(found)
    assert len(found) >= 4  # forest and scatter plot, coefficients and pairs of ratings


def test_every_column_of_precision_is_read_without_scrolling_sideways(phone, violations):
    batch = make_batch(corpus=make_corpus(documents=4, systems=4))
    page = phone("quality:precision", batch.pk)
    for folded in page.locator("main details > summary").all():
        folded.click()
    assert (page.evaluate(HIDDEN), scrolls_sideways(page)) == ([], False)
    first = page.locator("main .table").first
    labels = first.locator("tbody tr").first.locator("[data-head]")
    assert labels.evaluate_all("all => all.map(one => one.dataset.head)") == [
        text.strip() for text in first.locator("thead th").all_text_contents()
    ]
    assert first.locator("thead").is_hidden()  # said before each number instead
    assert violations(page) == []
