"""A corpus that a program brings: the body is the file, read in pieces up to the limit."""

from pathlib import Path
from urllib.parse import quote

import pytest

from survey_site.accounts.models import ApiToken
from survey_site.corpus.models import Corpus
from tests.factories.api import Program, make_program

pytestmark = pytest.mark.django_db

JSONL = "application/jsonl"


SAMPLES = Path(__file__).parents[3] / "static" / "samples"


@pytest.fixture
def corpus_lines():
    return (SAMPLES / "corpus.jsonl").read_bytes()


@pytest.fixture
def program():
    return make_program("researcher")


def sent(program, body, query="", kind=JSONL, **options):
    return program.ask("POST", f"corpora/{query}", body, kind=kind, **options)


def test_a_file_becomes_a_corpus_once(program, corpus_lines):
    made = sent(program, corpus_lines, "?name=News&language=en")
    corpus = Corpus.objects.get()
    assert (made.status_code, made.headers["Location"]) == (201, f"/api/v1/corpora/{corpus.pk}/")
    assert (corpus.name, corpus.language, corpus.created_by) == ("News", "en", program.user)
    assert made.json()["documents"] == corpus.documents.count()
    assert sent(program, corpus_lines).status_code == 200
    assert Corpus.objects.count() == 1


def test_a_table_is_known_by_its_type(program):
    made = sent(program, (SAMPLES / "corpus.csv").read_bytes(), "?name=Table", kind="text/csv")
    assert (made.status_code, Corpus.objects.get().source) == (201, "Table: corpus.csv")


def test_faults_are_told_with_their_lines(program):
    answer = sent(program, b"{}\nnothing\n", "?file=mine.jsonl")
    assert answer.status_code == 422
    assert {one["field"].split(":")[0] for one in answer.json()["errors"]} == {"mine.jsonl"}
    assert not Corpus.objects.exists()


def test_nothing_and_too_much_are_refused(program, settings):
    assert sent(program, b"").status_code == 422
    settings.CONCORD_UPLOAD_LIMIT_MB = 0.0001
    longer = sent(program, b"x" * 1000)
    assert (longer.status_code, "import_corpus" in longer.json()["detail"]) == (413, True)
    announced = sent(program, b"x", CONTENT_LENGTH="100000000")
    assert announced.status_code == 413


def test_no_body_is_read_before_the_token_is_known(program, monkeypatch):
    def fail(*_args):
        raise AssertionError("the body is read")

    monkeypatch.setattr("django.core.handlers.wsgi.WSGIRequest.read", fail)
    assert sent(Program(), b"x" * 10).status_code == 401
    assert sent(make_program("auditor"), b"x" * 10).status_code == 403
    assert sent(Program(), b"x=1", kind="application/x-www-form-urlencoded").status_code == 401


def test_a_wrong_language_is_refused(program, corpus_lines):
    assert sent(program, corpus_lines, "?language=en_not_a_tag").status_code == 422
    assert ApiToken.objects.count() == 1


@pytest.mark.parametrize("ending", ["x" * 150, "\u0436" * 150, "csv\u0436"])
def test_the_end_of_a_name_may_be_anything(program, corpus_lines, ending):
    assert sent(program, corpus_lines, f"?file={quote(f'n.{ending}')}").status_code == 201
