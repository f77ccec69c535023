"""Studies of summaries of users, and the files of PENS, which come as archives."""

import io
import zipfile

import pytest

from survey_site.corpus.models import Corpus
from survey_site.studies.models import Study
from tests.factories.api import make_program
from tests.factories.pens import pens_archive
from tests.factories.studies import make_study, study_archive
from tests.factories.user_results import TRAIL, study_labels, study_texts

pytestmark = pytest.mark.django_db
ZIP = "application/zip"


@pytest.fixture
def program():
    return make_program("researcher")


def uploaded(program, body, query="?name=Films", **headers):
    return program.ask("POST", f"studies/{query}", body, kind=ZIP, headers=headers)


def test_results_become_a_study_once(program):
    key = {"Idempotency-Key": "one"}
    made, again = uploaded(program, study_archive(), **key), uploaded(program, study_archive(), **key)
    study = Study.objects.get()
    assert (made.status_code, made.headers["Location"]) == (201, f"/api/v1/studies/{study.pk}/")
    assert (again.headers["Idempotency-Replayed"], again.json()) == ("true", made.json())
    assert uploaded(program, study_archive()).status_code == 200
    assert (study.name, study.created_by, study.users) == ("Films", program.user, made.json()["users"])
    assert program.get(f"studies/{study.pk}/").json() == made.json()
    (row,) = program.get("studies/?q=film").json()["results"]
    assert {**row, "findings": made.json()["findings"]} == made.json()


def test_labels_and_trails_beside_results_are_those_of_the_page(program):
    files = {**study_texts(), "labels.csv": study_labels().decode(), "trail.jsonl": TRAIL.decode()}
    made = uploaded(program, study_archive(files)).json()
    assert made["files"] == ["report.html", "report.pdf", "results.zip", *make_study().names]
    kept = program.get(f"studies/{made['id']}/files/labels.csv")
    assert (kept.content, kept.headers["Content-Type"]) == (study_labels(), "text/csv; charset=utf-8")
    whole = program.get(f"studies/{made['id']}/files/results.zip").content
    assert sorted(zipfile.ZipFile(io.BytesIO(whole)).namelist()) == sorted(made["files"][3:])
    assert program.get(f"studies/{made['id']}/files/other.csv").status_code == 404


def test_what_is_no_result_is_told_by_file(program):
    bad = uploaded(program, study_archive({**study_texts(), "mine.txt": "x"}))
    assert [one["field"] for one in bad.json()["errors"]] == ["results.zip/scores/mine.txt"]
    assert uploaded(program, b"no archive").status_code == 422
    assert [one["field"] for one in uploaded(program, study_archive(), "").json()["errors"]] == ["name"]
    assert not Study.objects.exists()


def test_pens_comes_as_an_archive(program):
    made = program.ask("POST", "corpora/pens/?name=PENS&language=en", pens_archive(), kind=ZIP)
    corpus = Corpus.objects.get()
    assert (made.status_code, made.headers["Location"]) == (201, f"/api/v1/corpora/{corpus.pk}/")
    assert [one["name"] for one in made.json()["by_system"]] == ["lead", "tailored"]
    assert corpus.source == "PENS: personalized_test.tsv; systems lead (hyps_lead.txt), tailored " + (
        "(hyps_tailored.txt); news news.tsv"
    )


@pytest.mark.parametrize("without", ["personalized_test.tsv"])
def test_what_pens_lacks_is_said(program, without):
    body = pens_archive(without=without)
    answer = program.ask("POST", "corpora/pens/?file=mine.zip", body, kind=ZIP)
    assert answer.json()["errors"] == [{"field": "mine.zip", "detail": f"lacks {without}"}]
    assert not Corpus.objects.exists()
