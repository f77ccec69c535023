"""The picture that opens a report: one at a time, as wide as the page, and read out by its numbers."""

import pytest
from playwright.sync_api import expect

from meta_eval.publish.figures.describing import answer_alt
from tests.browser.conftest import scrolls_sideways
from tests.factories.reports import make_report


@pytest.fixture
def reading(page, login, researcher):
    login(page, researcher)
    return page


@pytest.mark.parametrize("screen", [(390, "light"), (390, "dark"), (1280, "light"), (1280, "dark")])
def test_one_picture_is_shown_and_fits_the_page(reading, live_server, violations, problems, screen):
    report, (width, scheme) = make_report(), screen
    reading.emulate_media(color_scheme=scheme)
    reading.set_viewport_size({"width": width, "height": 900})
    reading.goto(f"{live_server.url}{report.get_absolute_url()}")
    shown, hidden = ("narrow", "wide") if width < 640 else ("wide", "narrow")
    picture = reading.locator(f".answer .picture__{shown} svg")
    expect(picture).to_be_visible()
    expect(reading.locator(f".answer .picture__{hidden}")).to_be_hidden()
    box = picture.bounding_box()
    assert box is not None
    assert 0 <= box["x"] < box["x"] + box["width"] <= width
    forest = reading.locator(f".chart--narrow .picture__{shown} svg")
    point = forest.locator('[aria-roledescription="point"]').first
    expect(forest).to_be_visible()
    last, plot = point.bounding_box(), reading.locator(".chart__scroll").first.bounding_box()
    assert plot["x"] <= last["x"] < last["x"] + last["width"] <= plot["x"] + plot["width"]
    assert not scrolls_sideways(reading)
    assert problems == []  # before axe, which asks for files of its own
    assert violations(reading) == []


def test_the_numbers_behind_it_open_below(reading, live_server):
    report = make_report()
    reading.goto(f"{live_server.url}{report.get_absolute_url()}")
    answer = reading.get_by_role("region", name="The answer")
    read = report.read()
    measures = [one.title for one in read.answer.ranking]
    expect(answer.get_by_role("img", name=answer_alt(read))).to_be_visible()
    answer.get_by_text("The numbers behind it").click()
    table = answer.get_by_role("region", name="Measures by their agreement with the raters")
    for title in (*measures, "Length of the summary"):
        expect(table.get_by_role("rowheader", name=title, exact=True)).to_be_visible()


@pytest.mark.parametrize("size", [(1280, 800), (360, 740)])
def test_the_answer_comes_first_and_a_word_leads_to_what_limits_it(reading, live_server, size):
    report, (width, height) = make_report(), size
    reading.set_viewport_size({"width": width, "height": height})
    reading.goto(f"{live_server.url}{report.get_absolute_url()}")
    answer = reading.locator(".answer__sentence").bounding_box()
    notice = reading.locator("#notices .notice").first
    assert answer["y"] + answer["height"] < height
    assert answer["y"] < notice.bounding_box()["y"]
    reading.get_by_role("group", name="What limits this report").get_by_text("Not frozen").click()
    expect(notice).to_be_in_viewport()
    expect(notice).to_contain_text("The batch is not frozen")
