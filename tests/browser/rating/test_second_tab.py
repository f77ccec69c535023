"""What a tab says that does not know what another one did."""

from playwright.sync_api import expect

from survey_site.survey.models import Assignment
from tests.browser.rating.steps import choose, progress, rate_all, saved, stored, submit

SAID = "You have submitted this questionnaire, in another tab it seems"


def test_a_tab_says_that_another_one_has_submitted(questionnaire):
    rate_all(questionnaire, 2)
    saved(questionnaire)
    other = questionnaire.context.new_page()
    other.goto(questionnaire.url)
    expect(progress(other)).to_have_text("6 of 6 rated")
    submit(other)
    other.wait_for_url("**/done/")
    status = questionnaire.get_by_role("status")
    choose(questionnaire, 1, 5)
    expect(status).to_contain_text(SAID)
    assert (stored()[1], Assignment.objects.get().state) == (5, "submitted")
    other.go_back()
    expect(other.get_by_text("You have submitted this questionnaire")).to_be_visible()
    choose(other, 2, 6)
    saved(other)
    questionnaire.get_by_text("Something to tell us about these texts?").click()
    with questionnaire.expect_response("**/rate/"):
        questionnaire.get_by_label("Your remark (optional)").fill("Odd.")
    expect(status).to_contain_text(SAID)
