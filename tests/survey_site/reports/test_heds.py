"""The human evaluation datasheet of a report on the site."""

import io
import json
import zipfile
from datetime import timedelta

import pytest
from django.urls import reverse

from survey_site.survey.participation import save_consent_text
from tests.factories.batches import NOW
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch

pytestmark = pytest.mark.django_db


def sheet(client, report, name="datasheet"):
    response = client.get(reverse(f"reports:{name}", args=[report.pk]))
    assert response.status_code == 200
    return response.content.decode()


def test_the_sheet_says_what_the_survey_and_its_report_know(admin_client):
    report = make_report()
    batch, found = report.batch, sheet(admin_client, report)
    assert f"Survey “{batch.name}” on the corpus “{batch.corpus.name}”" in found
    assert f"(seed {batch.seed})" in found
    assert f"(1: {batch.low_label}, 6: {batch.high_label})" in found
    assert f"kept for {batch.claim_minutes} minutes" in found
    assert f"\n> {report.result['ratings']['raters']}\n" in found
    fields = json.loads(sheet(admin_client, report, "datasheet-json"))
    place = "heds-criteria-criterion-response_elicitation-verbatim_question"
    assert fields[place]["data"] == {"Similarity": batch.question}


def test_the_bundle_holds_the_sheet_and_the_texts_that_people_agreed_to_until_then(admin_client):
    batch = make_rated_batch()
    save_consent_text(batch=batch, text="I take part of my own will.", now=NOW - timedelta(days=1))
    report = make_report(batch=batch)
    save_consent_text(batch=batch, text="Another text.", now=NOW + timedelta(days=1000))
    content = admin_client.get(reverse("reports:bundle", args=[report.pk])).getvalue()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        study = json.loads(archive.read("study.json"))
        assert archive.read("datasheet.md").decode() == sheet(admin_client, report)
    assert [text["version"] for text in study["consent"]] == [1, 2]
    assert study["consent"][1]["text"] == "I take part of my own will."
    assert "“I take part of my own will.”" in sheet(admin_client, report)
