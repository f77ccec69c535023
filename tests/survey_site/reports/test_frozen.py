"""Reports on a frozen batch: they cite its snapshot, wherever they go, and say what was withdrawn since."""

import html
import io
import json
import zipfile
from datetime import timedelta

import pytest
from django.urls import reverse

from meta_eval.publish.bundle import verify_bundle, write_bundle
from meta_eval.publish.methods import methods_details
from meta_eval.publish.pdf_summary import subject_lines
from survey_site.batches.services import close_batch
from survey_site.quality.freezing import freeze_batch
from survey_site.reports.bundles.content import bundle_content
from survey_site.survey.models import Rater
from survey_site.survey.rating.leaving import withdraw_rater
from tests.factories.batches import NOW
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch
from tests.factories.survey import make_assignment, submit_all

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def frozen_batch():
    batch = make_rated_batch()
    close_batch(batch=batch, now=NOW)
    freeze_batch(batch=batch, clock=lambda: NOW)
    batch.refresh_from_db()
    return batch


def text_of(client, report):
    return html.unescape(client.get(report.get_absolute_url()).content.decode())


def test_a_report_cites_the_snapshot_in_every_form(researcher_client):
    batch = frozen_batch()
    report = make_report(batch=batch)
    snapshot = batch.snapshot
    subject = report.result["subject"]
    assert (subject["snapshot_hash"], subject["frozen_at"]) == (snapshot.content_hash, NOW.isoformat())
    assert (subject["snapshot_ratings"], subject["snapshot_withdrawn"]) == (snapshot.ratings.count(), 0)
    sentence = f"The survey was frozen on 2026-03-02 ({snapshot.ratings.count()} ratings, SHA-256 "
    assert f"{sentence}{snapshot.content_hash})." in methods_details(report.read())
    assert f"Frozen on 2026-03-02, SHA-256 {snapshot.content_hash}" in list(subject_lines(report.read()))
    assert text_of(researcher_client, report).count(snapshot.content_hash) == 2


def test_the_bundle_names_the_snapshot_and_verifies():
    batch = frozen_batch()
    stream = io.BytesIO()
    write_bundle(stream, bundle_content(make_report(batch=batch)))
    assert verify_bundle(stream).differences == ()
    with zipfile.ZipFile(stream) as archive:
        name = next(name for name in archive.namelist() if name.endswith("study.json"))
        assert json.loads(archive.read(name))["snapshot_hash"] == batch.snapshot.content_hash


def test_what_is_submitted_after_the_freeze_is_in_no_bundle():
    batch = make_rated_batch(raters=3, completions=6)
    held = make_assignment(batch)
    close_batch(batch=batch, now=NOW)
    freeze_batch(batch=batch, clock=lambda: NOW)
    submit_all(held, now=NOW + HOUR)
    batch.refresh_from_db()
    report = make_report(batch=batch, now=NOW + 2 * HOUR, min_raters=2)
    assert {row["what"]: row["count"] for row in report.result["left_out"]}["surplus_questionnaires"] == 0
    stream = io.BytesIO()
    write_bundle(stream, bundle_content(report))
    with zipfile.ZipFile(stream) as archive:
        name = next(name for name in archive.namelist() if name.endswith("ratings.csv"))
        assert "surplus" not in archive.read(name).decode()


def test_a_report_says_what_was_withdrawn_since(researcher_client):
    batch = frozen_batch()
    report = make_report(batch=batch)
    assert "withdrawn since" not in text_of(researcher_client, report)
    rater = Rater.objects.filter(batch=batch).first()
    gone = rater.assignments.first().placements.count() * rater.assignments.count()
    withdraw_rater(rater=rater, now=NOW + HOUR)
    assert f"{gone} ratings withdrawn since" in text_of(researcher_client, report)
    again = make_report(batch=batch, now=NOW + HOUR, min_raters=1)
    assert again.result["subject"]["snapshot_withdrawn"] == gone
    assert f"{gone} ratings of it were withdrawn by their raters since." in methods_details(again.read())
    assert "withdrawn since</p>" not in text_of(researcher_client, again)


def test_a_report_on_a_batch_that_runs_says_it_too(researcher_client):
    batch = make_rated_batch()
    report = make_report(batch=batch)
    rater = Rater.objects.filter(batch=batch).first()
    gone = sum(row[4] == rater.code for row in report.rating_set.ratings)
    withdraw_rater(rater=rater, now=NOW + HOUR)
    assert f"{gone} ratings withdrawn since" in text_of(researcher_client, report)


def test_a_report_before_the_freeze_says_so(researcher_client):
    batch = make_rated_batch()
    report = make_report(batch=batch)
    assert "The batch is not frozen" in text_of(researcher_client, report)
    close_batch(batch=batch, now=NOW)
    freeze_batch(batch=batch, clock=lambda: NOW)
    assert "made before the batch was frozen" in text_of(researcher_client, report)


def test_the_form_recommends_to_freeze_first(researcher_client):
    batch = make_rated_batch()
    new = reverse("reports:new", query={"batch": batch.pk})
    assert b"Recommended: freeze the batch first" in researcher_client.get(new).content
    close_batch(batch=batch, now=NOW)
    freeze_batch(batch=batch, clock=lambda: NOW)
    response = researcher_client.get(new)
    assert b"Recommended" not in response.content
    assert f"{batch.name} ({batch.corpus.name}, frozen)" in html.unescape(response.content.decode())
    assert researcher_client.get(reverse("reports:new")).status_code == 200
