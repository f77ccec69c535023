"""One file of ratings has the same plan and the same raters on the command line and on the site."""

import pytest

from meta_eval.cli.inputs import read_rated_rows
from meta_eval.ratings.responses import write_responses
from meta_eval.ratings.survey import rows_of_ratings, survey_of_ratings
from survey_site.corpus.queries import load_corpus
from survey_site.reports.queries import survey_facts
from survey_site.scoring.adapters import ratings_of
from survey_site.scoring.rating_sets import record_ratings
from tests.factories.batches import NOW
from tests.factories.scoring import make_scored_corpus
from tests.survey_site.uploads.examples import plain_rows, read, upload, write_rows

pytestmark = pytest.mark.django_db


def one_set(_):
    return plain_rows()


def two_halves(_):
    """Two systems each for two pairs of raters, and gold for all of them."""
    return [
        row
        for row in plain_rows(["ann", "bob", "cy", "dee"])
        if row["system"] == "user" or (row["system"] == "Same") == (row["rater"] in {"cy", "dee"})
    ]


def one_item_short(rows):
    return [row for row in rows if not (row["rater"] == "bob" and row["system"] == "Same")]


def gold_twice(rows):
    return [*rows, *({**row, "rating": 5} for row in rows if row["system"] == "user")]


def numbered(rows):
    documents = sorted({row["doc_id"] for row in rows})
    return [{**row, "questionnaire": 10 + documents.index(row["doc_id"])} for row in rows]


def numbered_twice(rows):
    return [{**row, "questionnaire": 7} for row in rows]


def partly_simulated(rows):
    return [{**row, "simulated": "true" if row["rater"] == "bob" else "false"} for row in rows]


def counts_of(path, corpus_row):
    """Plan and ratings as the command line counts them, and as the site does."""
    corpus = load_corpus(corpus_row)
    table = read_rated_rows(path, corpus)
    survey = survey_of_ratings(
        rows_of_ratings(table.ratings, table.rows), scale="similarity", systems=corpus.systems
    )
    batch = upload(path, corpus_row).batch
    facts = survey_facts(batch, ratings_of(record_ratings(batch=batch, now=NOW)))
    return (survey.plan_counts, survey.rating_counts), (facts["plan"], facts["ratings"])


FILES = [one_set, two_halves, one_item_short, gold_twice, numbered, numbered_twice, partly_simulated]


@pytest.mark.parametrize("made", FILES, ids=lambda made: made.__name__)
def test_a_table_counts_alike(made, tmp_path):
    path = write_rows(tmp_path / "ratings.csv", made(plain_rows()))
    ours, theirs = counts_of(path, make_scored_corpus())
    assert ours == theirs


def test_two_halves_are_two_questionnaires_of_each_pair(tmp_path):
    path = write_rows(tmp_path / "ratings.csv", two_halves(None))
    (plan, ratings), _ = counts_of(path, make_scored_corpus())
    assert (plan["questionnaires"], plan["pairs"], ratings["completions"]) == (6, 12, 12)


def test_the_app_s_database_counts_alike(tmp_path):
    corpus = make_scored_corpus()
    table = write_rows(tmp_path / "ratings.csv", gold_twice(plain_rows()))
    write_responses([row.rating for row in read(table, corpus).rows], tmp_path / "survey.db")
    ours, theirs = counts_of(tmp_path / "survey.db", corpus)
    assert ours[0] == theirs[0]
    assert ours[1]["completions"] == theirs[1]["completions"]
