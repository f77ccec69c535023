"""A whole study by keyboard alone: as the admin who runs it, and as a rater who takes part."""

from playwright.sync_api import expect

from survey_site.batches.models import Batch
from survey_site.batches.services import launch_batch
from survey_site.survey.models import Rating
from survey_site.survey.people.participation import ParticipationSettings, save_participation
from tests.browser.conftest import tab_to, wait_until_loaded
from tests.factories.accounts import make_user
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus

PASSWORD = "quite another 42 words"


NAME = """(one => (one.labels?.[0]?.innerText || one.innerText || "").trim())"""


def go_to(page, words):
    """Tab to the link, button, tick or field whose words begin so."""
    tab_to(page, f"{NAME}(document.activeElement).startsWith({words!r})")


def press(page, words, key="Enter"):
    go_to(page, words)
    page.keyboard.press(key)


def titled(page, words):
    expect(page.get_by_role("heading", level=1)).to_have_text(words)
    wait_until_loaded(page)


def test_an_admin_plans_launches_watches_and_closes_a_study(page, live_server, problems):
    make_user(username="ada", password=PASSWORD, role="admin")
    make_corpus(name="Stories", documents=3, systems=5)
    page.goto(f"{live_server.url}/accounts/login/")
    expect(page.get_by_label("Username")).to_be_focused()
    page.keyboard.type("ada")
    tab_to(page, "document.activeElement.type === 'password'")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    titled(page, "Where things stand")
    press(page, "Plan a batch")
    expect(page.get_by_role("radio", name="Stories")).to_be_checked()
    press(page, "Go on")
    expect(page.get_by_label("How many documents")).to_be_visible()
    go_to(page, "Name")
    page.keyboard.type("Pilot")
    press(page, "Save the draft")
    titled(page, "Pilot Draft")
    press(page, "Taking part")
    titled(page, "Taking part")
    press(page, "A short practice", "Space")
    press(page, "Save the settings")
    wait_until_loaded(page)
    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(page.get_by_label("A short practice before the first questionnaire")).to_be_checked()
    press(page, "Plan")
    titled(page, "Pilot Draft")
    press(page, "Launch …")
    titled(page, "Launch “Pilot”?")
    press(page, "I have read the", "Space")
    press(page, "Launch")
    titled(page, "Pilot Live")
    press(page, "Actions")
    press(page, "Close …")
    titled(page, "Close “Pilot”?")
    press(page, "Close the batch")
    titled(page, "Pilot Closed")
    assert (Batch.objects.get().is_closed, problems) == (True, [])


def test_a_rater_agrees_answers_practises_rates_and_gets_the_code(page, live_server, problems):
    batch = make_batch(launched=False)
    settings = ParticipationSettings(
        entry="panel",
        panel_parameter="ID",
        completed_code="D0NE",
        limit=1,
        practice=True,
        questions=("gender",),
    )
    save_participation(batch=batch, settings=settings, now=NOW)
    launch_batch(batch=batch, now=NOW)
    page.goto(f"{live_server.url}/s/{batch.token}/?ID=p1")
    press(page, "I agree")
    titled(page, "Before you start: about you")
    press(page, "Prefer not to say", "Space")
    press(page, "Go on")
    titled(page, "3 pairs to practise")
    rate(page, "524")
    press(page, "See how we would rate them")
    expect(page.get_by_text("Go on to the first questionnaire")).to_be_visible()
    wait_until_loaded(page)
    press(page, "Go on to the first questionnaire")
    expect(page.locator("[data-progress]")).to_be_visible()
    wait_until_loaded(page)
    rate(page, "135")
    press(page, "Submit")
    expect(page.locator(".code")).to_have_text("D0NE")
    assert sorted(Rating.objects.values_list("value", flat=True)) == [1, 3, 5]
    assert problems == []


def rate(page, values):
    """Tab from pair to pair, and press a digit in each."""
    for pair, value in enumerate(values, start=1):
        tab_to(page, f"document.activeElement.matches('#pair-{pair} input[type=radio]')")
        page.keyboard.press(value)
