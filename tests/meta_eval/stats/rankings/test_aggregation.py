import pytest

from meta_eval.errors import InputError
from meta_eval.stats.rankings.aggregation import (
    Ranking,
    aggregate_with_accuracy,
    borda,
    correlate_rankings,
    find_paradox,
    rank_systems,
)

BETTER_HIGH = Ranking({"a": 0.9, "b": 0.5, "c": 0.5, "d": 0.1}, higher_is_better=True)
BETTER_LOW = Ranking({"d": 0.9, "c": 0.2, "b": 0.3, "a": 0.1, "e": 0.4}, higher_is_better=False)


def test_ranks_follow_the_direction_and_share_ties():
    assert rank_systems(BETTER_HIGH) == {"a": 1.0, "b": 2.5, "c": 2.5, "d": 4.0}
    assert rank_systems(BETTER_LOW) == {"d": 5.0, "c": 2.0, "b": 3.0, "a": 1.0, "e": 4.0}
    missing = Ranking({"a": None, "b": float("nan"), "c": 1.0, "d": 1.0 + 1e-15}, higher_is_better=True)
    assert rank_systems(missing) == {"c": 1.5, "d": 1.5}


def test_borda_sums_the_ranks_of_the_systems_that_all_rank():
    found = borda([BETTER_HIGH, BETTER_LOW])
    assert list(found.points.items()) == [("a", 2.0), ("c", 4.5), ("b", 5.5), ("d", 8.0)]
    assert found.ranks == {"a": 1.0, "c": 2.0, "b": 3.0, "d": 4.0}
    assert found.left_out == ("e",)
    turned = Ranking({"a": 0, "b": 1}, higher_is_better=True)
    assert borda([turned, Ranking({"a": 0, "b": 1}, higher_is_better=False)]).ranks == {"a": 1.5, "b": 1.5}
    with pytest.raises(InputError, match="there is no ranking to put together"):
        borda([])


def test_rankings_that_agree_correlate_whatever_their_directions():
    up = Ranking({"a": 1, "b": 2, "c": 3}, higher_is_better=True)
    down = Ranking({"a": 0.3, "b": 0.2, "c": 0.1, "z": 0}, higher_is_better=False)
    assert correlate_rankings(up, down, "kendall").estimate == pytest.approx(1.0)
    assert correlate_rankings(up, down, "kendall").n == 3


def test_an_accuracy_measure_may_mend_a_metric():
    human = Ranking({"a": 4, "b": 3, "c": 2, "d": 1}, higher_is_better=True)
    metric = Ranking({"a": 4, "b": 3, "c": 1, "d": 2}, higher_is_better=True)
    accuracies = {"jsd": Ranking({"a": 1, "b": 2, "c": 3, "d": 7}, higher_is_better=False)}
    (found,) = aggregate_with_accuracy(metric, accuracies, human, coefficients=["kendall"])
    assert found.measure == "jsd"
    assert found.metric[0].estimate == pytest.approx(4 / 6)
    assert found.accuracy[0].estimate == pytest.approx(1.0)
    assert found.borda.points == {"a": 2.0, "b": 4.0, "c": 7.0, "d": 7.0}
    assert found.combined[0].estimate == pytest.approx(5 / 30**0.5)


def test_the_paradox_is_where_the_penalty_changes_the_ranking():
    degress = {"jsd": {"a": 0.5, "b": 0.4, "c": 0.3}, "bleu": {"a": 0.5, "b": 0.4, "c": 0.3}}
    perseval = {"jsd": {"a": 0.2, "b": 0.1, "c": 0.05}, "bleu": {"a": 0.1, "b": 0.2, "c": 0.05}}
    found = find_paradox(degress, perseval, coefficients=["kendall"])
    assert [(one.measure, one.correlations[0].estimate) for one in found] == [
        ("jsd", pytest.approx(1.0)),
        ("bleu", pytest.approx(1 / 3)),
    ]
    with pytest.raises(InputError, match="measures differ: bleu"):
        find_paradox(degress, {"jsd": perseval["jsd"]})
