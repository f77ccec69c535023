"""A study's results in a browser: refused with every fault, then shown, taken away and deleted."""

import json

import pytest
from playwright.sync_api import expect

from tests.browser.test_uploads import check_at_both_widths
from tests.factories.studies import study_archive
from tests.factories.user_results import TRAIL, study_labels, study_texts


@pytest.fixture
def start(page, login, researcher, live_server):
    """The page of a researcher, and where the site is."""
    login(page, researcher)
    return page, live_server.url


@pytest.fixture
def files(tmp_path):
    """By name: an archive with a wrong score, the right one, labels and a trail."""
    scores = json.loads(study_texts()["scores.json"])
    scores[0]["qm"] = 0.125
    wrong = {**study_texts(), "scores.json": json.dumps(scores)}
    content = {
        "wrong.zip": study_archive(wrong),
        "scores.zip": study_archive(),
        "labels.csv": study_labels(),
        "trail.jsonl": TRAIL,
    }
    for name, data in content.items():
        (tmp_path / name).write_bytes(data)
    return {name: tmp_path / name for name in content}


def test_results_are_uploaded_read_taken_away_and_deleted(start, violations, problems, files):
    page, site = start
    page.goto(f"{site}/reports/")
    page.get_by_role("link", name="Studies of summaries of users").click()
    expect(page.get_by_text("No study yet")).to_be_visible()
    page.get_by_role("link", name="Upload results").click()
    page.get_by_label("Name").fill("Films, first run")
    page.get_by_label("Results").set_input_files(files["wrong.zip"])
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_text("Nothing was imported: 1 fault in the files")).to_be_visible()
    expect(page.get_by_text("plain: qm is 0.125; quality.jsonl gives")).to_be_visible()

    page.get_by_label("Results").set_input_files(files["scores.zip"])
    page.get_by_label("People’s labels").set_input_files(files["labels.csv"])
    page.get_by_label("How summaries came about").set_input_files(files["trail.jsonl"])
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_text("“Films, first run” is stored.")).to_be_visible()
    expect(page.get_by_role("region", name="Approaches on the same users")).to_be_visible()
    page.locator("summary", has_text="Ada, plain").click()
    expect(page.get_by_text("Summary: Likes rain.")).to_be_visible()
    assert not [one for one in problems if "422" not in one]  # before axe, which loads more than it may
    with page.expect_download() as taken:
        page.get_by_role("link", name="quality.jsonl").click()
    assert taken.value.path().read_text() == study_texts()["quality.jsonl"]
    check_at_both_widths(page, violations)
    address = page.url
    for other in ("/studies/", "/studies/upload/"):
        page.goto(site + other)
        check_at_both_widths(page, violations)
    page.goto(address)

    page.locator("details.menu > summary").click()
    page.get_by_role("link", name="Delete …").click()
    page.get_by_label("Type the name of the study").fill("Films, first run")
    page.get_by_role("button", name="Delete the study").click()
    expect(page.get_by_text("“Films, first run” is deleted.")).to_be_visible()
    expect(page.get_by_text("No study yet")).to_be_visible()
