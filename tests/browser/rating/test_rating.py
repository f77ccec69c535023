"""A rater in a real browser: by mouse, by keyboard, without scripts, on a phone, in another tab."""

import pytest
from playwright.sync_api import expect

from survey_site.survey.models import Assignment, RatingHistory
from tests.browser.conftest import PHONE, resize, scrolls_sideways
from tests.browser.rating.steps import choose, progress, rate_all, saved, stored, submit


def test_a_whole_questionnaire_by_mouse(questionnaire, problems):
    for pair, value in enumerate([1, 2, 3, 4, 5, 6], start=1):
        choose(questionnaire, pair, value)
    expect(progress(questionnaire)).to_have_text("6 of 6 rated")
    submit(questionnaire)
    expect(questionnaire.get_by_role("heading", level=1)).to_have_text("Thank you!")
    assert stored() == {1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6}
    questionnaire.get_by_role("button", name="Next questionnaire").click()
    expect(questionnaire.get_by_text("Questionnaire 2 of about 3")).to_be_visible()
    assert problems == []


def test_a_whole_questionnaire_by_keyboard_alone(page, batch, open_survey):
    open_survey(page, batch)
    tab_to(page, "button")
    page.keyboard.press("Enter")
    page.wait_for_url("**/q/**")
    for value in "654321":
        tab_to_next_pair(page)
        page.keyboard.press(value)
    tab_to(page, "button")
    page.keyboard.press("Enter")
    page.wait_for_url("**/done/")
    assert stored() == {1: 6, 2: 5, 3: 4, 4: 3, 5: 2, 6: 1}


def test_arrows_and_enter_work_as_in_any_form(questionnaire):
    rate_all(questionnaire, 4)
    questionnaire.keyboard.press("ArrowRight")
    saved(questionnaire)
    assert stored()[6] == 5
    questionnaire.keyboard.press("Enter")
    questionnaire.wait_for_url("**/done/")


def tab_to(page, tag):
    """Press Tab until an element of this kind has the focus."""
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.tagName.toLowerCase()") == tag:
            return
    raise AssertionError(f"Tab reaches no {tag}")


def tab_to_next_pair(page):
    before = page.evaluate("document.activeElement.name")
    for _ in range(10):
        page.keyboard.press("Tab")
        name = page.evaluate("document.activeElement.name ?? ''")
        if name.startswith("rating-") and name != before:
            return
    raise AssertionError("Tab reaches no further pair")


def test_without_scripts(new_page, batch, open_survey):
    page = new_page(java_script_enabled=False)
    open_survey(page, batch)
    page.get_by_role("button", name="Start").click()
    for pair in (1, 2, 4, 5, 6):
        choose(page, pair, 5)
    submit(page)
    expect(page.get_by_role("alert")).to_contain_text("1 of 6 pairs still needs a rating")
    expect(page.locator("#pair-3 .item__error")).to_be_visible()
    expect(page.locator("#pair-3 input").first).to_be_focused()
    assert stored() == {1: 5, 2: 5, 4: 5, 5: 5, 6: 5}
    choose(page, 3, 1)
    submit(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Thank you!")
    assert stored()[3] == 1


def test_on_a_phone_nothing_scrolls_sideways_and_texts_are_stacked(questionnaire):
    resize(questionnaire, PHONE)
    first, second = (questionnaire.locator("#pair-1 .pair__text").nth(n).bounding_box() for n in (0, 1))
    assert second["y"] >= first["y"] + first["height"]
    option = questionnaire.locator("#pair-1 .scale__option").first.bounding_box()
    assert min(option["width"], option["height"]) >= 44
    ends = questionnaire.locator("#pair-1 .scale__end")
    for n in (0, 1):
        expect(ends.nth(n)).to_be_visible()
    assert not scrolls_sideways(questionnaire)
    rate_all(questionnaire)
    submit(questionnaire)
    questionnaire.wait_for_url("**/done/")
    assert not scrolls_sideways(questionnaire)


def test_a_refresh_keeps_what_was_rated(questionnaire):
    choose(questionnaire, 1, 2)
    choose(questionnaire, 4, 6)
    saved(questionnaire)
    questionnaire.reload()
    expect(progress(questionnaire)).to_have_text("2 of 6 rated")
    checked = questionnaire.locator("#rating-form input:checked")
    assert [one.input_value() for one in checked.all()] == ["2", "6"]


def test_an_answer_given_before_the_script_has_loaded_is_saved_too(page, batch, open_survey):
    held, let_go = [], []
    page.route("**/rating.js", lambda route: route.continue_() if let_go else held.append(route))
    open_survey(page, batch)
    page.get_by_role("button", name="Start").click(no_wait_after=True)
    choose(page, 1, 5)
    let_go.append(True)
    for route in held:
        route.continue_()
    saved(page)
    assert stored() == {1: 5}


def test_a_missing_pair_is_named_and_brought_into_view(questionnaire):
    for pair in (1, 3, 4, 5, 6):
        choose(questionnaire, pair, 3)
    submit(questionnaire)
    expect(questionnaire.get_by_role("alert")).to_have_text("Please rate pair 2 too.")
    expect(questionnaire.locator("#pair-2 .item__error")).to_be_visible()
    expect(questionnaire.locator("#pair-2 .scale")).to_be_in_viewport(ratio=1)
    assert Assignment.objects.get().state == "open"
    choose(questionnaire, 2, 3)
    expect(questionnaire.locator("#pair-2 .item__error")).to_be_hidden()
    expect(questionnaire.get_by_role("alert")).to_be_hidden()


def test_a_double_click_on_submit_is_one_submission(questionnaire):
    rate_all(questionnaire)
    questionnaire.get_by_role("button", name="Submit").dblclick()
    questionnaire.wait_for_url("**/done/")
    assert Assignment.objects.get().state == "submitted"
    assert RatingHistory.objects.count() == 6


def test_the_back_button_shows_the_answers_and_takes_a_correction(questionnaire):
    rate_all(questionnaire, 3)
    submit(questionnaire)
    questionnaire.wait_for_url("**/done/")
    questionnaire.go_back()
    expect(questionnaire.get_by_text("You have submitted this questionnaire")).to_be_visible()
    expect(questionnaire.locator("#rating-form input:checked")).to_have_count(6)
    choose(questionnaire, 2, 6)
    questionnaire.get_by_role("button", name="Submit again").click()
    questionnaire.wait_for_url("**/done/")
    assert stored() == {1: 3, 2: 6, 3: 3, 4: 3, 5: 3, 6: 3}


def test_a_second_tab_shows_the_same_questionnaire(questionnaire, batch, open_survey):
    choose(questionnaire, 1, 5)
    saved(questionnaire)
    other = questionnaire.context.new_page()
    open_survey(other, batch)
    expect(other.get_by_text("Welcome back")).to_be_visible()
    other.get_by_role("button", name="Go on").click()
    expect(other.locator("#pair-1 input:checked")).to_have_value("5")
    expect(other).to_have_url(questionnaire.url)


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_no_accessibility_violations(page, batch, open_survey, violations, colours):
    page.emulate_media(color_scheme=colours)
    open_survey(page, batch)
    assert violations(page) == []
    page.get_by_role("button", name="Start").click()
    expect(progress(page)).to_have_text("0 of 6 rated")
    assert violations(page) == []
    choose(page, 1, 4)
    submit(page)
    expect(page.get_by_role("alert")).to_have_text("Please rate pairs 2, 3, 4, 5 and 6 too.")
    assert violations(page) == []
    rate_all(page)
    submit(page)
    page.wait_for_url("**/done/")
    assert violations(page) == []
    page.go_back()
    expect(page.get_by_text("You have submitted this questionnaire")).to_be_visible()
    assert violations(page) == []


def test_at_200_percent_zoom_nothing_is_cut_off(questionnaire, new_page):
    """Zooming by two on 720 pixels leaves 360 CSS pixels at twice the density."""
    page = new_page(viewport=PHONE, device_scale_factor=2)
    page.context.add_cookies(questionnaire.context.cookies())
    page.goto(questionnaire.url)
    expect(page.get_by_role("heading", level=1)).to_have_text("Compare 6 pairs of texts")
    assert not scrolls_sideways(page)


def test_a_remark_is_saved_when_its_field_is_left(questionnaire, violations):
    questionnaire.set_viewport_size(PHONE)
    questionnaire.get_by_text("Something to tell us about these texts?").click()
    remark = questionnaire.get_by_label("Your remark (optional)")
    remark.fill("The second text breaks off.")
    with questionnaire.expect_response("**/rate/") as response:
        remark.blur()
    assert response.value.status == 200
    assert violations(questionnaire) == []
    assert not scrolls_sideways(questionnaire)
    questionnaire.reload()
    expect(questionnaire.get_by_label("Your remark (optional)")).to_have_value("The second text breaks off.")
    assert Assignment.objects.get().comment == "The second text breaks off."
