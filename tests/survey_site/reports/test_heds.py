"""The human evaluation datasheet of a report on the site."""

import io
import json
import zipfile
from datetime import timedelta

import pytest
from django.urls import reverse

from meta_eval.publish.bundle import verify_bundle
from survey_site.corpus.models import Corpus
from survey_site.quality.services import exclude_rater
from survey_site.survey.people.participation import save_consent_text
from tests.factories.batches import NOW
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("made_once")]


def sheet(client, report, name="datasheet.md"):
    response = client.get(reverse("reports:file", args=[report.pk, name]))
    assert response.status_code == 200
    return response.content.decode()


def test_the_sheet_says_what_the_survey_and_its_report_know(admin_client, report):
    batch, found = report.batch, sheet(admin_client, report)
    assert f"Survey “{batch.name}” on the corpus “{batch.corpus.name}”" in found
    assert f"(seed {batch.seed})" in found
    assert f"(1: {batch.low_label}, 6: {batch.high_label})" in found
    assert f"kept for {batch.claim_minutes} minutes" in found
    assert f"\n> {report.result['ratings']['raters']}\n" in found
    fields = json.loads(sheet(admin_client, report, "datasheet.json"))
    place = "heds-criteria-criterion-response_elicitation-verbatim_question"
    assert fields[place]["data"] == {"Similarity": batch.question}


def test_control_pairs_and_how_they_were_rated_are_in_sheet_methods_and_bundle(admin_client):
    batch = make_rated_batch(identical_share=100, unrelated_share=34)
    report = make_report(batch=batch)
    completed = report.result["ratings"]["completions"]
    note = (
        "Attention checks among the pairs, which enter no score: 3 identical (one text twice) and "
        f"1 unrelated (texts on two documents); {completed} of {completed} identical pairs rated below 5, "
        "0 of 2 unrelated pairs rated above 3, as no careful rater does"
    )
    assert report.result["notes"].count(note) == 1
    assert sheet(admin_client, report).count(note) == 2
    assert f"{note}." in sheet(admin_client, report, "details.md")
    content = admin_client.get(reverse("reports:bundle", args=[report.pk])).getvalue()
    assert verify_bundle(io.BytesIO(content)).is_sound


def test_what_is_excluded_says_nothing_of_the_controls(admin_client):
    batch = make_rated_batch(identical_share=100)
    rater = batch.people.order_by("pk").first()
    given = rater.assignments.filter(state="submitted").count()
    exclude_rater(rater=rater, reason="bots", by=None, now=NOW)
    report = make_report(batch=batch, min_raters=1)
    assert f"; {6 - given} of {6 - given} identical pairs rated below 5" in sheet(admin_client, report)


def test_a_survey_without_controls_does_not_speak_of_them(admin_client, report):
    assert "Attention checks" not in sheet(admin_client, report)


def test_the_language_of_the_corpus_is_ticked_where_all_documents_name_it(admin_client, report):
    place = "heds-system-input_languages-42"
    documents = report.batch.corpus.documents
    assert place not in json.loads(sheet(admin_client, report, "datasheet.json"))
    documents.update(language="en")
    assert json.loads(sheet(admin_client, report, "datasheet.json"))[place]["text"] == {"": "41. English"}
    documents.filter(pk=documents.first().pk).update(language="")
    assert place not in json.loads(sheet(admin_client, report, "datasheet.json"))
    Corpus.objects.filter(pk=report.batch.corpus_id).update(language="ar")
    fields = json.loads(sheet(admin_client, report, "datasheet.json"))
    assert {name: fields[name]["text"] for name in (place, "heds-system-input_languages-8")} == {
        place: {"": "41. English"},
        "heds-system-input_languages-8": {"": "7. Arabic"},
    }


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
