"""Rating by digits, also before anything has the focus; and where that is said."""

from playwright.sync_api import expect

from tests.browser.conftest import PHONE
from tests.browser.rating.steps import choose, progress, saved, stored


def test_a_digit_rates_the_first_open_pair_when_nothing_has_the_focus(questionnaire):
    choose(questionnaire, 1, 2)
    questionnaire.evaluate("document.activeElement.blur()")
    questionnaire.keyboard.press("5")
    expect(questionnaire.locator("#pair-2 input:checked")).to_have_value("5")
    expect(questionnaire.locator("#pair-2 input:checked")).to_be_focused()
    questionnaire.keyboard.press("Tab")
    saved(questionnaire)
    assert stored() == {1: 2, 2: 5}


def test_a_digit_rates_what_the_rater_sees_and_nothing_else(questionnaire):
    """Somebody who has scrolled past a pair does not answer it, nor after a click on the page."""
    questionnaire.set_viewport_size({"width": 1280, "height": 420})
    questionnaire.locator("#pair-5 .scale").scroll_into_view_if_needed()
    questionnaire.locator("#pair-5 .pair__words").first.click()
    seen = questionnaire.evaluate(
        """() => [...document.querySelectorAll("[data-item]")].findIndex((item) => {
          const { top, bottom } = item.querySelector(".scale").getBoundingClientRect();
          return top >= 0 && bottom <= document.querySelector(".rating-bar").getBoundingClientRect().top;
        }) + 1"""
    )
    assert seen > 1
    questionnaire.keyboard.press("2")
    saved(questionnaire)
    assert stored() == {seen: 2}


def test_a_digit_leads_to_the_next_pair_where_none_is_in_view(questionnaire):
    questionnaire.set_viewport_size({"width": 390, "height": 300})
    questionnaire.evaluate("window.scrollTo(0, 0)")
    questionnaire.keyboard.press("3")
    expect(questionnaire.locator("#pair-1 input").first).to_be_focused()
    expect(progress(questionnaire)).to_have_text("0 of 6 rated")
    questionnaire.keyboard.press("3")
    expect(progress(questionnaire)).to_have_text("1 of 6 rated")
    saved(questionnaire)
    assert stored() == {1: 3}


def test_digits_that_are_typed_elsewhere_rate_nothing(questionnaire):
    questionnaire.get_by_text("Something to tell us about these texts?").click()
    questionnaire.keyboard.press("4")
    remark = questionnaire.get_by_label("Your remark (optional)")
    remark.press_sequentially("4 5")
    questionnaire.evaluate("document.activeElement.blur()")
    for keys in ("7", "0", "Control+3", "Alt+3"):
        questionnaire.keyboard.press(keys)
    expect(remark).to_have_value("4 5")
    expect(progress(questionnaire)).to_have_text("0 of 6 rated")
    assert stored() == {}


def test_keys_are_named_where_a_keyboard_is(questionnaire, new_page):
    said = "Keys 1 to 6 rate, Tab goes on"
    expect(questionnaire.get_by_text(said)).to_be_visible()
    for options in (
        {"viewport": PHONE, "has_touch": True, "is_mobile": True},
        {"java_script_enabled": False},
    ):
        page = new_page(**options)
        page.context.add_cookies(questionnaire.context.cookies())
        page.goto(questionnaire.url)
        expect(page.locator("#pair-1")).to_be_visible()
        expect(page.get_by_text(said)).to_be_hidden()


def test_digits_without_focus_can_be_switched_off_on_a_device(questionnaire, violations):
    """WCAG 2.1.4: who speaks to the browser must not rate by a word that is heard as a digit."""

    def press(digit):
        questionnaire.evaluate("document.activeElement.blur()")
        questionnaire.keyboard.press(digit)

    questionnaire.get_by_text("What to do", exact=True).click()
    switch = questionnaire.get_by_label("Keys 1 to 6 also rate when no pair has the focus")
    expect(switch).to_be_checked()
    assert violations(questionnaire) == []
    switch.uncheck()
    questionnaire.get_by_text("What to do", exact=True).click()
    expect(switch).to_be_hidden()
    questionnaire.wait_for_function("Object.values(sessionStorage).includes('folded')")
    questionnaire.reload()
    expect(progress(questionnaire)).to_be_visible()
    press("5")
    questionnaire.locator("#pair-2 input").first.focus()
    questionnaire.keyboard.press("4")
    saved(questionnaire)
    assert stored() == {2: 4}
    questionnaire.get_by_text("What to do", exact=True).click()
    switch.check()
    questionnaire.get_by_text("What to do", exact=True).click()
    press("3")
    expect(progress(questionnaire)).to_have_text("2 of 6 rated")
    saved(questionnaire)
    assert stored() == {1: 3, 2: 4}
