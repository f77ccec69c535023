"""From a form to its questionnaire by one request, and the address is put right for whatever comes after."""

import pytest
from playwright.sync_api import expect

from survey_site.survey.models import Assignment
from tests.browser.rating.steps import choose, rate_all, saved, submit
from tests.factories.batches import make_batch
from tests.factories.corpus import make_corpus


@pytest.fixture
def asked(page):
    """Method and end of the address of each page that the browser asks for."""
    found = []

    def note(request):
        if request.is_navigation_request():
            found.append((request.method, request.url.rstrip("/").rpartition("/s/")[2].partition("/")[2]))

    page.on("request", note)
    return found


def own_address(assignment):
    return f"q/{assignment.code}"


def test_the_start_brings_the_questionnaire_and_its_address(page, batch, open_survey, asked, problems):
    open_survey(page, batch)
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/q/**")
    claimed = own_address(Assignment.objects.get())
    assert (asked, page.url.endswith(f"/{claimed}/")) == ([("GET", ""), ("POST", "start")], True)
    choose(page, 1, 4)
    saved(page)
    page.reload()
    expect(page.locator("#pair-1 input:checked")).to_have_value("4")
    page.go_back()
    page.get_by_role("heading", name="Compare short texts").wait_for()
    page.go_forward()
    expect(page.locator("#pair-1 input:checked")).to_have_value("4")
    # Asked for anew, not the form sent again.
    assert [one for one in asked[2:] if one[0] == "POST"] == []
    assert asked[2] == ("GET", claimed)
    rate_all(page)
    submit(page)
    page.get_by_role("button", name="Next questionnaire").click()
    page.wait_for_url("**/q/**")
    second = own_address(Assignment.objects.latest("pk"))
    assert (asked[-1], page.url.endswith(f"/{second}/")) == (("POST", "start"), True)
    page.go_back()
    expect(page.get_by_role("heading", name="Thank you!")).to_be_visible()
    page.go_forward()
    expect(page.get_by_text("Questionnaire 2 of about")).to_be_visible()
    assert Assignment.objects.count() == 2
    assert problems == []


def test_without_scripts_the_start_leads_on_by_its_address(new_page, batch, open_survey):
    page, answers = new_page(java_script_enabled=False), []
    page.on("response", lambda one: answers.append(one.status) if one.request.method == "POST" else None)
    open_survey(page, batch)
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/q/**")
    assert answers == [302]


def test_another_language_shows_the_same_questionnaire(page, open_survey):
    batch = make_batch(corpus=make_corpus(documents=3), languages=["en", "ar"])
    open_survey(page, batch)
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/q/**")
    page.get_by_role("button", name="العربيّة").click()
    expect(page.locator("html")).to_have_attribute("lang", "ar")
    assert page.url.endswith(f"/{own_address(Assignment.objects.get())}/")


def test_a_slow_script_leaves_a_page_that_works(page, batch, open_survey):
    """Until the script has come the address is that of the form: who reloads sends it again, to the same."""
    open_survey(page, batch)
    page.route("**/at-once.js", lambda route: route.abort())
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#pair-1")).to_be_visible()
    claimed = Assignment.objects.get().code
    page.reload()
    expect(page.locator("#rating-form")).to_have_attribute("action", f"/s/{batch.token}/q/{claimed}/")
    assert Assignment.objects.count() == 1
