"""The second step in a real browser, on a phone: set up by keys, logged in with, recovered by a code."""

import re
import time

from playwright.sync_api import expect

from tests.browser.conftest import PHONE, scrolls_sideways
from tests.factories.accounts import make_user
from tests.factories.second_step import App

PASSWORD = "quite another 42 words"


def test_from_setting_it_up_to_logging_in_by_a_recovery_code(page, login, live_server, problems, violations):
    page.set_viewport_size(PHONE)
    login(page, make_user(username="ada", role="admin", password=PASSWORD))
    page.goto(f"{live_server.url}/accounts/you/")
    page.get_by_role("link", name="Set it up").click()
    picture = page.get_by_role("img", name="QR code of the secret below").locator("svg").bounding_box()
    assert picture["width"] == picture["height"] > 200
    assert not scrolls_sideways(page)
    assert problems == []
    app = App.typed(page.locator("code.secret").inner_text())
    app.at = time.time()
    page.get_by_label("Your password").focus()
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Tab")
    page.keyboard.type(app.code())
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("The second step is on")
    codes = page.locator(".recovery-codes code").all_inner_texts()
    assert not scrolls_sideways(page)
    assert violations(page) == []
    page.get_by_role("link", name="I have kept them").click()
    page.get_by_role("link", name="Recovery codes, switching off").click()
    expect(page.get_by_text("You have 10 recovery codes left")).to_be_visible()
    assert not scrolls_sideways(page)

    page.context.clear_cookies()
    page.goto(f"{live_server.url}/batches/")
    page.get_by_label("Username").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_label("Code")).to_be_focused()
    page.keyboard.type("not a code")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Please check what you entered")
    assert not scrolls_sideways(page)
    page.get_by_label("Code").fill(codes[0])
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/batches/$"))


def test_the_page_that_sets_it_up_is_accessible(page, login, live_server, violations):
    login(page, make_user())
    page.goto(f"{live_server.url}/accounts/you/second-step/")
    assert violations(page) == []
