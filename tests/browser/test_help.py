"""Help in a real browser: its pages, and the way to it from a report, with keys alone."""

from playwright.sync_api import expect

from tests.browser.conftest import PHONE, scrolls_sideways
from tests.factories.accounts import make_user
from tests.factories.reports import make_report


def test_help_is_accessible_and_fits_a_phone(page, login, live_server, violations, problems):
    login(page, make_user(role="researcher"))
    page.set_viewport_size(PHONE)
    for path in ("/help/", "/help/exports/", "/help/glossary/"):
        page.goto(live_server.url + path)
        assert not scrolls_sideways(page)
    assert problems == []
    assert violations(page) == []


def test_on_a_phone_tables_are_read_without_scrolling(page, login, live_server, violations):
    login(page, make_user(role="researcher"))
    page.set_viewport_size(PHONE)
    for path in ("/help/blinding/", "/help/exports/", "/help/security/", "/help/performance/"):
        page.goto(live_server.url + path)
        hidden = "all => all.map(one => one.scrollWidth > one.clientWidth)"
        assert set(page.locator("main .table-scroll").evaluate_all(hidden)) == {False}
        assert violations(page) == []
    assert page.locator(".table--stack thead").first.is_hidden()  # said before each cell instead


def test_keys_alone_lead_from_a_word_of_a_report_to_its_explanation(page, login, live_server, violations):
    report = make_report()
    login(page, make_user(role="researcher"))
    page.goto(live_server.url + report.get_absolute_url())
    assert violations(page) == []
    page.get_by_role("link", name="DEGRESS", exact=True).last.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Glossary")
    expect(page.locator(":target")).to_have_text("DEGRESS")
    page.go_back()
    page.get_by_role("link", name="Help on intervals").press("Enter")
    expect(page.locator(":target")).to_contain_text("How sure")
