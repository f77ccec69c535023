"""Ratings leave as rows that the library and the command line read."""

import csv

import pytest
from django.urls import reverse

from survey_site.survey.exports import rating_lines
from survey_site.survey.models import Rater
from survey_site.survey.rating.leaving import withdraw_rater
from survey_site.survey.rating_rows import rating_rows, withdrawn_rows
from survey_site.uploads.queries import upload_of
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import answers_for, make_assignment, save_rating, submit_all

pytestmark = pytest.mark.django_db


@pytest.fixture
def batch():
    """One questionnaire with one submitted, one surplus and one unfinished assignment."""
    batch = make_batch(corpus=make_corpus(documents=1, systems=1, readers=2), raters=1)
    late = make_assignment(batch)
    in_time = make_assignment(batch, now=NOW.replace(hour=12))
    submit_all(in_time, value=5, now=NOW.replace(hour=12))
    submit_all(late, value=2, now=NOW.replace(hour=13))
    other = make_batch(corpus=batch.corpus)
    held = make_assignment(other)
    save_rating(assignment=held, code=next(iter(answers_for(held))), value=3, now=NOW)
    submit_all(make_assignment(other), value=1)
    return batch


def test_rows_are_those_that_count_one_a_rating(batch):
    assignment = batch.questionnaires.get().assignments.get(state="submitted")
    expected = [
        {
            "doc_id": "doc1",
            "system": placement.item.system.name if placement.item.system else "user",
            "reader_a": "reader1",
            "reader_b": "reader2",
            "rater": assignment.rater.code,
            "rating": 5,
            "questionnaire": 1,
            "position": placement.position,
            "flipped": placement.flipped,
            "simulated": False,
            "submitted_at": NOW.replace(hour=12),
            "state": "submitted",
            "control": "",
            "copied_from": None,
        }
        for placement in assignment.placements.order_by("position")
    ]
    assert list(rating_rows(batch)) == expected


def test_surplus_comes_on_request_and_says_so(batch):
    rows = [(row["rating"], row["state"]) for row in rating_rows(batch, further=["surplus"])]
    assert sorted(rows) == [(2, "surplus"), (2, "surplus"), (5, "submitted"), (5, "submitted")]


def test_what_was_withdrawn_comes_on_request_without_its_values(batch, researcher_client):
    withdrawing = Rater.objects.get(batch=batch, assignments__state="submitted")
    withdraw_rater(rater=withdrawing, now=NOW)
    assert list(rating_rows(batch)) == []
    lines = list(csv.DictReader(rating_lines(batch, include=["surplus", "withdrawn"])))
    rows = [(line["rating"], line["state"], line["rater"] == withdrawing.code) for line in lines]
    assert rows == [("2", "surplus", False)] * 2 + [("", "withdrawn", True)] * 2
    assert [line["system"] for line in lines[2:]].count("user") == 1
    address = reverse("batches:ratings", args=[batch.pk])
    for query, count in (("", 1), ("?include=withdrawn", 3), ("?include=surplus,withdrawn", 5)):
        response = researcher_client.get(address + query)
        assert response["Concord-Withdrawn-Rows"] == "2"
        assert len(b"".join(response.streaming_content).splitlines()) == count


def test_what_was_never_submitted_is_no_withdrawn_rating():
    batch = make_batch()
    held = make_assignment(batch)
    save_rating(assignment=held, code=next(iter(answers_for(held))), value=3, now=NOW)
    withdraw_rater(rater=held.rater, now=NOW)
    assert list(withdrawn_rows(batch)) == []


def test_rows_take_one_query(batch, django_assert_num_queries):
    assert upload_of(batch) is None  # which the batch remembers
    with django_assert_num_queries(1):
        list(rating_rows(batch))


def test_the_file_begins_with_the_columns_of_the_command_line(batch):
    lines = list(csv.reader(rating_lines(batch)))
    assert lines[0][:6] == ["doc_id", "system", "reader_a", "reader_b", "rater", "rating"]
    place, time = ["questionnaire", "position", "flipped"], ["simulated", "submitted_at", "state", "control"]
    assert lines[0][6:] == [*place, *time, "copied_from"]
    assert {tuple(line[5:6] + line[9:]) for line in lines[1:]} == {
        ("5", "false", "2026-03-02T12:00:00+00:00", "submitted", "", "")
    }


def test_a_rater_is_a_pseudonym_that_tells_neither_key_nor_name(batch):
    rater = batch.people.first()
    assert rater.code.startswith("r-")
    assert str(rater.pk) != rater.code.removeprefix("r-")
    assert rater.key_hash not in "".join(rating_lines(batch))
