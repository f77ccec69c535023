"""Raters against the other raters, and measures against the same."""

from dataclasses import astuple

import numpy as np
import pytest
from scipy import stats

from meta_eval.corpus.documents import GOLD
from meta_eval.errors import InputError
from meta_eval.ratings.rating import Rating
from meta_eval.stats.raters.as_measures import raters_as_measures

SYSTEMS = "ABCDE"


def rate(seed=0, *, pages=12, noise=(0.5, 0.5, 0.5, 3.0), severity=(0, 0, 2, 0)):
    """Ratings of dissimilarity by raters with noise of their own, and the truth of each item."""
    rng = np.random.default_rng(seed)
    ratings, truth = [], {}
    for number in range(pages):
        for system in SYSTEMS:
            true = rng.uniform(1, 6)
            for rater, (spread, severe) in enumerate(zip(noise, severity, strict=True)):
                value = true - severe + spread * rng.normal()
                ratings.append(Rating(f"d{number}", system, "ann", "bob", f"r{rater}", value))
                truth[ratings[-1].pair] = true
    return ratings, truth


def judge(ratings, distances, scale="dissimilarity", **more):
    return raters_as_measures(ratings, distances, scale=scale, **more)


def test_a_rater_is_as_good_as_the_mean_tau_with_the_mean_of_the_others():
    ratings, truth = rate()
    rows = {row.rater: row for row in judge(ratings, {"truth": truth})}
    taus, by_truth = [], []
    for number in range(12):
        page = [one for one in ratings if one.doc_id == f"d{number}"]
        own = [one.rating for one in page if one.rater == "r1"]
        others = [
            np.mean([one.rating for one in page if one.rater != "r1" and one.system == system])
            for system in SYSTEMS
        ]
        true = [truth[one.pair] for one in page if one.rater == "r1"]
        taus.append(stats.kendalltau(own, others).statistic)
        by_truth.append(stats.kendalltau(true, others).statistic)
    assert rows["r1"].estimate == pytest.approx(np.mean(taus))
    assert rows["r1"].measures["truth"] == pytest.approx(np.mean(by_truth))
    assert rows["r1"].pages == 12


def test_noisy_raters_come_last_and_severe_ones_are_no_worse():
    ratings, truth = rate(1, pages=40)
    rows = judge(ratings, {"truth": truth, "against": {pair: -value for pair, value in truth.items()}})
    assert rows[-1].rater == "r3"
    estimates = {row.rater: row.estimate for row in rows}
    assert estimates["r2"] > estimates["r3"] + 0.2
    for row in rows:
        assert row.measures["truth"] > row.estimate - 0.1
        assert row.measures["against"] == pytest.approx(-row.measures["truth"])


def test_of_similarity_ratings_a_distance_points_the_other_way():
    ratings, truth = rate(2)
    turned = [
        Rating(one.doc_id, one.system, one.reader_a, one.reader_b, one.rater, 7 - one.rating)
        for one in ratings
    ]
    wanted, found = judge(ratings, {"truth": truth}), judge(turned, {"truth": truth}, scale="similarity")
    assert [(row.rater, row.estimate, row.measures) for row in found] == [
        (row.rater, pytest.approx(row.estimate), pytest.approx(row.measures)) for row in wanted
    ]


def test_pages_on_which_one_side_orders_nothing_and_gold_do_not_count():
    ratings, truth = rate(3)
    flat = [
        one if (one.rater, one.doc_id) != ("r0", "d0") else Rating("d0", one.system, "ann", "bob", "r0", 3)
        for one in ratings
    ]
    gold = [Rating(f"d{number}", GOLD, "ann", "bob", "r0", 6) for number in range(12)]
    rows = {row.rater: row for row in judge([*flat, *gold], {"truth": truth})}
    assert (rows["r0"].pages, rows["r1"].pages) == (11, 12)
    assert rows["r1"].estimate == {row.rater: row for row in judge(flat, {})}["r1"].estimate


def test_the_first_rating_of_an_item_counts():
    ratings, truth = rate(4)
    again = [Rating(one.doc_id, one.system, "ann", "bob", one.rater, 1) for one in ratings]
    assert judge([*ratings, *again], {"truth": truth}) == judge(ratings, {"truth": truth})


def test_raters_with_few_pages_have_no_row():
    ratings, truth = rate(5)
    few = [one for one in ratings if one.rater != "r3" or one.doc_id in ("d0", "d1", "d2", "d3")]
    assert sorted(row.rater for row in judge(few, {"truth": truth})) == ["r0", "r1", "r2"]
    assert len(judge(few, {"truth": truth}, least_pages=4)) == 4


def test_a_measure_without_distances_has_no_number():
    ratings, _ = rate(6)
    assert {row.measures["none"] for row in judge(ratings, {"none": {}})} == {None}


def test_raters_who_share_no_pages_are_refused():
    ratings = [one for one in rate()[0] if one.rater == "r0"]
    with pytest.raises(InputError, match="no rater shares 5 pages with others on which systems differ"):
        judge(ratings, {})


def test_two_raters_who_rated_with_each_other_alone_are_one_row():
    ratings, truth = rate(2, noise=(0.5, 0.5), severity=(0, 0))
    more, true = rate(3, noise=(0.5, 0.5, 0.5), severity=(0, 0, 0))
    renamed = [Rating(f"e{one.doc_id}", *astuple(one)[1:4], f"s{one.rater}", one.rating) for one in more]
    distances = truth | {one.pair: true[other.pair] for one, other in zip(renamed, more, strict=True)}
    rows = judge([*ratings, *renamed], {"truth": distances})
    assert sorted((row.rater, row.partner) for row in rows if row.partner) == [("r0", "r1")]
    assert sorted(row.rater for row in rows if not row.partner) == ["sr0", "sr1", "sr2"]
    (couple,) = (row for row in rows if row.partner)
    wanted = []
    for other in ("r0", "r1"):
        for number in range(12):
            page = [one for one in ratings if one.doc_id == f"d{number}" and one.rater == other]
            sides = [one.rating for one in page], [truth[one.pair] for one in page]
            wanted.append(stats.kendalltau(*sides).statistic)
    assert couple.measures["truth"] == pytest.approx(np.mean(wanted))
