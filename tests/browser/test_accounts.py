"""Accounts and notices in a real browser: by keys alone, without scripts, on a phone, as axe sees them."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from survey_site.accounts.links import invite
from survey_site.accounts.models import User
from survey_site.notices.models import NoticeKind
from survey_site.notices.services import notify
from tests.browser.conftest import PHONE, scrolls_sideways
from tests.factories.accounts import make_project, make_user
from tests.factories.batches import make_batch

PASSWORD = "quite another 42 words"


@pytest.fixture
def ada():
    return make_user(username="ada", role="admin")


@pytest.fixture
def admin_at(page, login, live_server, ada):
    """Open a page as an admin; gives the site's address."""
    login(page, ada)

    def open_at(path):
        page.goto(live_server.url + path)
        return live_server.url

    return open_at


def test_an_admin_invites_by_keys_and_the_invited_person_needs_no_scripts(
    page, new_page, admin_at, violations, problems
):
    site = admin_at("/accounts/")
    page.get_by_label("Name", exact=True).focus()
    page.keyboard.type("Nina")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type("Aud")  # the choice that begins so
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Hand this link to Nina")
    assert problems == []
    assert violations(page) == []
    link = page.get_by_role("textbox").input_value()

    plain = new_page(java_script_enabled=False)
    plain.goto(link)
    assert plain.url == f"{site}/accounts/link/"
    plain.get_by_label("User name").fill("nina")
    plain.get_by_label("Password", exact=True).fill(PASSWORD)
    plain.get_by_label("Password again").fill(PASSWORD)
    plain.get_by_role("button", name="Make the account").click()
    expect(plain.get_by_role("status")).to_have_text("Your password is set. Log in as nina.")
    assert User.objects.get(username="nina").role == "auditor"


def test_the_pages_of_accounts_and_notices_fit_a_phone(page, admin_at, problems, ada):
    notify(kind=NoticeKind.COMPLETE, batch=make_batch(), key="1", now=timezone.now() + timedelta(seconds=1))
    page.set_viewport_size(PHONE)
    for path in ("/accounts/", f"/accounts/people/{ada.pk}/", "/accounts/you/", "/notices/"):
        admin_at(path)
        assert not scrolls_sideways(page)
    bell = page.get_by_role("link", name="Notices: 1 new")
    page.get_by_role("link", name="All of “Pilot” is rated").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Pilot")
    expect(bell).to_have_count(0)
    assert problems == []


@pytest.mark.parametrize("path", ["/accounts/", "/accounts/you/", "/notices/"])
def test_the_pages_are_accessible(page, admin_at, violations, ada, path):
    invite(name="Nina", email="", role="auditor", by=ada, now=timezone.now())
    notify(kind=NoticeKind.COMPLETE, batch=make_batch(), key="1", now=timezone.now() + timedelta(seconds=1))
    admin_at(path)
    assert violations(page) == []


def test_a_project_is_chosen_by_keys_without_scripts_and_on_a_phone(
    new_page, live_server, login, violations, ada
):
    spring, autumn = (make_batch(name=f"{name} batch") for name in ("Spring", "Autumn"))
    for batch, name in ((spring, "Spring"), (autumn, "Autumn")):
        batch.corpus.project = make_project(name)
        batch.corpus.save()
    plain, phone = new_page(java_script_enabled=False), new_page(viewport=PHONE)
    for page in (plain, phone):
        login(page, ada)
        page.goto(f"{live_server.url}/batches/")
        summary = page.locator("details.switch > summary")
        summary.focus()
        page.keyboard.press("Enter")
        autumn_button = page.get_by_role("button", name="Autumn")
        expect(autumn_button).to_be_visible()
        if page is phone:
            assert violations(page) == []
            assert not scrolls_sideways(page)
            page.keyboard.press("Escape")
            expect(autumn_button).to_be_hidden()
            page.keyboard.press("Enter")
        autumn_button.focus()
        page.keyboard.press("Enter")
        expect(summary).to_have_text("Autumn")
        expect(page).to_have_url(f"{live_server.url}/batches/")
        expect(page.get_by_role("link", name="Autumn batch")).to_be_visible()
        expect(page.get_by_role("link", name="Spring batch")).to_have_count(0)
