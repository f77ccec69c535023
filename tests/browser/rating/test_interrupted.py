"""A rater whose line, site, browser or clock fails: nothing is lost, and the page says what it is."""

import json
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import expect

from survey_site.batches.services import close_batch
from survey_site.survey.models import Assignment, AssignmentItem, Rating
from tests.browser.conftest import PHONE, scrolls_sideways
from tests.browser.rating.steps import (
    WAITS_TO_SUBMIT,
    choose,
    kept,
    progress,
    rate_all,
    saved,
    stored,
    submit,
)
from tests.factories.batches import NOW


def test_without_a_connection_the_rater_is_told_and_nothing_is_lost(questionnaire):
    context = questionnaire.context
    context.set_offline(True)
    choose(questionnaire, 1, 5)
    expect(questionnaire.get_by_role("status")).to_contain_text("Not saved yet")
    choose(questionnaire, 2, 4)
    choose(questionnaire, 1, 6)
    sent = []
    questionnaire.on("request", lambda one: one.method == "POST" and sent.append(one.post_data))
    context.set_offline(False)
    saved(questionnaire)
    assert stored() == {1: 6, 2: 4}
    assert [parse_qs(one).keys() for one in sent][-1] == {"answers", "tab"}
    assert [len(json.loads(parse_qs(one)["answers"][0])) for one in sent] == [2] * len(sent)


def test_of_answers_that_waited_together_one_is_refused_and_the_others_are_kept(questionnaire):
    code = AssignmentItem.objects.get(position=2).code
    questionnaire.context.set_offline(True)
    for position in (1, 2, 3):
        choose(questionnaire, position, 5)
    AssignmentItem.objects.filter(code=code).update(code="another")
    questionnaire.context.set_offline(False)
    expect(questionnaire.get_by_role("status")).to_contain_text("belongs to no text pair on this page")
    assert stored() == {1: 5, 3: 5}


def test_answers_that_are_refused_together_are_given_up_one_by_one(questionnaire):
    questionnaire.context.set_offline(True)
    for position in (1, 2, 3):
        choose(questionnaire, position, 5)
    questionnaire.context.clear_cookies()
    questionnaire.context.set_offline(False)
    expect(questionnaire.get_by_role("status")).to_contain_text("This answer was refused")
    assert (stored(), kept(questionnaire)) == ({}, 2)


def test_answers_without_a_connection_survive_leaving_the_page(questionnaire):
    address, context = questionnaire.url, questionnaire.context
    choose(questionnaire, 3, 1)
    saved(questionnaire)
    assert kept(questionnaire) == 0
    context.set_offline(True)
    choose(questionnaire, 1, 5)
    choose(questionnaire, 2, 4)
    choose(questionnaire, 3, 2)
    expect(questionnaire.get_by_role("status")).to_contain_text("kept in this browser")
    questionnaire.goto("about:blank")
    context.set_offline(False)
    questionnaire.goto(address)
    saved(questionnaire)
    assert stored() == {1: 5, 2: 4, 3: 2}
    assert kept(questionnaire) == 0


def test_without_a_connection_the_bar_of_a_phone_stays_low_and_covers_no_scale(questionnaire, violations):
    questionnaire.set_viewport_size(PHONE)
    bar, status = questionnaire.locator(".rating-bar"), questionnaire.get_by_role("status")
    option = questionnaire.locator("#pair-3 .scale__option").nth(4)
    # The page stands so that the scale ends where the bar begins.
    option.evaluate(
        "(one, bar) => scrollBy(0, one.getBoundingClientRect().bottom - bar)", bar.bounding_box()["y"]
    )
    before = bar.bounding_box()["height"]
    questionnaire.context.set_offline(True)
    option.click()
    expect(status).to_contain_text("Not saved yet: no connection. Your answers are kept in this browser")
    expect(questionnaire.locator("#pair-3 .scale")).to_be_in_viewport(ratio=1)
    scale, low = questionnaire.locator("#pair-3 .scale").bounding_box(), bar.bounding_box()
    assert before < low["height"] <= 0.15 * PHONE["height"]
    assert scale["y"] + scale["height"] <= low["y"] + 1
    rate_all(questionnaire)
    submit(questionnaire)
    expect(status).to_have_text(WAITS_TO_SUBMIT)
    assert bar.bounding_box()["height"] <= 0.15 * PHONE["height"]
    assert not scrolls_sideways(questionnaire)
    assert violations(questionnaire) == []


def open_tab(page):
    other = page.context.new_page()
    other.goto(page.url)
    return other


def duplicate_tab(page):
    """A tab that begins, as a duplicated one does, with all that the first keeps for itself."""
    with page.expect_popup() as popup:
        page.evaluate("() => void window.open(location.href)")
    return popup.value


@pytest.mark.parametrize("open_another", [open_tab, duplicate_tab])
def test_what_one_tab_saves_takes_nothing_from_what_another_keeps(questionnaire, open_another):
    address, other = questionnaire.url, open_another(questionnaire)
    expect(progress(other)).to_have_text("0 of 6 rated")
    questionnaire.route("**/rate/", lambda route: route.abort())
    choose(questionnaire, 1, 5)
    expect(questionnaire.get_by_role("status")).to_contain_text("kept in this browser")
    choose(other, 2, 4)
    saved(other)
    assert (stored(), kept(other)) == ({2: 4}, 1)
    questionnaire.close()
    other.goto(address)
    expect(progress(other)).to_have_text("2 of 6 rated")
    saved(other)
    assert (stored(), kept(other)) == ({1: 5, 2: 4}, 0)


def test_of_what_two_tabs_keep_the_later_answer_is_sent(questionnaire):
    address, other, third = questionnaire.url, open_tab(questionnaire), open_tab(questionnaire)
    for page, value in ((other, 2), (questionnaire, 5), (third, 3)):
        expect(progress(page)).to_have_text("0 of 6 rated")
        page.route("**/rate/", lambda route: route.abort())
        choose(page, 1, value)
        expect(page.get_by_role("status")).to_contain_text("kept in this browser")
    assert kept(third) == 3
    questionnaire.close()
    other.close()
    third.unroute("**/rate/")
    third.goto(address)
    saved(third)
    assert (stored(), kept(third)) == ({1: 3}, 0)


def test_a_tab_that_waits_to_save_leaves_another_one_s_submission(questionnaire):
    rate_all(questionnaire, 2)
    saved(questionnaire)
    address, other = questionnaire.url, open_tab(questionnaire)
    expect(progress(other)).to_have_text("6 of 6 rated")
    questionnaire.route("**/*", lambda route: route.abort())
    submit(questionnaire)
    expect(questionnaire.get_by_role("status")).to_have_text(WAITS_TO_SUBMIT)
    other.route("**/rate/", lambda route: route.abort())
    choose(other, 1, 5)
    expect(other.get_by_role("status")).to_contain_text("kept in this browser")
    questionnaire.close()
    other.unroute("**/rate/")
    other.goto(address, wait_until="commit")
    expect(other.get_by_role("heading", level=1)).to_have_text("Thank you!")
    assert (stored()[1], Assignment.objects.get().state) == (5, "submitted")


def test_kept_answers_belong_to_their_questionnaire_alone(questionnaire):
    rate_all(questionnaire)
    submit(questionnaire)
    questionnaire.wait_for_url("**/done/")
    questionnaire.evaluate("localStorage.setItem('answers/another/tab/x', '[\"6\", 1]')")
    questionnaire.get_by_role("button", name="Next questionnaire").click()
    expect(progress(questionnaire)).to_have_text("0 of 6 rated")
    expect(questionnaire.locator("#rating-form input:checked")).to_have_count(0)


def test_where_the_browser_keeps_nothing_answers_stay_on_the_page(questionnaire):
    questionnaire.add_init_script("Object.defineProperty(window, 'localStorage', {get() {throw Error()}})")
    questionnaire.reload()
    questionnaire.context.set_offline(True)
    choose(questionnaire, 1, 5)
    expect(questionnaire.get_by_role("status")).to_contain_text("Please keep this page open")
    questionnaire.context.set_offline(False)
    saved(questionnaire)
    assert stored() == {1: 5}


def test_past_the_rate_limit_answers_wait(questionnaire, settings):
    settings.CONCORD_POSTS_PER_RATER = 0
    choose(questionnaire, 1, 5)
    expect(questionnaire.get_by_role("status")).to_contain_text("the site is busy")
    assert stored() == {}
    settings.CONCORD_POSTS_PER_RATER = 100
    questionnaire.evaluate("window.dispatchEvent(new Event('online'))")  # sooner than the next try
    saved(questionnaire)
    assert stored() == {1: 5}


def test_an_answer_that_is_refused_says_why(questionnaire, batch):
    rate_all(questionnaire, 3)
    submit(questionnaire)
    questionnaire.wait_for_url("**/done/")
    questionnaire.go_back()
    expect(progress(questionnaire)).to_have_text("6 of 6 rated")
    close_batch(batch=batch, now=NOW)
    choose(questionnaire, 1, 6)
    expect(questionnaire.get_by_role("status")).to_contain_text("Not saved. This survey is closed")
    assert stored()[1] == 3


def test_answers_that_are_refused_while_submitting_go_with_the_form_which_says_why(questionnaire, settings):
    settings.CONCORD_POSTS_PER_RATER = 0
    rate_all(questionnaire)
    expect(questionnaire.get_by_role("status")).to_contain_text("the site is busy")
    settings.CONCORD_POSTS_PER_RATER = 100
    questionnaire.context.clear_cookies(name="rater")
    submit(questionnaire)
    expect(questionnaire.get_by_role("heading", level=1)).to_have_text("Not allowed")
    assert stored() == {}


def test_one_refused_answer_does_not_hold_the_submission_up(questionnaire, settings):
    """The form carries all answers once more, and may be taken where a single one was refused."""
    settings.CONCORD_POSTS_PER_RATER = 0
    rate_all(questionnaire, 4)
    expect(questionnaire.get_by_role("status")).to_contain_text("the site is busy")
    settings.CONCORD_POSTS_PER_RATER = 100
    questionnaire.route("**/rate/", lambda route: route.fulfill(status=403, json={"message": "No."}))
    submit(questionnaire)
    expect(questionnaire.get_by_role("heading", level=1)).to_have_text("Thank you!")
    assert (stored(), Assignment.objects.get().state) == (dict.fromkeys(range(1, 7), 4), "submitted")


def test_a_save_that_is_held_up_does_not_overtake_a_later_answer(questionnaire):
    """The first request reaches the site only after the second was answered, and after a reload."""
    held = []
    questionnaire.route("**/rate/", lambda route: (held.append(route.request), route.abort()), times=1)
    choose(questionnaire, 1, 2)
    expect(questionnaire.get_by_role("status")).to_contain_text("Not saved yet")
    questionnaire.reload()
    expect(progress(questionnaire)).to_be_visible()
    choose(questionnaire, 1, 5)
    saved(questionnaire)
    late = held[0]
    answer = questionnaire.request.post(late.url, data=late.post_data, headers=late.headers)
    assert answer.json() == {"value": 5}
    assert stored() == {1: 5}


def test_a_clock_that_is_set_back_loses_no_answer(questionnaire):
    choose(questionnaire, 1, 2)
    saved(questionnaire)
    questionnaire.add_init_script("Date.now = () => 1_000_000")
    questionnaire.reload()
    expect(progress(questionnaire)).to_have_text("1 of 6 rated")
    choose(questionnaire, 1, 5)
    saved(questionnaire)
    assert stored() == {1: 5}


def test_the_form_tells_its_turn_too(questionnaire):
    rate_all(questionnaire, 4)
    saved(questionnaire)
    submit(questionnaire)
    expect(questionnaire.get_by_role("heading", level=1)).to_have_text("Thank you!")
    ratings = Rating.objects.all()
    assert len({(rating.tab, rating.turn) for rating in ratings}) == 1
    assert all(rating.tab and rating.turn > 10**12 for rating in ratings)
