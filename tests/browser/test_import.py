"""Importing a corpus in a browser: refused with its faults, broken off, then stored."""

import pytest
from django.contrib.staticfiles import finders
from playwright.sync_api import expect

from tests.browser.conftest import PHONE, resize, scrolls_sideways


@pytest.fixture
def importing(page, login, researcher, live_server):
    login(page, researcher)
    page.goto(f"{live_server.url}/corpora/import/")
    return page


def send(page, file):
    page.get_by_label("JSONL file, or a table").set_input_files(file)
    page.get_by_role("button", name="Import").click()


def test_a_corpus_is_imported_after_its_fault_is_mended_and_the_line_was_lost(
    importing, violations, problems, tmp_path
):
    page, broken = importing, tmp_path / "broken.jsonl"
    broken.write_text('{"doc_id": "d1" "doc_text": "Rain."}\n')
    send(page, broken)
    expect(page.get_by_role("cell", name='a comma is missing after "d1"')).to_be_visible()
    assert page.evaluate("document.activeElement.id") == "content"
    page.get_by_label("PENS").check()  # the form that came with the faults is alive
    expect(page.get_by_label("News file")).to_be_visible()
    page.get_by_label("One file").check()
    refused = "Failed to load resource: the server responded with a status of 422 (Unprocessable Entity)"
    assert problems == [refused]
    resize(page, PHONE)
    assert violations(page) == []
    assert not scrolls_sideways(page)

    page.route("**/corpora/import/", lambda route: route.abort())
    send(page, finders.find("samples/corpus.csv"))
    expect(page.get_by_role("status")).to_contain_text("nothing was stored: the connection broke")
    page.unroute("**/corpora/import/")
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_text("“corpus” was imported.")).to_be_visible()
    expect(page.get_by_text("English (en): 2 documents")).to_be_visible()
    assert not scrolls_sideways(page)


def test_while_files_are_on_their_way_a_bar_shows_it_and_nothing_is_sent_twice(importing):
    held = []
    importing.route("**/corpora/import/", lambda route: held.append(route))  # noqa: PLW0108  # a builtin takes no attributes
    send(importing, finders.find("samples/corpus.csv"))
    expect(importing.get_by_role("button", name="Importing…")).to_have_attribute("aria-disabled", "true")
    expect(importing.get_by_role("progressbar", name="Upload")).to_be_visible()
    importing.get_by_role("button", name="Importing…").click(force=True)
    expect(importing.get_by_role("status")).to_have_text("Sending the files. Keep this page open.")
    assert len(held) == 1
    held[0].continue_()
    expect(importing.get_by_text("“corpus” was imported.")).to_be_visible()


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"status": 413, "content_type": "text/plain", "body": "no"}, "too large (status 413)"),
        (
            {"status": 502, "content_type": "text/html", "body": "<h1>Bad Gateway</h1>"},
            "status 502 and no page",
        ),
    ],
)
def test_an_answer_that_is_no_page_leaves_the_form_with_what_it_means(importing, answer, told):
    importing.route("**/corpora/import/", lambda route: route.fulfill(**answer))
    send(importing, finders.find("samples/corpus.csv"))
    expect(importing.get_by_role("status")).to_contain_text(told)
    expect(importing.get_by_role("button", name="Import")).to_have_attribute("aria-disabled", "false")
    importing.unroute("**/corpora/import/")


def test_a_connection_that_breaks_after_all_was_sent_may_have_stored_it(importing):
    importing.evaluate(
        """() => { XMLHttpRequest.prototype.send = function () {
            this.upload.dispatchEvent(new ProgressEvent("load"));
            setTimeout(() => this.dispatchEvent(new ProgressEvent("error")));
        }; }"""
    )
    send(importing, finders.find("samples/corpus.csv"))
    expect(importing.get_by_role("status")).to_contain_text("They may have been stored: look at the list")


def test_faults_are_shown_where_the_address_has_a_fragment(importing, tmp_path):
    importing.goto(f"{importing.url}#content")
    broken = tmp_path / "broken.jsonl"
    broken.write_text("{\n")
    send(importing, broken)
    expect(importing.get_by_text("Nothing was imported")).to_be_visible()
