"""What one browser keeps does not undo what was said later, in another browser or tab of the same person."""

from datetime import timedelta

import pytest
from django.db.models import F
from playwright.sync_api import expect

from survey_site.survey.models import Assignment, Rating
from tests.browser.rating.steps import choose, progress, saved, stored
from tests.browser.rating.test_remark import begin, field

HOUR_MS = 3_600_000
MINUTE = timedelta(minutes=1)


def move_clock(page, milliseconds):
    """From the next page on, the browser's clock is that much ahead."""
    script = f"{{ const now = Date.now; Date.now = () => now() + {milliseconds}; }}"
    page.context.add_init_script(script)


@pytest.fixture
def other_browser(questionnaire, new_page):
    """The same questionnaire of the same person in another browser."""
    page = new_page()
    page.context.add_cookies(questionnaire.context.cookies())
    page.goto(questionnaire.url)
    expect(progress(page)).to_be_visible()
    return page


def reopened(page, address):
    other = page.context.new_page()
    other.goto(address)
    expect(progress(other)).to_be_visible()
    return other


def kept(page):
    return page.evaluate("Object.keys(localStorage).length")


def closed_before_it_was_sent(page, act):
    """Close the tab of something that only the browser has; gives the address.

    What a page sends while it is closed passes by what Playwright intercepts, so its line is cut in the page.
    """
    address = page.url
    page.evaluate("() => { window.fetch = () => Promise.reject(new TypeError('no line')); }")
    act()
    expect(page.get_by_role("status")).to_contain_text("kept in this browser")
    page.close()
    return address


@pytest.mark.parametrize("shift", [0, 5 * HOUR_MS, -5 * HOUR_MS])
def test_a_kept_answer_does_not_undo_a_later_one_of_another_browser(questionnaire, other_browser, shift):
    """Whatever the clocks of browser and site say."""
    move_clock(questionnaire, shift)
    questionnaire.reload()
    expect(progress(questionnaire)).to_be_visible()
    address = closed_before_it_was_sent(questionnaire, lambda: choose(questionnaire, 1, 5))
    choose(other_browser, 1, 2)
    saved(other_browser)
    move_clock(questionnaire, 60_000)  # what is kept is a minute older than what the site has
    page = reopened(questionnaire, address)
    expect(page.locator("#pair-1 input:checked")).to_have_value("2")
    choose(page, 2, 3)
    saved(page)
    assert (stored(), kept(page)) == ({1: 2, 2: 3}, 0)


@pytest.mark.parametrize("shift", [0, -5 * HOUR_MS])
def test_a_kept_answer_replaces_an_earlier_one_of_another_browser(questionnaire, other_browser, shift):
    move_clock(questionnaire, shift)
    questionnaire.reload()
    expect(progress(questionnaire)).to_be_visible()
    choose(other_browser, 1, 2)
    saved(other_browser)
    Rating.objects.update(updated_at=F("updated_at") - MINUTE)
    address = closed_before_it_was_sent(questionnaire, lambda: choose(questionnaire, 1, 5))
    page = reopened(questionnaire, address)
    saved(page)
    assert stored() == {1: 5}


def test_a_kept_answer_of_the_tab_that_saved_before_it_is_the_later_one(questionnaire):
    """Even where the site stored the earlier one only after the later one was given."""
    choose(questionnaire, 1, 2)
    saved(questionnaire)
    address = closed_before_it_was_sent(questionnaire, lambda: choose(questionnaire, 1, 5))
    page = questionnaire.context.new_page()
    late = 'data-now="2000000000.0"'

    def as_if_stored_late(route):
        html = route.fetch().text()
        stamp = html.split('data-rated-at="')[1].split('"')[0]
        route.fulfill(body=html.replace(stamp, "1999999999.999").replace(_now(html), late))

    page.route(address, as_if_stored_late)
    page.goto(address)
    saved(page)
    assert stored() == {1: 5}


def _now(html):
    return 'data-now="' + html.split('data-now="')[1].split('"')[0] + '"'


def test_a_kept_remark_stands_beside_newer_words_of_another_tab(questionnaire):
    other = questionnaire.context.new_page()
    other.goto(questionnaire.url)
    expect(progress(other)).to_be_visible()
    address = closed_before_it_was_sent(questionnaire, lambda: begin(questionnaire).fill("Breaks off."))
    begin(other).fill("A typo.")
    saved(other)
    page = reopened(other, address)
    expect(field(page)).to_have_value("A typo.\nBreaks off.")
    saved(page)
    assert (Assignment.objects.get().comment, kept(page)) == ("A typo.\nBreaks off.", 0)
    page = reopened(page, address)
    expect(field(page)).to_have_value("A typo.\nBreaks off.")


@pytest.mark.parametrize("words", ["", "Breaks off in the middle.", "Something else."])
def test_a_kept_change_of_a_remark_replaces_what_it_was_made_of(questionnaire, words):
    begin(questionnaire).fill("Breaks off.")
    saved(questionnaire)
    address = closed_before_it_was_sent(questionnaire, lambda: field(questionnaire).fill(words))
    page = reopened(questionnaire, address)
    saved(page)
    expect(field(page)).to_have_value(words)
    assert (Assignment.objects.get().comment, kept(page)) == (words, 0)


def test_a_remark_that_is_held_up_does_not_overtake_a_later_one(questionnaire):
    held = []
    questionnaire.route("**/rate/", lambda route: (held.append(route.request), route.abort()), times=1)
    begin(questionnaire).fill("Breaks off.")
    expect(questionnaire.get_by_role("status")).to_contain_text("Not saved yet")
    field(questionnaire).fill("A typo.")
    saved(questionnaire)
    late = held[0]
    assert questionnaire.request.post(late.url, data=late.post_data, headers=late.headers).ok
    assert Assignment.objects.get().comment == "A typo."
