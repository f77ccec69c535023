"""Reports on uploaded ratings: the numbers of the ratings, however these came, and their source named."""

import html
import io
import json
import zipfile

import pytest

from meta_eval.publish.bundle import verify_bundle, write_bundle
from meta_eval.publish.heds import datasheet_markdown
from meta_eval.publish.methods import methods_details
from meta_eval.publish.pdf_summary import subject_lines
from meta_eval.ratings.responses import write_responses
from survey_site.reports.bundles.content import bundle_content, report_datasheet
from survey_site.reports.models import Report
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch, make_scored_corpus
from tests.survey_site.uploads.examples import export_ratings, plain_rows, read, upload, write_rows

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("made_once")]
SCORES = ("leaderboard", "correlations")


def scores(report):
    return {name: report.result[name] for name in SCORES}


def text_of(client, report):
    return html.unescape(client.get(report.get_absolute_url()).content.decode())


@pytest.fixture(scope="module")
def made_once(make_once, tmp_path_factory):
    """The report on ratings of a file."""
    path = write_rows(tmp_path_factory.mktemp("uploaded") / "ours.csv", plain_rows())
    return make_once(lambda: make_report(batch=upload(path, make_scored_corpus()).batch))


@pytest.fixture
def report(made_once, db):
    return Report.objects.get(pk=made_once.pk)


@pytest.fixture
def database(tmp_path):
    """The same ratings as the papers' app keeps them, uploaded."""
    corpus = make_scored_corpus()
    file = read(write_rows(tmp_path / "r.csv", plain_rows()), corpus)
    write_responses([row.rating for row in file.rows], tmp_path / "survey.db")
    return upload(tmp_path / "survey.db", corpus).batch


def test_an_export_uploaded_again_gives_the_same_numbers(tmp_path):
    batch = make_rated_batch()
    path = export_ratings(batch, tmp_path / "export.csv")
    first, again = make_report(batch=batch), make_report(batch=upload(path, batch.corpus).batch)
    assert scores(again) == scores(first)
    assert any(row["value"] is not None for row in first.result["leaderboard"])
    assert again.result["ratings"]["raters"] == first.result["ratings"]["raters"]
    assert again.result["plan"] == first.result["plan"]


def test_the_app_s_database_gives_the_same_numbers(tmp_path):
    batch = make_rated_batch()
    file = read(export_ratings(batch, tmp_path / "export.csv"), batch.corpus)
    write_responses([row.rating for row in file.rows], tmp_path / "survey.db")
    again = make_report(batch=upload(tmp_path / "survey.db", batch.corpus).batch)
    assert scores(again) == scores(make_report(batch=batch))


def test_every_form_of_a_report_names_the_file(report, researcher_client):
    subject, file_hash = report.result["subject"], report.batch.upload.content_hash
    assert (subject["source_file"], subject["source_hash"], subject["seed"]) == ("ours.csv", file_hash, None)
    page = text_of(researcher_client, report)
    assert 'uploaded on 2026-03-02 from <span class="mono">ours.csv</span>, SHA-256 ' in page
    assert "The wording of the question is not known." in page
    methods = methods_details(report.read())
    assert "collected elsewhere and uploaded on 2026-03-02 from ours.csv." in methods
    assert f"The file of the ratings has the SHA-256 hash {file_hash}." in methods
    assert "They rated 12 pairs of texts on 3 documents" in methods
    assert "2 raters completed 6 questionnaires" in methods
    assert "planned" not in methods
    assert f"Collected elsewhere, uploaded from ours.csv, SHA-256 {file_hash}" in list(
        subject_lines(report.read())
    )


def test_a_report_counts_no_raters_where_the_file_has_none(database, researcher_client):
    report = make_report(batch=database)
    assert "Raters, whose number is not known, gave 24 ratings" in methods_details(report.read())
    assert '<dt class="stat__label">raters' not in text_of(researcher_client, report)
    assert [one.answer for one in report_datasheet(report) if one.question.number == "3.2.1"] == [None]


def test_the_bundle_verifies_and_invents_nothing(report):
    stream = io.BytesIO()
    write_bundle(stream, bundle_content(report))
    assert verify_bundle(stream).differences == ()
    with zipfile.ZipFile(stream) as archive:
        files = {name.rpartition("/")[2]: archive.read(name).decode() for name in archive.namelist()}
    study, plan = json.loads(files["study.json"]), json.loads(files["plan.json"])
    assert (study["source_file"], "claim_minutes" in study, "entry" in study) == ("ours.csv", False, False)
    assert (plan["seed"], plan["options"]) == (None, {})
    first = files["ratings.csv"].splitlines()[1].split(",")
    assert first[6:] == ["1", "", "", "false", "", "submitted", "", ""]
    pages = files["questionnaires.csv"].splitlines()[1:]
    assert (len(pages), {page.partition("submitted,")[2] for page in pages}) == (6, {","})


def test_the_datasheet_claims_nothing_of_pages_that_nobody_saw(report):
    written = datasheet_markdown(report_datasheet(report))
    assert "Concord" not in written
    assert "drawn at random" not in written
    assert "link" not in written
