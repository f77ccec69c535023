"""The pages around the questionnaires in a real browser: readable, reachable by keyboard, on a phone."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from survey_site.batches.services import launch_batch, pause_batch
from survey_site.survey.models import Rater
from survey_site.survey.people.identity import invitation_code, panel_secret
from survey_site.survey.people.joining import hash_key
from survey_site.survey.people.participation import ParticipationSettings, save_participation
from tests.browser.conftest import PHONE, resize, scrolls_sideways
from tests.factories.accounts import make_user
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_assignment, make_rater, submit_all


def make_open_batch(*, documents=2, raters=2, **settings):
    corpus = make_corpus(documents=documents, systems=2)
    batch = make_batch(corpus=corpus, raters=raters, launched=False)
    save_participation(batch=batch, settings=ParticipationSettings(**settings), now=NOW)
    return launch_batch(batch=batch, now=NOW)


def press(page, name):
    page.get_by_role("button", name=name).click()


@pytest.fixture
def sound(page, violations):
    """The page as it is now has no axe violation and does not scroll sideways on a phone, light and dark."""

    def check():
        for colours in ("light", "dark"):
            page.emulate_media(color_scheme=colours)
            assert violations(page) == []
        resize(page, PHONE)
        assert not scrolls_sideways(page)
        assert violations(page) == []
        page.emulate_media(color_scheme="light")
        resize(page, {"width": 1280, "height": 800})

    return check


def test_refusing_and_answering_questions(page, open_survey, sound):
    open_survey(page, make_open_batch(questions=["field", "gender", "age"]))
    sound()
    page.get_by_role("link", name="No, thank you").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("That is fine")
    sound()
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Compare short texts")
    press(page, "I agree: start")
    expect(page.get_by_role("heading", level=1)).to_have_text("Before you start: about you")
    sound()
    page.get_by_label("25 to 34").check()
    press(page, "Go on")
    page.wait_for_url("**/q/**")


FACTS = {
    "researchers": "Ada Lovelace, Institute of Analytical Engines, Castrow University",
    "contact": "study@example.org",
    "approval": "Ethics Board of Castrow University, 2026-114",
    "kept_for": "Ten years, then they are deleted.",
}


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_what_it_costs_who_asks_and_both_answers_are_in_view_at_once(new_page, open_survey, violations, size):
    page = new_page(viewport=dict(zip(("width", "height"), size, strict=True)))
    open_survey(page, make_open_batch(questions=["age"], asks_name=True, **FACTS))
    for shown in (
        page.get_by_text("Step 1 of 2 before the first questionnaire"),
        page.get_by_text("about 1 minute"),
        page.get_by_text("3 pairs"),
        page.get_by_text("stop any time"),
        *(page.get_by_text(words) for words in FACTS.values()),
        page.get_by_role("button", name="I agree: start"),
        page.get_by_role("link", name="No, thank you"),
    ):
        expect(shown).to_be_in_viewport(ratio=1)
    page.get_by_role("link", name="What you agree to").click()
    expect(page.get_by_role("heading", name="Do you agree to take part?")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("button", name="I agree: start")).to_be_in_viewport(ratio=1)
    name = page.get_by_label("Your name")
    name.focus()
    bar, field = page.locator(".start-bar").bounding_box(), name.bounding_box()
    assert field["y"] + field["height"] <= bar["y"]
    assert violations(page) == []


def test_a_panel_member_who_comes_in_a_pause_is_told_what_to_do(page, live_server, sound):
    batch = pause_batch(batch=make_open_batch(entry="panel"), now=NOW)
    page.goto(live_server.url + reverse("survey:join", args=[batch.token]) + "?PROLIFIC_PID=p1")
    expect(page.get_by_text("Please return your submission on the panel")).to_be_visible()
    sound()


def test_without_a_link_of_ones_own(page, open_survey, sound):
    open_survey(page, make_open_batch(entry="invitation"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Please open the link that you were sent")
    sound()


def test_a_personal_link_leads_to_the_same_answers_in_another_browser(page, new_page, live_server):
    batch = make_open_batch(entry="invitation")
    link = live_server.url + reverse("survey:invited", args=[batch.token, invitation_code(batch, 1)])
    page.goto(link)
    press(page, "I agree: start")
    page.locator("#pair-1 .scale__option").nth(4).click()
    expect(page.get_by_role("status")).to_have_text("Saved")
    other = new_page()
    other.goto(link)
    press(other, "Go on")
    expect(other.locator("#pair-1 input:checked")).to_have_value("5")


def test_practice_with_feedback(page, open_survey, sound):
    open_survey(page, make_open_batch(practice=True))
    page.get_by_text("Examples", exact=True).click()
    expect(page.locator("details[open] > summary")).to_have_text("Examples")
    sound()
    press(page, "I agree: start")
    expect(page.get_by_role("heading", level=1)).to_have_text("3 pairs to practise")
    sound()
    page.locator("#pair-1 .scale__option").nth(4).click()
    page.locator("#pair-2 .scale__option").nth(5).click()
    press(page, "See how we would rate them")
    expect(page.get_by_text("You said 5. So would we: 5 or 6.")).to_be_visible()
    expect(
        page.get_by_text("You said 6. We would say 2 or 3. Your rating is 3 points higher.")
    ).to_be_visible()
    sound()
    press(page, "Go on to the first questionnaire")
    expect(page.locator("[data-progress]")).to_be_visible()
    page.get_by_text("What to do", exact=True).click()
    expect(page.locator("details[open] > summary", has_text="What to do")).to_be_visible()
    sound()


def test_the_end_of_a_panel_member(page, live_server, sound):
    batch = make_open_batch(
        entry="panel", completed_code="C0DE", return_address="https://panel.example/?cc={code}", limit=1
    )
    page.goto(live_server.url + reverse("survey:join", args=[batch.token]) + "?PROLIFIC_PID=p1")
    press(page, "I agree: start")
    for pair in (1, 2, 3):
        page.locator(f"#pair-{pair} .scale__option").nth(2).click()
    press(page, "Submit")
    expect(page.get_by_text("C0DE")).to_be_visible()
    expect(page.get_by_role("link", name="Go back to the panel")).to_have_attribute(
        "href", "https://panel.example/?cc=C0DE"
    )
    sound()


def test_coming_late_leaving_and_withdrawing(page, new_page, open_survey, sound):
    batch = make_open_batch(documents=1, raters=1)
    open_survey(page, batch)
    press(page, "I agree: start")
    page.locator("#pair-1 .scale__option").nth(2).click()
    expect(page.get_by_role("status")).to_have_text("Saved")
    late = new_page()
    open_survey(late, batch)
    expect(late.get_by_text("All places are taken")).to_be_visible()
    page.get_by_role("link", name="stop whenever you like").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Do you want to leave?")
    sound()
    press(page, "Stop here")
    expect(page.get_by_role("heading", level=1)).to_have_text("You can go on whenever you like")
    sound()
    press(page, "Next questionnaire")
    expect(page.locator("#pair-1 input:checked")).to_have_value("3")
    page.get_by_role("link", name="stop whenever you like").click()
    expect(page.get_by_role("button", name="Delete my answers and withdraw")).to_be_hidden()
    page.get_by_text("I want to withdraw", exact=True).click()
    expect(page.get_by_text("Do you really want to delete all your answers?")).to_be_visible()
    sound()
    page.get_by_role("link", name="No, keep my answers").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Your questionnaire is waiting")
    page.get_by_role("link", name="Stop or withdraw").click()
    page.get_by_text("I want to withdraw", exact=True).click()
    press(page, "Delete my answers and withdraw")
    expect(page.get_by_role("heading", level=1)).to_have_text("You have withdrawn")
    sound()


def test_the_late_page(page, open_survey, sound):
    batch = make_open_batch(documents=1, raters=1)
    submit_all(make_assignment(batch))
    open_survey(page, batch)
    expect(page.get_by_text("All places are taken")).to_be_visible()
    sound()


def test_the_late_page_of_a_panel_member(page, live_server, sound):
    batch = make_open_batch(documents=1, raters=1, entry="panel", no_place_code="N0NE")
    submit_all(make_assignment(batch, rater=make_rater(batch, entry="panel")))
    page.goto(live_server.url + reverse("survey:join", args=[batch.token]) + "?PROLIFIC_PID=p1")
    expect(page.get_by_text("N0NE")).to_be_visible()
    sound()


@pytest.mark.parametrize("person", ["{{%PROLIFIC_PID%}}", "p1"])
def test_the_page_that_lets_nobody_in_by_a_panel_s_link(page, live_server, sound, person):
    batch = make_open_batch(entry="panel", contact="us@example.org")
    secret = panel_secret(batch, "p1")
    make_rater(batch, entry="panel")
    Rater.objects.update(browsers=3, key_hash=hash_key(secret))
    page.goto(live_server.url + reverse("survey:join", args=[batch.token]) + f"?PROLIFIC_PID={person}")
    expect(page.get_by_text("us@example.org")).to_be_visible()
    sound()


def test_the_staff_page(page, live_server, login, sound):
    login(page, make_user(role="admin"))
    batch = make_batch(launched=False)
    page.goto(f"{live_server.url}/batches/{batch.pk}/participation/")
    page.get_by_label("How old are you?").check()
    press(page, "Save the settings")
    expect(page.get_by_role("status")).to_have_text("Saved.")
    expect(page.get_by_label("How old are you?")).to_be_checked()
    sound()


def test_the_fields_of_a_panel_are_shown_for_panels_only(page, live_server, login, sound):
    login(page, make_user(role="admin"))
    page.goto(f"{live_server.url}/batches/{make_batch(launched=False).pk}/participation/")
    code = page.get_by_label("Code for completed")
    expect(code).to_be_hidden()
    expect(page.locator("[data-copy-source]")).to_be_visible()
    page.get_by_label("People sent by a panel").check()
    expect(code).to_be_visible()
    expect(page.locator("[data-copy-source]")).to_be_hidden()  # it would lose the ids
    page.get_by_role("link", name="Prolific").click()
    expect(page.get_by_text("Filled in for Prolific")).to_be_visible()
    expect(code).to_have_value(re.compile("[A-Z2-9]{8}"))
    sound()
    press(page, "Save the settings")
    expect(page.get_by_text("?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID")).to_be_visible()
    sound()
