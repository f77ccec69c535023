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
