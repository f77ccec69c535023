"""Pages of studies: the same blocks as in HTML and PDF, who may do what, what can be taken away."""

import html
import re
from dataclasses import replace

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from meta_eval.publish.users_report import Findings, report_html
from survey_site.accounts.models import AuditEntry
from survey_site.studies.files import PAGE
from survey_site.studies.models import Study
from tests.factories.accounts import make_user
from tests.factories.studies import make_study, study_archive
from tests.factories.user_results import study_labels, study_texts

pytestmark = pytest.mark.django_db


def words(page, *, end):
    """What a reader sees from the first part on; captions, which the page of the site reads out, left out."""
    inner = page.split("</nav>")[-1].split("<h2", 1)[1].split(end, 1)[0]
    texts = re.sub(r"<caption>.*?</caption>", "", f"<h2{inner}", flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]+>", " ", texts)).replace("−", "-").split()


def test_the_page_says_what_the_report_says(researcher_client):
    study = make_study()
    page = researcher_client.get(study.get_absolute_url()).content.decode()
    made = report_html(Findings.from_record(study.findings), study.name).decode()
    shown, written = (
        words(page, end='<section class="stack" aria-labelledby="files"'),
        words(made, end="</main>"),
    )
    assert shown == written


def test_an_upload_leads_to_the_page_and_faults_are_shown(researcher_client):
    file = SimpleUploadedFile("scores.zip", study_archive())
    labels = SimpleUploadedFile("labels.csv", study_labels())
    sent = {"name": "Films", "results": file, "labels": labels}
    answer = researcher_client.post("/studies/upload/", sent, headers={"X-Requested-With": "XMLHttpRequest"})
    assert (answer.status_code, answer.json()) == (201, {"address": f"/studies/{Study.objects.get().pk}/"})
    bad = SimpleUploadedFile("labels.csv", b"user,approach\n")
    answer = researcher_client.post(
        "/studies/upload/", {"name": "Films", "results": SimpleUploadedFile("run.json", b"{}"), "labels": bad}
    )
    assert answer.status_code == 422
    assert "upload the whole folder" in answer.content.decode()


def test_a_file_that_is_too_large_names_the_command(researcher_client, settings):
    settings.CONCORD_UPLOAD_LIMIT_MB = 0
    sent = {"name": "Films", "results": SimpleUploadedFile("scores.zip", study_archive())}
    assert "manage.py import_study" in researcher_client.post("/studies/upload/", sent).content.decode()


def test_a_study_of_more_users_than_a_page_takes_is_for_the_command(researcher_client, monkeypatch, tmp_path):
    monkeypatch.setattr("survey_site.studies.views.PAGE", replace(PAGE, users=5))
    sent = {"name": "Films", "results": SimpleUploadedFile("scores.zip", study_archive())}
    answer = researcher_client.post("/studies/upload/", sent)
    wanted = "holds 6 users; at most 5 are taken; `manage.py import_study` takes more"
    assert wanted in html.unescape(answer.content.decode())
    assert not Study.objects.exists()
    (tmp_path / "scores.zip").write_bytes(study_archive())
    call_command("import_study", "Films", tmp_path / "scores.zip")
    assert Study.objects.get().users == 6


def test_each_file_can_be_taken_away_and_that_is_logged(researcher_client, researcher):
    study = make_study()
    for name in [*study_texts(), "labels.csv", "trail-1.jsonl", "report.html", "report.pdf", "results.zip"]:
        answer = researcher_client.get(f"/studies/{study.pk}/files/{name}")
        assert answer.headers["Content-Disposition"] == (
            f'attachment; filename="concord-study-{study.pk}-{name}"'
        )
        if name in study_texts():
            assert answer.content.decode() == study_texts()[name]
        entry = AuditEntry.objects.filter(action="study exported").order_by("pk").last()
        assert (entry.actor, entry.detail) == (researcher, {"file": name})
    assert researcher_client.get(f"/studies/{study.pk}/files/run.txt").status_code == 404


def test_the_list_leaves_out_what_is_archived(researcher_client, researcher):
    study = make_study(by=researcher)
    assert list(researcher_client.get("/studies/").context["page"]) == [study]
    researcher_client.post(f"/keep/study/{study.pk}/archive/")
    assert list(researcher_client.get("/studies/").context["page"]) == []
    assert list(researcher_client.get("/studies/?archive=with").context["page"]) == [study]


def test_who_did_not_upload_a_study_keeps_it(researcher_client):
    study = make_study(by=make_user(username="other", role="researcher"))
    assert researcher_client.post(f"/keep/study/{study.pk}/archive/").status_code == 403
    assert "Delete …" not in researcher_client.get(study.get_absolute_url()).content.decode()
