"""A real Chromium against a real server with its own threads and connections.

A click returns before the page it leads to is there, and before the server has stored what it sends. So a
test first waits, by an `expect` of something that only the result shows, and then reads the page or the
database. What it waits for can be there before the page's styles are: a test that reads places, sizes or
styles after a click calls `wait_until_loaded` too.
"""

import os
import shutil

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import get_resolver, reverse
from playwright.sync_api import expect, sync_playwright

# Playwright keeps an event loop in the test's thread, which Django otherwise takes for asynchronous code.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")

# Nothing waits so long where all is well: it is for machines that are busy with something else.
TIMEOUT_MS = 30_000
expect.set_options(timeout=TIMEOUT_MS)
PHONE = {"width": 360, "height": 740}
CHROMIUM_ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.is_relative_to(os.path.dirname(__file__)):
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.django_db(transaction=True))


@pytest.fixture(scope="session")
def loaded_site():
    """The first request loads all code of the site, which on a busy machine takes longer than a page may."""
    return get_resolver().url_patterns


@pytest.fixture(scope="module")
def browser(loaded_site):
    """The system's Chromium where there is one, else the one that playwright brings."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=CHROMIUM_ARGS)
        yield browser
        browser.close()


@pytest.fixture
def new_page(browser):
    """Open a page as another person would: nothing of it is shared, and nothing of it outlives the test."""
    contexts = []

    def open_page(**options):
        context = browser.new_context(**options)
        contexts.append(context)
        context.set_default_timeout(TIMEOUT_MS)
        return context.new_page()

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def page(new_page):
    return new_page()


@pytest.fixture
def problems(page):
    """What the page complained about: errors in scripts and what the content policy refused."""
    found = []
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("console", lambda message: found.append(message.text) if message.type == "error" else None)
    return found


@pytest.fixture
def open_survey(live_server):
    """Open the raters' page of a batch."""

    def open_in(page, batch):
        page.goto(live_server.url + reverse("survey:join", args=[batch.token]))

    return open_in


@pytest.fixture
def login(live_server, client):
    """Log a user in without the form."""

    def log_in(page, user):
        client.force_login(user)
        cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}
        page.context.add_cookies([cookie])

    return log_in


@pytest.fixture
def violations():
    """Accessibility violations of the page as it is once it has loaded, as axe words them."""
    axe = Axe()

    def check(page):
        wait_until_loaded(page)
        return [
            f"{one['id']}: {one['help']} {[node['target'] for node in one['nodes']]}"
            for one in axe.run(page).response["violations"]
        ]

    return check


def wait_until_loaded(page):
    """Wait for the document, its styles and its scripts. After a click, first expect the new page."""
    page.wait_for_load_state("load")
    expect(page.locator("body")).to_be_visible()
    # The monitor comes without its slowest numbers. It asks for them by itself, and then for the rest anew.
    # It leaves what somebody uses as it is: wait until it has tried, not until it has replaced everything.
    if page.locator("[data-refresh-at-once]").count():
        expect(page.locator("[data-refresh]:not([data-tried])")).to_have_count(0)


def open_menu(page):
    """The menu of what can be done with a batch."""
    page.locator("details.menu > summary").click()


def tab_to(page, condition):
    """Press Tab until what has the focus is as the condition in JavaScript says."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate(condition):
            return
    raise AssertionError(f"Tab never leads to where {condition}")


def resize(page, size):
    page.set_viewport_size(size)
    expect(page.locator("html")).to_have_js_property("clientWidth", size["width"])


def scrolls_sideways(page):
    """Whether the page, once it has loaded, is wider than its window."""
    wait_until_loaded(page)
    return page.locator("html").evaluate("root => root.scrollWidth > root.clientWidth")
