import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas import DataFrame

from meta_eval.corpus.documents import Corpus
from meta_eval.errors import InputError
from meta_eval.ratings.divergences import human_divergences
from meta_eval.ratings.rating import (
    Ends,
    PairRating,
    RatedPair,
    Rating,
    check_scale,
    human_divergence,
    pool_ratings,
)
from meta_eval.ratings.table import RatingTable, describe_left_out, read_ratings
from meta_eval.stats.raters.agreement import count_ratings
from meta_eval.stats.resampling.raters import build_panel
from tests.meta_eval.files.test_workbooks import workbook
from tests.meta_eval.strategies import document

HEADER = "doc_id,system,reader_a,reader_b,rater,rating"
CORPUS = Corpus((document("d1", S={"r1": "storm", "r2": "river"}),))


def read(*rows: str, header: str = HEADER) -> list[Rating]:
    return read_ratings(io.BytesIO("\n".join([header, *rows]).encode()), CORPUS, name="ratings.csv").ratings


def test_ratings_are_read_in_any_column_order_with_columns_beside():
    rows = read("6,x,p1,r2,r1,S,d1", header="rating,note,rater,reader_b,reader_a,system,doc_id")
    assert rows == [Rating("d1", "S", "r1", "r2", "p1", 6)]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("d9,S,r1,r2,p1,3", "the corpus has no document 'd9'"),
        ("d1,S,r1,r1,p1,3", "reader_a and reader_b are both 'r1'"),
        ("d1,S,r1,r9,p1,3", "document 'd1' has no reader 'r9'"),
        ("d1,S,r1,r3,p1,3", "system 'S' has no summary of document 'd1' for reader 'r3'"),
        ("d1,T,r1,r2,p1,3", "system 'T' has no summary of document 'd1' for reader 'r1'"),
        (
            "d1,S,r1,r2,p1,7",
            "rating '7' is not a whole number from 1 to 6; if the scale has other ends, say so with lowest "
            "and highest",
        ),
        ("d1,S,r1,r2,p1,2.5", "rating '2.5' is not a whole number from 1 to 6"),
        ("d1,S,r1,r2,p1,high", "rating 'high' is not a whole number from 1 to 6"),
        ("d1,S,r1,r2,,3", "column rater is empty"),
        ("d1,S,r1", "3 columns where the header has 6"),
        ("d1,S,r2,r1,p0,3", "rater 'p0' rated this pair of system 'S' before"),
    ],
)
def test_a_row_that_does_not_fit_is_named_with_its_line(row, message):
    with pytest.raises(InputError) as caught:
        read("d1,S,r1,r2,p0,3", row)
    fault = caught.value.faults[0]
    assert (fault.file, fault.line, fault.message) == ("ratings.csv", 3, message)


def test_rows_that_count_keep_their_columns_and_the_others_are_counted_by_reason():
    rows = [
        "d1,S,r1,r2,p1,3,,submitted,1",
        "d1,S,r1,r2,p2,4,,surplus,2",
        "d1,S,r1,r2,p3,4,, excluded ,3",
        "d1,S,r1,r2,p4,,,withdrawn,4",
        "d1,S,r1,r2,p5,,,withdrawn,5",
        "d9,,,,p1,6,identical,submitted,6",
        "d1,user,r2,r1,p1,5,,,7,",
    ]
    source = io.BytesIO("\n".join([f"{HEADER},control,state,position", *rows]).encode())
    found = read_ratings(source, CORPUS, name="ratings.csv")
    assert found.ratings == [
        Rating("d1", "S", "r1", "r2", "p1", 3),
        Rating("d1", "user", "r2", "r1", "p1", 5),
    ]
    assert [(row["rater"], row["state"], row["position"]) for row in found.rows] == [
        ("p1", "submitted", "1"),
        ("p1", "", "7"),
    ]
    assert list(describe_left_out(found.left_out)) == [
        "1 row of the file left out: a control pair",
        "1 row of the file left out: excluded",
        "1 row of the file left out: surplus",
        "2 rows of the file left out: withdrawn",
    ]


def test_a_missing_column_and_an_empty_table_are_named():
    with pytest.raises(InputError) as caught:
        read(header="doc_id,system,rating")
    lacks = "ratings.csv:1: the header lacks the columns reader_a, reader_b, rater"
    assert [str(fault) for fault in caught.value.faults] == [lacks]
    with pytest.raises(InputError) as caught:
        read()
    assert [str(fault) for fault in caught.value.faults] == ["ratings.csv: holds no ratings"]


@pytest.mark.parametrize("separator", [";", "\t"])
def test_another_separator_is_read_too(separator):
    row = "d1,S,r1,r2,p1,3"
    found = read(row.replace(",", separator), header=HEADER.replace(",", separator))
    assert found == read(row)


def test_a_data_frame_and_a_workbook_give_the_same_ratings(tmp_path):
    rows = [["d1", "S", "r1", "r2", 7, 3], ["d1", "user", "r1", "r2", 7, 6.0]]
    path = workbook(tmp_path / "r.xlsx", [HEADER.split(","), *rows])
    found = read_ratings(path, CORPUS)
    assert found.ratings == [Rating("d1", "S", "r1", "r2", "7", 3), Rating("d1", "user", "r1", "r2", "7", 6)]
    assert read_ratings(DataFrame(rows, columns=HEADER.split(",")), CORPUS).ratings == found.ratings
    assert read_ratings(found.to_frame(), CORPUS).ratings == found.ratings


@pytest.mark.parametrize(
    "text", ['{"doc_id": "d1"}', '[{"doc_id": "d1", "system": "S"}]', '  [\n{"a": 1}\n]']
)
def test_json_is_called_so_and_the_table_that_is_wanted_is_named(text):
    with pytest.raises(InputError) as caught:
        read(header=text)
    assert [str(fault) for fault in caught.value.faults] == [
        "ratings.csv:1: this is JSON; wanted is a CSV table of ratings, whose first line names the columns "
        "doc_id, system, reader_a, reader_b, rater, rating; of an export of Label Studio or Potato "
        "`python -m meta_eval import-ratings` makes one"
    ]


def test_a_first_line_that_is_no_header_is_a_fault():
    with pytest.raises(InputError, match=r"^ratings.csv:1: the header lacks the columns"):
        read(header="x" * 200_000)
    with pytest.raises(InputError, match=r"^ratings.csv:1: the header lacks the columns system, reader_a"):
        read(header=HEADER.replace(",", "\r"))  # each name ends a line of its own


def test_a_row_is_named_with_its_line_below_blank_ones_and_a_header_may_have_blanks():
    with pytest.raises(InputError, match=r"^ratings.csv:4: rating 'x' is not"):
        read("", "d1,S,r1,r2,p1,3", "d1,S,r1,r2,p2,x", header=HEADER.replace(",", " , "))


def test_gold_pairs_pool_the_ratings_of_both_questionnaires_of_a_document():
    rows = [
        f"d1,user,{pair},{rater},{rating}"
        for pair, rater, rating in [
            ("r1,r2", "p1", 6),
            ("r2,r1", "p1", 5),
            ("r1,r2", "p2", 3),
            ("r1,r2", "p3", 2),
        ]
    ]
    assert pool_ratings(read(*rows)) == {RatedPair("d1", "user", "r1", "r2"): PairRating(mean=4.0, ratings=4)}


@pytest.mark.parametrize(
    ("rating", "similarity", "dissimilarity"),
    [(1, 1.0, 0.0), (3.5, 0.5, 0.5), (6, 0.0, 1.0), (4.5, 0.3, 0.7)],
)
def test_divergences_follow_the_direction_of_the_scale(rating, similarity, dissimilarity):
    assert human_divergence(rating, "similarity") == pytest.approx(similarity)
    assert human_divergence(rating, "dissimilarity") == pytest.approx(dissimilarity)


@given(st.integers(1, 6))
def test_turning_scale_and_rating_around_changes_nothing(rating):
    assert human_divergence(rating, "similarity") == pytest.approx(
        human_divergence(7 - rating, "dissimilarity")
    )


def test_an_unknown_scale_is_refused():
    assert check_scale("similarity") == "similarity"
    with pytest.raises(InputError, match="scale is similarity or dissimilarity, not 'up'"):
        check_scale("up")


@pytest.mark.parametrize("value", [0, 7, 3.5, float("nan")])
def test_a_rating_that_is_not_on_the_scale_is_refused_wherever_ratings_are_taken(value):
    good = [Rating("d", name, "ann", "bob", rater, 3) for name in ("user", "A") for rater in "pq"]
    wrong = [*good[:-1], replace(good[-1], rating=value)]
    divergences = human_divergences(good, scale="similarity")
    for take in (
        lambda: human_divergences(wrong, scale="similarity"),
        lambda: human_divergences(RatingTable(wrong, []), scale="similarity", ends=Ends(1, 6)),
        lambda: build_panel(wrong, divergences),
        lambda: count_ratings(wrong),
    ):
        with pytest.raises(InputError, match=r"by 'q', of system 'A', document 'd', is not a whole number"):
            take()
    with pytest.raises(InputError, match="is not a whole number from 1 to 5"):
        count_ratings([replace(good[0], rating=6)], Ends(1, 5))
    if value == 7:
        assert human_divergences(wrong, scale="similarity", ends=Ends(1, 7)).ratings == 4
        with pytest.raises(InputError, match="from 1 to 6, not 7"):
            human_divergence(value, "similarity")


def test_without_ratings_nobody_is_told_to_collect_more_of_them():
    with pytest.raises(InputError, match="there are no ratings of pairs of texts"):
        human_divergences([], scale="similarity")
