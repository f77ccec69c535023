"""What a file of ratings may hold, and every fault of it with its line."""

import pytest

from meta_eval.errors import InputError
from meta_eval.ratings.table import COUNTED_STATES, SET_APART
from tests.factories.scoring import make_scored_corpus
from tests.survey_site.uploads.examples import plain_rows, read, write_rows

KNOWN_STATES = ", ".join((*COUNTED_STATES[1:], *SET_APART))

pytestmark = pytest.mark.django_db


def faults_of(path, corpus):
    with pytest.raises(InputError) as caught:
        read(path, corpus)
    return [(fault.line, fault.message) for fault in caught.value.faults]


def test_a_plain_file_knows_its_raters_and_nothing_more(tmp_path):
    file = read(write_rows(tmp_path / "r.csv", plain_rows()), make_scored_corpus())
    assert (len(file.rows), file.known, file.notes) == (24, ("raters",), ())


def test_every_fault_of_every_row_is_told_at_once_in_order(tmp_path):
    rows = plain_rows()
    rows[0]["rating"] = 7
    rows[1]["position"] = "first"
    rows[2]["flipped"] = "perhaps"
    rows[3]["submitted_at"] = "2026-03-01T09:00:00"
    rows[4]["submitted_at"] = "2036-03-01T09:00:00+00:00"
    rows[5]["state"] = "lost"
    rows[6] |= {"doc_id": "doc9", "questionnaire": "0"}
    rows[7]["submitted_at"] = "yesterday"
    corpus = make_scored_corpus()
    assert faults_of(write_rows(tmp_path / "r.csv", rows), corpus) == [
        (2, "rating '7' is not a whole number from 1 to 6"),
        (3, "position 'first' is not a whole number from 1 to 32767"),
        (4, "flipped 'perhaps' is neither true nor false"),
        (
            5,
            "submitted_at '2026-03-01T09:00:00' does not say its time zone; write it like "
            "2026-03-02T09:00:00+00:00",
        ),
        (6, "submitted_at '2036-03-01T09:00:00+00:00' lies in the future"),
        (7, f"state 'lost' is no state of a rating; there are {KNOWN_STATES}"),
        (8, "questionnaire '0' is not a whole number from 1 to 2147483647"),
        (8, "the corpus has no document 'doc9'"),
        (9, "submitted_at 'yesterday' is not a time such as 2026-03-02T09:00:00+00:00"),
    ]


def test_a_page_cannot_hold_gold_or_a_position_twice(tmp_path):
    rows = [{**row, "questionnaire": 1, "position": n} for n, row in enumerate(plain_rows()[:4], 1)]
    rows.append({**rows[0], "position": 3})
    assert faults_of(write_rows(tmp_path / "r.csv", rows), make_scored_corpus()) == [
        (6, "the gold pair was rated before in questionnaire 1 of rater 'ann'"),
        (6, "position 3 stands twice in questionnaire 1 of rater 'ann'"),
    ]


def test_a_header_without_a_column_is_one_fault(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("doc_id,system,reader_a,reader_b,rating\n", encoding="utf-8")
    assert faults_of(path, make_scored_corpus()) == [(1, "the header lacks the columns rater")]


def test_rows_that_no_score_counts_are_left_out_and_said(tmp_path):
    rows = plain_rows()
    rows[1]["state"], rows[2]["state"] = "surplus", "submitted"
    rows.append({**rows[0], "system": "", "reader_a": "", "reader_b": "", "control": "identical"})
    rows += [{**rows[3], "rating": "", "state": "withdrawn"}] * 2
    file = read(write_rows(tmp_path / "r.csv", rows), make_scored_corpus())
    assert len(file.rows) == 23
    assert file.notes == (
        "1 row of the file left out: a control pair",
        "1 row of the file left out: surplus",
        "2 rows of the file left out: withdrawn",
    )


def test_a_column_that_some_rows_leave_empty_is_not_used_and_said(tmp_path):
    rows = [{**row, "questionnaire": 1 + n // 8, "flipped": "true"} for n, row in enumerate(plain_rows())]
    rows[4]["flipped"] = ""
    file = read(write_rows(tmp_path / "r.csv", rows), make_scored_corpus())
    assert file.known == ("raters", "questionnaire")
    assert file.notes == ("The column flipped is not used: 1 of 24 rows leave it empty",)
