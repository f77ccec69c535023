"""Ratings in long form: one content in four types, with the right and the audit of the page's file."""

import csv
import json
from io import BytesIO, StringIO

import pyarrow.parquet as pq
import pytest

from survey_site.accounts.models import AuditEntry
from survey_site.quality.services import exclude_rater
from survey_site.survey.rating_rows import RATING_COLUMNS
from tests.factories.api import make_program
from tests.factories.batches import NOW
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("batch")]


@pytest.fixture(scope="module")
def batch(make_once):
    return make_once(make_rated_batch)


@pytest.fixture
def program():
    return make_program("auditor")


def read(program, batch, accept, query=""):
    answer = program.get(f"batches/{batch.pk}/ratings/{query}", Accept=accept)
    assert answer.headers["Content-Type"].startswith(accept)
    return b"".join(answer.streaming_content)


def test_all_types_hold_the_same_rows(program, batch):
    table = read(program, batch, "text/csv").decode()
    rows = json.loads(read(program, batch, "application/json"))
    lines = read(program, batch, "application/jsonl").decode().splitlines()
    parquet = pq.read_table(BytesIO(read(program, batch, "application/vnd.apache.parquet")))
    plain = list(csv.DictReader(StringIO(table)))
    assert tuple(plain[0]) == tuple(rows[0]) == tuple(parquet.column_names) == RATING_COLUMNS
    assert [json.loads(line) for line in lines] == rows
    keys = ("doc_id", "system", "reader_a", "reader_b", "rater", "rating", "questionnaire")
    assert [[str(row[key]) for key in keys] for row in rows] == [[row[key] for key in keys] for row in plain]
    assert [[row[key] for key in keys] for row in parquet.to_pylist()] == [
        [row[key] for key in keys] for row in rows
    ]


def test_the_csv_is_the_file_of_the_page(program, batch, researcher_client):
    page = researcher_client.get(f"/batches/{batch.pk}/ratings.csv")
    assert read(program, batch, "text/csv") == b"".join(page.streaming_content)


def test_without_a_type_it_is_json(program, batch):
    answer = program.get(f"batches/{batch.pk}/ratings/")
    assert answer.headers["Content-Type"] == "application/json; charset=utf-8"
    assert answer.headers["Concord-Withdrawn-Rows"] == "0"


def test_what_is_excluded_comes_where_it_is_asked_for(program, batch):
    rater = batch.people.first()
    exclude_rater(rater=rater, reason="asleep", now=NOW)
    counted = json.loads(read(program, batch, "application/json"))
    both = json.loads(read(program, batch, "application/json", "?include=excluded"))
    assert {row["rater"] for row in both} - {row["rater"] for row in counted} == {rater.code}
    assert program.get(f"batches/{batch.pk}/ratings/?include=lost").status_code == 422


def test_that_somebody_takes_them_is_written_down(program, batch):
    read(program, batch, "application/jsonl", "?include=surplus")
    entry = AuditEntry.objects.get(action="ratings exported")
    assert (entry.actor, entry.subject_id, entry.detail) == (
        program.user,
        batch.pk,
        {"holds": "counted and surplus"},
    )


def test_ratings_need_their_own_scope(batch):
    assert make_program("auditor", scopes=["read"]).get(f"batches/{batch.pk}/ratings/").status_code == 403


@pytest.mark.parametrize(
    ("scopes", "status"), [(["read"], 403), (["ratings"], 403), (["read", "ratings"], 409)]
)
def test_the_bundle_of_a_report_holds_ratings_and_needs_both_scopes(batch, scopes, status):
    report = make_report(batch=batch, built=False)
    program = make_program("auditor", scopes=scopes)
    assert program.get(f"reports/{report.pk}/files/bundle.zip").status_code == status
