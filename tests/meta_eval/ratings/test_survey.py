"""A survey as its rows show it: plan, counts, and the rows that count."""

import pytest

from meta_eval.errors import InputError
from meta_eval.ratings.rating import Rating
from meta_eval.ratings.rows import rating_row, sort_ratings
from meta_eval.ratings.survey import Survey, rows_of_ratings, survey_of_ratings
from tests.meta_eval.surveys import PAIR, SYSTEMS, VALUES, make_corpus, make_rows


def text_rows(**changes):
    return [{**{name: str(value) for name, value in row.items()}, **changes} for row in make_rows()]


def without(rows, *columns):
    return [{name: value for name, value in row.items() if name not in columns} for row in rows]


def survey(rows, **options):
    return survey_of_ratings(
        rows, **{"scale": "similarity", "systems": ("Unrated", *make_corpus().systems), **options}
    )


def test_the_plan_is_what_was_rated():
    found = survey(text_rows())
    assert found.plan["systems"] == list(SYSTEMS)
    assert found.plan["questionnaires"] == [
        {
            "number": str(number),
            "document": document,
            "reader_a": PAIR[0],
            "reader_b": PAIR[1],
            "items": [{"system": system} for system in VALUES],
        }
        for number, document in enumerate(("bridge", "bakery", "rain"), start=1)
    ]
    assert found.plan_counts == {
        "questionnaires": 3,
        "raters_per_questionnaire": 2,
        "completions_wanted": 6,
        "documents": 3,
        "pairs": 12,
    }
    assert found.unrated_pairs == {}


def test_without_numbers_raters_of_the_same_items_share_a_questionnaire():
    rows = without(text_rows(), "questionnaire", "state", "simulated")
    turned = [{**row, "reader_a": row["reader_b"], "reader_b": row["reader_a"]} for row in rows[:4]]
    found = survey([*turned, *rows[4:]])
    assert {(one["number"], one["document"]) for one in found.plan["questionnaires"]} == {
        ("1", "bridge"),
        ("2", "bakery"),
        ("3", "rain"),
    }
    assert found.rating_counts == {**survey(text_rows()).rating_counts}


def test_simulated_raters_are_counted_where_the_rows_tell():
    assert survey(text_rows()).rating_counts["simulated_ratings"] == 0
    counts = survey(text_rows(simulated="true")).rating_counts
    assert (counts["simulated_raters"], counts["simulated_ratings"], counts["ratings"]) == (2, 24, 24)


def test_more_raters_than_anybody_gave_leave_no_pair():
    with pytest.raises(InputError, match="no pair has 3 ratings"):
        survey(text_rows(), raters=3).divergences(None)
    assert survey(text_rows(), raters=3).divergences(2).below_full == 12


@pytest.mark.parametrize("state", ["surplus", "excluded", "withdrawn"])
def test_rows_that_no_score_counts_are_held_and_not_counted(state):
    rows = text_rows()
    found = survey(rows).rating_counts
    shown = Survey(
        plan={}, study={"scale": "similarity", "raters": 2}, rows=(*rows, {**rows[0], "state": state})
    )
    assert (len(shown.rows), shown.rating_counts) == (25, found)


def test_rows_keep_further_columns_and_the_checked_values():
    (row,) = rows_of_ratings([Rating("d", "S", "a", "b", "p", 3)], [{"doc_id": " d ", "position": "2"}])
    assert row == {
        "doc_id": "d",
        "position": "2",
        "system": "S",
        "reader_a": "a",
        "reader_b": "b",
        "rater": "p",
        "rating": "3",
        "state": "submitted",
    }


def test_the_order_of_ratings_depends_on_them_alone():
    ratings = [Rating("d", "S", "b", "a", "p", 3), Rating("c", "S", "a", "b", "q", 1)]
    assert sort_ratings(ratings) == sort_ratings(ratings[::-1])
    assert rating_row(ratings[0]) == ("d", "S", "a", "b", "p", 3)
