"""Walking through a batch as a rater in a real browser: on a phone, in Arabic, with the rater's script."""

from django.urls import reverse
from playwright.sync_api import expect

from survey_site.survey.models import Rater, Rating
from survey_site.survey.people.participation import ParticipationSettings, save_participation
from tests.browser.conftest import PHONE, scrolls_sideways
from tests.factories.accounts import make_user
from tests.factories.batches import NOW, make_batch


def test_a_draft_is_walked_through_with_the_raters_script(page, login, live_server, violations, problems):
    draft = make_batch(launched=False, languages=["en", "ar"])
    settings = ParticipationSettings(entry="panel", completed_code="C0DE", limit=1)
    save_participation(batch=draft, settings=settings, now=NOW)
    login(page, make_user())
    page.goto(live_server.url + draft.get_absolute_url())
    page.get_by_role("link", name="Walk through as a rater").click()
    page.get_by_role("link", name="Arabic").click()
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    page.set_viewport_size(PHONE)
    page.get_by_role("link", name="Questionnaire", exact=True).click()
    for pair in (1, 2, 3):
        page.locator(f"#pair-{pair} .scale__option").nth(4).click()
    expect(page.locator("[data-rated]")).to_have_text("3")
    assert problems == []
    assert not scrolls_sideways(page)
    assert violations(page) == []
    page.locator("[data-submit]").click()
    expect(page.locator(".code")).to_have_text("C0DE")
    assert violations(page) == []
    assert page.url == live_server.url + reverse("batches:walk-page", args=[draft.pk, "ar", "done"])
    assert (Rater.objects.count(), Rating.objects.count()) == (0, 0)
