import csv
import sqlite3
from dataclasses import astuple

import pytest

from meta_eval.cli import main
from meta_eval.corpus.documents import Corpus
from meta_eval.corpus.jsonl import write_jsonl
from meta_eval.errors import InputError
from meta_eval.ratings.rating import Rating, pool_ratings
from meta_eval.ratings.responses import is_responses_file, read_responses, write_responses
from meta_eval.ratings.rows import RATING_COLUMNS
from tests.meta_eval.strategies import document

CORPUS = Corpus((document("d1", S={"r1": "storm", "r2": "river"}),))
RATINGS = [
    Rating("d1", "S", "r1", "r2", "ann", 6),
    Rating("d1", "user", "r1", "r2", "ann", 2),
    Rating("d1", "S", "r2", "r1", "bob", 3),
]


def make_file(path, *rows, columns="doc_id, summ_source, summ_id1, summ_id2, score"):
    database = sqlite3.connect(path)
    database.execute(f"CREATE TABLE response (id INTEGER PRIMARY KEY, {columns})")
    marks = ", ".join("?" for _ in columns.split(","))
    database.executemany(f"INSERT INTO response ({columns}) VALUES ({marks})", rows)  # noqa: S608 - constants
    database.commit()
    database.close()
    return path


def test_responses_become_ratings_numbered_by_their_order_at_a_pair(tmp_path):
    path = make_file(
        tmp_path / "survey.db",
        ("d1", "S", "r1", "r2", 6),
        ("d1", "user", "r1", "r2", 2),
        ("d1", "S", "r2", "r1", 3),
    )
    assert read_responses(path, CORPUS) == [
        Rating("d1", "S", "r1", "r2", "response 1", 6),
        Rating("d1", "user", "r1", "r2", "response 1", 2),
        Rating("d1", "S", "r1", "r2", "response 2", 3),
    ]


def test_what_is_written_reads_back_to_the_same_means(tmp_path):
    path = tmp_path / "survey.db"
    write_responses(RATINGS, path)
    assert is_responses_file(path)
    assert pool_ratings(read_responses(path, CORPUS)) == pool_ratings(RATINGS)


def test_a_file_that_is_there_is_not_overwritten(tmp_path):
    path = tmp_path / "survey.db"
    write_responses(RATINGS, path)
    with pytest.raises(InputError, match="is there already; name a new file"):
        write_responses(RATINGS, path)


def test_every_row_that_does_not_fit_is_named(tmp_path):
    path = make_file(
        tmp_path / "survey.db",
        ("d1", "S", "r1", "r2", 6),
        ("d9", "S", "r1", "r2", 6),
        ("d1", "S", "r1", "r2", None),
        ("d1", "S", "r1", "r2", 0),
    )
    with pytest.raises(InputError) as caught:
        read_responses(path, CORPUS)
    assert [str(fault) for fault in caught.value.faults] == [
        "survey.db:2: the corpus has no document 'd9'",
        "survey.db:3: column rating is empty",
        "survey.db:4: rating '0' is not a whole number from 1 to 6",
    ]


@pytest.mark.parametrize("columns", ["doc_id, score", "doc_id, summ_source, summ_id1, score"])
def test_a_table_without_its_columns_is_refused(tmp_path, columns):
    path = make_file(tmp_path / "survey.db", columns=columns)
    with pytest.raises(InputError, match=r"no such column: summ_.*a table `response` of the columns doc_id"):
        read_responses(path, CORPUS)


def test_a_csv_and_a_missing_file_are_no_responses(tmp_path):
    table = tmp_path / "ratings.csv"
    table.write_text("doc_id,system\n")
    assert not is_responses_file(table)
    assert not is_responses_file(tmp_path / "absent.db")


def test_human_scores_are_the_same_from_csv_and_from_responses(tmp_path, capsys):
    corpus, ratings, database = (tmp_path / name for name in ("corpus.jsonl", "ratings.csv", "survey.db"))
    with corpus.open("w", encoding="utf-8") as stream:
        write_jsonl(CORPUS, stream)
    with ratings.open("w", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(RATING_COLUMNS)
        table.writerows(astuple(one) for one in RATINGS)
    main_once("export-responses", corpus, ratings, "--out", database)
    asked = ("--surrogate", "rouge-l", "--scale", "similarity", "--min-raters", "1", "--normalise", "none")
    capsys.readouterr()
    main_once("human", corpus, ratings, *asked)
    from_csv = capsys.readouterr().out
    main_once("human", corpus, database, *asked)
    assert capsys.readouterr().out == from_csv
    assert '"degress_hj"' in from_csv


def main_once(*arguments):
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    assert ended.value.code == 0
