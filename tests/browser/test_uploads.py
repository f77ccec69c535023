"""Uploading ratings in a browser: refused with every fault, then stored, readable on a phone."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from tests.browser.conftest import PHONE, resize, scrolls_sideways
from tests.factories.reports import make_report
from tests.factories.scoring import make_scored_corpus
from tests.survey_site.uploads.examples import plain_rows, upload, write_rows

WIDE = {"width": 1280, "height": 900}


def check_at_both_widths(page, violations):
    for size in (PHONE, WIDE):
        resize(page, size)
        assert violations(page) == []
        assert not scrolls_sideways(page)


@pytest.fixture
def planning(page, login, admin):
    """The page of an admin."""
    login(page, admin)
    return page


@pytest.fixture
def files(tmp_path):
    """A file with one fault, and the same one mended."""
    faulty, rows = plain_rows(), plain_rows()
    faulty[0]["rating"] = 9
    return write_rows(tmp_path / "faulty.csv", faulty), write_rows(tmp_path / "ratings.csv", rows)


def test_ratings_are_uploaded_after_their_faults_are_mended(
    planning, live_server, violations, problems, files
):
    page, (bad, good), corpus = planning, files, make_scored_corpus()
    page.goto(live_server.url + corpus.get_absolute_url())
    page.get_by_role("link", name="Upload ratings").click()
    expect(page.get_by_role("heading", name="Upload ratings")).to_be_visible()
    assert problems == []  # before axe, which loads more than the content policy lets it
    check_at_both_widths(page, violations)

    page.get_by_label("File of ratings").set_input_files(bad)
    page.get_by_label("Similarity: 1 is low").check()
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_text("Nothing was imported: 1 fault in the files")).to_be_visible()
    check_at_both_widths(page, violations)

    page.get_by_label("File of ratings").set_input_files(good)
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("heading", name="What the file holds")).to_be_visible()
    page.get_by_text("Source and scale").click()
    expect(page.get_by_text("Positions and sides")).to_be_visible()
    check_at_both_widths(page, violations)

    page.get_by_role("link", name="Quality", exact=True).click()
    expect(page.get_by_role("heading", name="Quality of the ratings")).to_be_visible()
    check_at_both_widths(page, violations)

    page.goto(live_server.url + reverse("batches:list"))
    expect(page.get_by_role("link", name="ratings", exact=True)).to_be_visible()
    check_at_both_widths(page, violations)


def test_a_report_and_the_page_that_freezes_name_the_file(planning, live_server, violations, files):
    page, batch = planning, upload(files[1], make_scored_corpus()).batch
    page.goto(live_server.url + make_report(batch=batch).get_absolute_url())
    expect(page.get_by_text("Source of the ratings")).to_be_visible()
    check_at_both_widths(page, violations)
    page.goto(live_server.url + reverse("quality:freeze", args=[batch.pk]))
    expect(page.get_by_text("uploads another file")).to_be_visible()
    check_at_both_widths(page, violations)
