"""Answers of models from any of the files that hold them, and the one rule by which they become ratings."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meta_eval.corpus.documents import Corpus, Document
from meta_eval.errors import InputError
from meta_eval.files.cells import csv_text
from meta_eval.ratings.of_models import ANSWER_COLUMNS, ModelAnswer, ModelTable, read_model_tables
from meta_eval.ratings.rating import rated_pair

TEXTS = {"ann": "rain", "bob": "sun"}
CORPUS = Corpus(tuple(Document(name, "Weather", "", TEXTS, {"A": TEXTS}) for name in ("d", "e")))
PAIR, OTHER = rated_pair("d", "A", "ann", "bob"), rated_pair("e", "user", "ann", "bob")
TABLES = (
    ModelTable(
        "model:m",
        (
            ModelAnswer(PAIR, 2, "ab", 0),
            ModelAnswer(PAIR, 5, "ba", 0),
            ModelAnswer(OTHER, 4, "ab", 0),
            ModelAnswer(OTHER, None, "ba", 0, "refused"),
        ),
    ),
    ModelTable("model:n", (ModelAnswer(PAIR, 6), ModelAnswer(OTHER, 1))),
)


def written(tables):
    return csv_text([ANSWER_COLUMNS, *(row for table in tables for row in table.rows())]).encode()


def lines(tables):
    rows = (dict(zip(ANSWER_COLUMNS, row, strict=True)) for table in tables for row in table.rows())
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.mark.parametrize(("name", "write"), [("answers.csv", written), ("answers.jsonl", lines)])
def test_what_is_written_reads_back(name, write):
    assert read_model_tables(io.BytesIO(write(TABLES)), CORPUS, name=name) == TABLES


def test_a_pair_needs_an_answer_in_each_order_and_a_half_goes_to_the_even_side():
    known, ratings_alone = TABLES
    assert [(rating.pair, rating.rating) for rating in known.ratings] == [(PAIR, 4)]
    assert [rating.rating for rating in ratings_alone.ratings] == [6, 1]
    assert (known.knows_answers, ratings_alone.knows_answers) == (True, False)


@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=5), st.lists(st.integers(1, 6), min_size=1, max_size=5)
)
def test_each_order_weighs_the_same_whatever_its_draws(first, second):
    orders = (("ab", first), ("ba", second))
    answers = [ModelAnswer(PAIR, value, order, n) for order, own in orders for n, value in enumerate(own)]
    exact = (sum(first) / len(first) + sum(second) / len(second)) / 2
    assert abs(ModelTable("model:m", tuple(answers)).ratings[0].rating - exact) <= 0.5


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("d,A,ann,bob,p1,ab,0,3,", "rater 'p1' is no model"),
        ("d,A,ann,bob,model:m,xy,0,3,", "order is ab or ba"),
        ("d,A,ann,bob,model:m,ab,0,7,", "'7' is not a whole number from 1 to 6"),
        ("d,A,ann,bob,model:m,ab,0,x,", "'x' is not a whole number from 1 to 6"),
        ("d,A,ann,bob,model:m,,,,", "column rating is empty"),
        ("f,A,ann,bob,model:m,ab,0,,refused", "the corpus has no document 'f'"),
        ("d,A,ann,bob,model:m,ab,1,2,\nd,A,bob,ann,model:m,ab,1,2,", "stands in a line before"),
    ],
)
def test_what_is_no_answer_is_named_with_its_line(row, fault):
    text = f"{','.join(ANSWER_COLUMNS)}\n{row}\n"
    with pytest.raises(InputError, match=fault):
        read_model_tables(io.BytesIO(text.encode()), CORPUS, name="answers.csv")
