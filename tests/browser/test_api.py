"""API tokens and the reference of the API in a real browser: wide, on a phone, as axe sees them."""

import pytest
from drf_spectacular.generators import SchemaGenerator
from playwright.sync_api import expect

from survey_site.api import reference_views
from tests.browser.conftest import PHONE, scrolls_sideways
from tests.factories.accounts import make_user
from tests.factories.api import Program


@pytest.fixture
def at(page, login, live_server):
    """Open a page as a researcher."""
    login(page, make_user(username="rita", role="researcher"))
    return lambda path: page.goto(live_server.url + path)


def test_a_token_is_made_used_and_revoked(page, at, problems):
    at("/accounts/you/")
    page.get_by_role("link", name="API tokens").click()
    page.get_by_label("Name").fill("notebook")
    page.get_by_label("read: Read corpora").check()
    expect(page.get_by_label("batches: Plan")).to_have_count(0)
    page.get_by_role("button", name="Make the token").click()
    secret = page.locator("pre code").inner_text()
    assert Program(secret).get("batches/").status_code == 200
    at("/accounts/you/tokens/")
    expect(page.get_by_text(secret)).to_have_count(0)
    page.get_by_role("button", name="Revoke").click()
    expect(page.get_by_text("works no more")).to_be_visible()
    assert Program(secret).get("batches/").status_code == 401
    assert problems == []


@pytest.fixture
def _few(monkeypatch):
    """Two addresses: axe takes long for a page with all."""
    whole = SchemaGenerator().get_schema(request=None, public=True)
    few = {path: whole["paths"][path] for path in ("/api/v1/batches/", "/api/v1/corpora/")}
    monkeypatch.setattr(reference_views, "_schema", lambda: {**whole, "paths": few})


@pytest.mark.usefixtures("_few")
@pytest.mark.parametrize("path", ["/accounts/you/tokens/", "/api/v1/"])
def test_the_pages_are_read_wide_and_on_a_phone(page, at, violations, problems, path):
    at(path)
    assert scrolls_sideways(page) is False
    page.set_viewport_size(PHONE)
    assert (scrolls_sideways(page), problems) == (False, [])
    assert violations(page) == []


@pytest.mark.usefixtures("_few")
def test_a_link_of_the_contents_unfolds_the_operation_it_leads_to(page, at):
    at("/api/v1/")
    contents = page.get_by_role("navigation", name="Operations")
    operations = page.locator("details:has([id])")
    expect(operations.locator("visible=true")).to_have_count(4)
    expect(page.locator("details[open]")).to_have_count(0)
    contents.get_by_role("link", name="Import a corpus").click()
    expect(page.locator("details[open] summary")).to_have_text("Import a corpus POST /api/v1/corpora/")
    expect(page.locator("#import_corpus")).to_be_in_viewport()
    expect(contents).to_be_in_viewport()
