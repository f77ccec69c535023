"""A remark is kept as answers are: while it is written, without a connection, and when the tab closes."""

from playwright.sync_api import expect

from survey_site.survey.models import Assignment
from tests.browser.rating.steps import progress, rate_all, saved, submit

WORDS = "The second text breaks off."


def begin(page):
    page.get_by_text("Something to tell us about these texts?").click()
    return field(page)


def field(page):
    return page.get_by_label("Your remark (optional)")


def reopened(page, address):
    """The questionnaire in a new tab of the same browser, with its remark."""
    other = page.context.new_page()
    other.goto(address)
    expect(field(other)).to_have_value(WORDS)
    return other


def kept(page):
    return page.evaluate("Object.keys(localStorage).length")


def test_a_remark_is_saved_while_its_field_has_the_focus(questionnaire):
    remark = begin(questionnaire)
    remark.press_sequentially(WORDS)
    saved(questionnaire)
    expect(remark).to_be_focused()
    assert Assignment.objects.get().comment == WORDS
    assert kept(questionnaire) == 0


def test_a_remark_survives_closing_the_tab_in_the_middle_of_it(questionnaire):
    address = questionnaire.url
    questionnaire.route("**/rate/", lambda route: route.abort())
    begin(questionnaire).press_sequentially(WORDS)
    assert kept(questionnaire) == 1
    questionnaire.close()
    other = reopened(questionnaire, address)
    saved(other)
    assert Assignment.objects.get().comment == WORDS
    assert kept(other) == 0


def test_leaving_the_page_sends_what_was_just_written(questionnaire):
    """The requests of a page that is gone are shown to nobody: the page is told that it goes, and stays."""
    questionnaire.add_init_script("window.setTimeout = () => 0")  # no pause is ever over
    questionnaire.reload()
    expect(progress(questionnaire)).to_be_visible()
    begin(questionnaire).press_sequentially(WORDS)
    assert Assignment.objects.get().comment == ""
    with questionnaire.expect_response("**/rate/") as response:
        questionnaire.evaluate("window.dispatchEvent(new PageTransitionEvent('pagehide'))")
    assert response.value.ok
    assert Assignment.objects.get().comment == WORDS


def test_without_a_connection_a_remark_waits_and_it_is_said(questionnaire):
    address, context = questionnaire.url, questionnaire.context
    context.set_offline(True)
    remark = begin(questionnaire)
    remark.fill(WORDS)
    remark.blur()
    expect(questionnaire.get_by_role("status")).to_contain_text("Not saved yet: no connection.")
    questionnaire.goto("about:blank")
    context.set_offline(False)
    other = reopened(questionnaire, address)
    saved(other)
    assert Assignment.objects.get().comment == WORDS


def test_a_remark_that_is_taken_back_is_taken_back_here_too(questionnaire):
    remark = begin(questionnaire)
    remark.fill(WORDS)
    saved(questionnaire)
    with questionnaire.expect_response("**/rate/"):
        remark.fill("")
    saved(questionnaire)
    assert (Assignment.objects.get().comment, kept(questionnaire)) == ("", 0)


def test_a_remark_that_is_still_being_written_goes_with_the_submission(questionnaire):
    rate_all(questionnaire)
    saved(questionnaire)
    begin(questionnaire).press_sequentially(WORDS)
    submit(questionnaire)
    questionnaire.wait_for_url("**/done/")
    stored = Assignment.objects.get()
    assert (stored.state, stored.comment, kept(questionnaire)) == ("submitted", WORDS, 0)
