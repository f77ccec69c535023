"""Ratings and distances that a program uploads: the body is the file."""

import pytest
from django.db import connection

from survey_site.batches.models import Batch
from survey_site.corpus.queries import load_corpus
from survey_site.keeping.archiving import archive
from survey_site.scoring.given import services
from survey_site.scoring.given.files import read_distance_files
from survey_site.scoring.models import GivenDistances
from tests.factories.api import Program, make_program
from tests.factories.batches import NOW
from tests.factories.given import distances_archive, distances_table
from tests.factories.scoring import make_scored_corpus

pytestmark = pytest.mark.django_db

CSV = "text/csv"
RATINGS = b"""doc_id,system,reader_a,reader_b,rater,rating
doc1,Copy,reader1,reader2,ann,2
doc1,user,reader1,reader2,ann,3
doc1,Same,reader1,reader2,ann,6
"""


@pytest.fixture
def program():
    return make_program()


@pytest.fixture
def corpus():
    return make_scored_corpus()


def uploaded(program, corpus, query="", body=RATINGS, kind=CSV, **headers):
    path = f"uploads/?corpus={corpus.pk}&scale=similarity{query}"
    return program.ask("POST", path, body, kind=kind, headers=headers)


def test_ratings_become_a_closed_batch_once(program, corpus):
    made = uploaded(program, corpus, "&file=theirs.csv&question=How+alike")
    batch = Batch.objects.get()
    assert (made.status_code, made.headers["Location"]) == (201, f"/api/v1/batches/{batch.pk}/")
    assert (batch.name, batch.question, batch.created_by) == ("theirs", "How alike", program.user)
    assert (made.json()["batch"], made.json()["file"]) == (batch.pk, "theirs.csv")
    again = uploaded(program, corpus, "&file=theirs.csv&question=How+alike")
    assert (again.status_code, again.json()["id"], Batch.objects.count()) == (200, made.json()["id"], 1)


def test_what_is_said_and_what_is_in_the_file_is_checked(program, corpus):
    assert program.ask("POST", "uploads/", RATINGS, kind=CSV).status_code == 422
    bad = uploaded(program, corpus, "&file=theirs.csv", RATINGS.replace(b",6", b",9"))
    assert [one["field"] for one in bad.json()["errors"]] == ["theirs.csv:4"]
    one_label = uploaded(program, corpus, "&low_label=low")
    assert [one["field"] for one in one_label.json()["errors"]] == ["high_label"]
    assert not Batch.objects.exists()


def test_ratings_of_an_archived_corpus_are_refused(program, corpus):
    archive(thing=corpus, now=NOW)
    assert uploaded(program, corpus).status_code == 409


def test_an_upload_sent_twice_with_a_key_is_answered_twice(program, corpus):
    key = {"Idempotency-Key": "one"}
    first, second = (uploaded(program, corpus, **key) for _ in range(2))
    assert (second.status_code, second.json()) == (201, first.json())
    assert second.headers["Idempotency-Replayed"] == "true"
    assert uploaded(program, corpus, body=RATINGS.replace(b",6", b",5"), **key).status_code == 422


def test_a_researcher_uploads_ratings(corpus):
    assert uploaded(make_program("researcher"), corpus).status_code == 201


def test_no_file_is_read_before_the_token_is_known(corpus, monkeypatch):
    def fail(*_args):
        raise AssertionError("the body is read")

    monkeypatch.setattr("django.core.handlers.wsgi.WSGIRequest.read", fail)
    for program, status in ((Program(), 401), (make_program("auditor"), 403)):
        assert uploaded(program, corpus).status_code == status
        sent = program.ask("POST", f"corpora/{corpus.pk}/distances/?name=own", b"x", kind=CSV)
        assert sent.status_code == status


@pytest.mark.parametrize(
    ("make", "kind"), [(distances_table, CSV), (distances_archive, "application/zip")], ids=["table", "zip"]
)
def test_distances_become_a_measure_until_they_are_removed(program, corpus, make, kind):
    path, body = f"corpora/{corpus.pk}/distances/", make(load_corpus(corpus))
    made = program.ask("POST", f"{path}?name=own", body, kind=kind)
    row = GivenDistances.objects.get()
    assert (made.status_code, made.headers["Location"]) == (201, f"/api/v1/{path}{row.pk}/")
    assert (made.json()["name"], made.json()["covered"]) == ("own", made.json()["wanted"])
    assert program.get(path).json()["results"] == [made.json()]
    assert program.get(f"{path}{row.pk}/").json() == made.json()
    assert program.ask("POST", f"{path}?name=own", body, kind=kind).status_code == 200
    assert program.ask("DELETE", f"{path}{row.pk}/").status_code == 204
    assert program.get(f"{path}{row.pk}/").status_code == 404


@pytest.mark.parametrize("name", ["", "Own", "rouge-l", "a" * 61])
def test_a_name_that_no_measure_can_have_is_refused(program, corpus, name):
    sent = program.ask(
        "POST", f"corpora/{corpus.pk}/distances/?name={name}", b"first,second,distance\n", kind=CSV
    )
    assert [one["field"] for one in sent.json()["errors"]] == ["name"]


def test_distances_are_read_before_the_transaction_that_stores_them(program, corpus, monkeypatch):
    """On SQLite nobody else writes while one is open."""
    open_while = []

    def read(*given, **named):
        open_while.append(len(connection.savepoint_ids))
        return read_distance_files(*given, **named)

    monkeypatch.setattr(services, "read_distance_files", read)
    outside = len(connection.savepoint_ids)
    path, body = f"corpora/{corpus.pk}/distances/?name=own", distances_table(load_corpus(corpus))
    sent = program.ask("POST", path, body, kind=CSV, headers={"Idempotency-Key": "one"})
    assert (sent.status_code, open_while) == (201, [outside])
