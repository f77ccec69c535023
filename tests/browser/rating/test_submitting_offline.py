"""A rater submits while the site is out of reach: the page stays, says so, and submits once it can."""

import re

import pytest
from playwright.sync_api import expect

from survey_site.survey.models import Assignment
from tests.browser.rating.steps import WAITS_TO_SUBMIT, kept, progress, rate_all, saved, stored, submit
from tests.factories.batches import make_batch
from tests.factories.corpus import make_corpus


def test_submitting_without_a_connection_waits_for_it(questionnaire):
    context = questionnaire.context
    context.set_offline(True)
    rate_all(questionnaire, 2)
    submit(questionnaire)
    expect(questionnaire.get_by_role("status")).to_have_text(WAITS_TO_SUBMIT)
    assert Assignment.objects.get().state == "open"
    context.set_offline(False)
    questionnaire.wait_for_url("**/done/")
    assert (stored(), Assignment.objects.get().state) == (dict.fromkeys(range(1, 7), 2), "submitted")


def test_a_line_that_comes_back_slowly_still_takes_the_submission(questionnaire):
    """The first request after coming back fails too; the next try saves the answers and submits them."""
    context = questionnaire.context
    context.set_offline(True)
    rate_all(questionnaire, 2)
    submit(questionnaire)
    expect(questionnaire.get_by_role("status")).to_have_text(WAITS_TO_SUBMIT)
    failed = []
    questionnaire.route("**/rate/", lambda route: (failed.append(route), route.abort()), times=1)
    context.set_offline(False)
    questionnaire.wait_for_url("**/done/")
    assert len(failed) == 1
    assert (stored(), Assignment.objects.get().state) == (dict.fromkeys(range(1, 7), 2), "submitted")


def test_saved_answers_that_are_submitted_without_a_connection_are_not_called_saved(questionnaire):
    rate_all(questionnaire, 2)
    saved(questionnaire)
    questionnaire.context.set_offline(True)
    submit(questionnaire)
    expect(questionnaire.get_by_role("status")).to_have_text(WAITS_TO_SUBMIT)
    expect(questionnaire.get_by_role("button", name="Submit")).to_be_disabled()
    assert Assignment.objects.get().state == "open"
    questionnaire.context.set_offline(False)
    questionnaire.wait_for_url("**/done/")
    assert Assignment.objects.get().state == "submitted"


def test_a_submission_without_a_connection_survives_leaving_the_page(questionnaire):
    address, context = questionnaire.url, questionnaire.context
    rate_all(questionnaire, 2)
    saved(questionnaire)
    context.set_offline(True)
    submit(questionnaire)
    expect(questionnaire.get_by_role("status")).to_have_text(WAITS_TO_SUBMIT)
    questionnaire.goto("about:blank")
    context.set_offline(False)
    questionnaire.goto(address, wait_until="commit")
    # Leaving the page may itself have been quick enough to send the form.
    submitted = questionnaire.get_by_text(re.compile("^(Thank you!|You have submitted this questionnaire)$"))
    expect(submitted).to_be_visible()
    assert Assignment.objects.get().state == "submitted"
    questionnaire.goto(address)
    expect(questionnaire.get_by_text("You have submitted this questionnaire")).to_be_visible()
    expect(questionnaire.get_by_role("button", name="Submit again")).to_be_enabled()
    assert kept(questionnaire) == 0


def test_a_form_that_does_not_arrive_is_sent_when_the_page_is_opened_again(questionnaire):
    address, context = questionnaire.url, questionnaire.context
    rate_all(questionnaire, 2)
    saved(questionnaire)
    context.set_offline(True)
    submit(questionnaire)
    expect(questionnaire.get_by_role("status")).to_have_text(WAITS_TO_SUBMIT)
    questionnaire.route(address, lambda route: route.fulfill(status=502, body="Bad gateway"), times=1)
    context.set_offline(False)
    expect(questionnaire.get_by_text("Bad gateway")).to_be_visible()
    assert Assignment.objects.get().state == "open"
    questionnaire.goto(address, wait_until="commit")
    expect(questionnaire.get_by_role("heading", level=1)).to_have_text("Thank you!")
    assert Assignment.objects.get().state == "submitted"


def test_a_line_that_seems_to_be_there_but_reaches_nothing_shows_no_error_page(questionnaire):
    rate_all(questionnaire, 2)
    saved(questionnaire)
    questionnaire.route("**/*", lambda route: route.abort())
    submit(questionnaire)
    expect(questionnaire.get_by_role("status")).to_have_text(WAITS_TO_SUBMIT)
    questionnaire.unroute("**/*")
    questionnaire.wait_for_url("**/done/")
    assert Assignment.objects.get().state == "submitted"


def without_any_network(context):
    """As a browser is on a machine without a network: "offline", though it reaches what runs beside it."""
    context.add_init_script("Object.defineProperty(Navigator.prototype, 'onLine', { get: () => false })")


def test_a_site_on_a_machine_without_any_network_takes_the_submission(questionnaire):
    without_any_network(questionnaire.context)
    questionnaire.reload()
    rate_all(questionnaire, 2)
    submit(questionnaire)
    questionnaire.wait_for_url("**/done/")
    assert (stored(), Assignment.objects.get().state) == (dict.fromkeys(range(1, 7), 2), "submitted")


@pytest.fixture
def in_two_languages(page, open_survey):
    """A questionnaire whose language can be changed."""
    batch = make_batch(corpus=make_corpus(documents=3, systems=5))
    type(batch).objects.update(languages=["en", "ar"])
    open_survey(page, batch)
    page.locator(".start-bar .button--primary").click()
    expect(progress(page)).to_have_text("0 of 6 rated")
    return page


def test_a_site_on_a_machine_without_any_network_changes_its_language(in_two_languages):
    without_any_network(in_two_languages.context)
    in_two_languages.reload()
    in_two_languages.get_by_role("button", name="العربيّة").click()
    expect(in_two_languages.locator("html")).to_have_attribute("dir", "rtl")


def test_without_a_connection_the_language_stays_and_the_page_says_why(in_two_languages):
    rate_all(in_two_languages, 2)
    saved(in_two_languages)
    in_two_languages.context.set_offline(True)
    in_two_languages.get_by_role("button", name="العربيّة").click()
    expect(in_two_languages.get_by_role("status")).to_contain_text("There is no connection")
    in_two_languages.context.set_offline(False)
    in_two_languages.get_by_role("button", name="العربيّة").click()
    expect(in_two_languages.locator("html")).to_have_attribute("dir", "rtl")
    assert Assignment.objects.get().state == "open"
