"""“I cannot judge this pair”: by mouse, by keyboard, without a connection, without scripts, on a phone."""

from urllib.parse import unquote_plus

from playwright.sync_api import expect

from survey_site.survey.models import Assignment, Mark
from tests.browser.conftest import PHONE, resize, scrolls_sideways
from tests.browser.rating.steps import choose, progress, saved, stored, submit


def marks():
    """Reasons and words by position."""
    rows = Mark.objects.values_list("assignment_item__position", "reason", "words")
    return {position: (reason, words) for position, reason, words in rows}


def unfold(page, pair):
    page.locator(f"#pair-{pair} .cannot:not([open]) > summary").click()


def cannot_judge(page, pair, reason):
    unfold(page, pair)
    page.locator(f"#pair-{pair}").get_by_label(reason).check()


def write(page, pair, words):
    unfold(page, pair)
    page.locator(f"#pair-{pair} [data-words]").fill(words)


def test_a_page_is_submitted_with_marks_and_a_rating_takes_one_back(questionnaire, problems):
    for pair in (1, 2, 3):
        choose(questionnaire, pair, 5)
    cannot_judge(questionnaire, 3, "I do not understand it")
    cannot_judge(questionnaire, 4, "A text is missing or cut off")
    write(questionnaire, 5, "3 tables")
    cannot_judge(questionnaire, 6, "It is not in a language that I read")
    expect(progress(questionnaire)).to_have_text("2 of 6 rated, 4 not judged")
    choose(questionnaire, 6, 2)
    expect(progress(questionnaire)).to_have_text("3 of 6 rated, 3 not judged")
    saved(questionnaire)
    assert (stored(), marks()) == (
        {1: 5, 2: 5, 6: 2},
        {3: ("unclear", ""), 4: ("cut-off", ""), 5: ("other", "3 tables")},
    )
    submit(questionnaire)
    questionnaire.wait_for_url("**/done/")
    expect(questionnaire.get_by_role("heading", level=1)).to_have_text("Thank you!")
    assert Assignment.objects.get().state == "marked"
    questionnaire.go_back()
    expect(questionnaire.locator("#pair-5 [data-words]")).to_have_value("3 tables")
    assert problems == []


def test_marks_are_given_by_keyboard_alone_and_digits_in_words_rate_nothing(questionnaire):
    questionnaire.locator("#pair-2 input").first.focus()
    for key in ("Tab", "Enter"):
        questionnaire.keyboard.press(key)
    expect(questionnaire.locator("#pair-2").get_by_label("A text is missing")).to_be_focused()
    questionnaire.keyboard.press("Space")
    expect(progress(questionnaire)).to_have_text("0 of 6 rated, 1 not judged")
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "Tab"):
        questionnaire.keyboard.press(key)
    with questionnaire.expect_response(lambda one: "4 words" in unquote_plus(one.request.post_data or "")):
        questionnaire.keyboard.type("only 4 words")  # what is typed slowly is sent in between, too
    saved(questionnaire)
    assert (stored(), marks()) == ({}, {2: ("other", "only 4 words")})


def test_marks_without_a_connection_survive_leaving_the_page(questionnaire):
    address, context = questionnaire.url, questionnaire.context
    context.set_offline(True)
    cannot_judge(questionnaire, 1, "I do not understand it")
    write(questionnaire, 2, "cut twice")
    expect(questionnaire.get_by_role("status")).to_contain_text("kept in this browser")
    questionnaire.goto("about:blank")
    context.set_offline(False)
    questionnaire.goto(address)
    saved(questionnaire)
    assert marks() == {1: ("unclear", ""), 2: ("other", "cut twice")}
    expect(questionnaire.locator("#pair-2 [data-words]")).to_have_value("cut twice")


def test_without_scripts_what_is_written_is_a_reason(new_page, batch, open_survey):
    page = new_page(java_script_enabled=False)
    open_survey(page, batch)
    page.get_by_role("button", name="Start").click()
    for pair in (1, 2, 3, 4):
        choose(page, pair, 5)
    cannot_judge(page, 5, "A text is missing or cut off")
    write(page, 6, "garbled")
    submit(page)
    page.wait_for_url("**/done/")
    assert marks() == {5: ("cut-off", ""), 6: ("other", "garbled")}


def test_the_reasons_fit_a_phone_and_break_no_rule(questionnaire, violations):
    cannot_judge(questionnaire, 1, "Another reason")
    assert violations(questionnaire) == []
    resize(questionnaire, PHONE)
    assert not scrolls_sideways(questionnaire)
    assert questionnaire.locator("#pair-1 .cannot .choice").first.bounding_box()["height"] >= 24
    assert violations(questionnaire) == []


def words(page):
    return page.locator("#pair-1 [data-words]")


def leave_and_come_back(page):
    """As by a link and the back button: the browser may fill the form in again as it was left."""
    page.goto("about:blank")
    page.go_back()
    expect(progress(page)).to_be_visible()


def second_tab(page):
    other = page.context.new_page()
    other.goto(page.url)
    expect(progress(other)).to_be_visible()
    return other


def test_a_rating_takes_the_words_of_a_reason_back_and_they_stay_away(questionnaire):
    write(questionnaire, 1, "garbled")
    saved(questionnaire)
    choose(questionnaire, 1, 5)
    expect(words(questionnaire)).to_have_value("")
    saved(questionnaire)
    leave_and_come_back(questionnaire)
    choose(questionnaire, 2, 4)
    saved(questionnaire)
    assert (stored(), marks()) == ({1: 5, 2: 4}, {})
    expect(words(questionnaire)).to_have_value("")


def test_words_written_before_the_script_came_leave_a_rating_alone(questionnaire):
    choose(questionnaire, 1, 5)
    saved(questionnaire)
    held = {}
    questionnaire.route("**/js/rating*.js", lambda route: held.update(route=route))
    questionnaire.reload(wait_until="commit")
    write(questionnaire, 1, "garbled")
    held["route"].continue_()
    expect(progress(questionnaire)).to_have_text("1 of 6 rated")
    choose(questionnaire, 2, 4)
    saved(questionnaire)
    assert (stored(), marks()) == ({1: 5, 2: 4}, {})


def test_a_reason_that_the_browser_fills_in_again_leaves_a_newer_rating_alone(questionnaire):
    write(questionnaire, 1, "garbled")
    saved(questionnaire)
    other = second_tab(questionnaire)
    choose(other, 1, 5)
    saved(other)
    leave_and_come_back(questionnaire)
    choose(questionnaire, 2, 4)
    saved(questionnaire)
    assert (stored(), marks()) == ({1: 5, 2: 4}, {})


def test_a_kept_reason_that_is_older_than_a_rating_is_not_sent(questionnaire):
    other = second_tab(questionnaire)
    fails = "() => { window.fetch = () => Promise.reject(new TypeError()) }"  # also what closing sends
    questionnaire.evaluate(fails)
    write(questionnaire, 1, "garbled")
    expect(questionnaire.get_by_role("status")).to_contain_text("kept in this browser")
    choose(other, 1, 5)
    saved(other)
    questionnaire.close()
    again = second_tab(other)
    choose(again, 2, 4)
    saved(again)
    assert (stored(), marks()) == ({1: 5, 2: 4}, {})
