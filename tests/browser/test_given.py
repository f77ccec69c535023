"""Distances from outside in a browser: refused with every fault, then stored, listed and removed."""

import pytest
from playwright.sync_api import expect

from survey_site.corpus.queries import load_corpus
from tests.browser.test_uploads import check_at_both_widths
from tests.factories.given import distances_table
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch


@pytest.fixture
def files(tmp_path):
    """A corpus that people rated, a table with one fault, and the same one mended."""
    batch = make_rated_batch()
    table = distances_table(load_corpus(batch.corpus))
    bad, good = tmp_path / "faulty.csv", tmp_path / "mine.csv"
    bad.write_bytes(table + b"a,b,-1\n")
    good.write_bytes(table)
    return batch, bad, good


@pytest.fixture
def start(page, login, admin, live_server):
    """The page of an admin, and where the site is."""
    login(page, admin)
    return page, live_server.url


def test_distances_are_uploaded_used_and_removed(start, violations, problems, files):
    (page, site), (batch, bad, good) = start, files
    page.goto(site + batch.corpus.get_absolute_url())
    page.get_by_role("link", name="Distances from outside").click()
    expect(page.get_by_text("This corpus has none yet.")).to_be_visible()
    page.get_by_role("link", name="Upload distances").click()
    expect(page.get_by_role("heading", name="Upload distances")).to_be_visible()
    assert problems == []  # before axe, which loads more than the content policy lets it
    page.get_by_label("Name").fill("mine")
    page.get_by_label("Files of distances").set_input_files(bad)
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_text("Nothing was imported: 1 fault in the files")).to_be_visible()
    check_at_both_widths(page, violations)

    page.get_by_label("Files of distances").set_input_files(good)
    page.get_by_role("button", name="Upload").click()
    expect(
        page.get_by_text("“mine” is a measure and a surrogate of reports on this corpus now.")
    ).to_be_visible()
    check_at_both_widths(page, violations)

    report = make_report(batch=batch, measures=["mine"], surrogates=["mine"], built=False)
    page.get_by_role("link", name="Remove mine").click()
    expect(page.get_by_role("link", name=f"Report {report.pk} on")).to_be_visible()
    check_at_both_widths(page, violations)
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_text("The reports that rest on them keep them.")).to_be_visible()
    expect(page.get_by_text("This corpus has none yet.")).to_be_visible()
