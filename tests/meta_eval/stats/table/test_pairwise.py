import numpy as np
import pytest

from meta_eval.errors import InputError
from meta_eval.scores.contributions import Contributions
from meta_eval.stats.resampling.documents import resample_documents
from meta_eval.stats.resampling.samples import fixed_score, resample_systems
from meta_eval.stats.significance.adjustment import adjust_p_values
from meta_eval.stats.significance.comparison import compare_by_bootstrap, compare_by_permutation
from meta_eval.stats.significance.williams import compare_by_williams
from meta_eval.stats.table.pairwise import CompareOptions, PairedSamples, compare_measures

SYSTEMS = ("a", "b", "c", "d", "e", "f")
HUMAN = dict(zip(SYSTEMS, (0.1, 0.25, 0.3, 0.5, 0.55, 0.8), strict=True))


def contributions(seed: int, noise: float, *, systems=SYSTEMS) -> Contributions:
    rng = np.random.default_rng(seed)
    values = np.array([HUMAN[name] for name in systems])[:, None] + noise * rng.normal(
        size=(len(systems), 20)
    )
    documents = tuple(f"d{number}" for number in range(20))
    return Contributions(
        systems, documents, values, values**2, values, values, np.ones(values.shape, dtype=np.int64)
    )


MEASURES = {"good": contributions(1, 0.01), "fair": contributions(2, 0.5), "poor": contributions(3, 3.0)}


def compare(measures=MEASURES, human=HUMAN, *, score="perseval", coefficient="pearson", **options):
    return compare_measures(
        measures, {"x": human}, score=score, coefficient=coefficient, options=CompareOptions(**options)
    )


def by_test(found, test):
    return [one for one in found if one.test == test]


def test_each_pair_is_compared_as_the_tests_compare_it():
    found = compare(tests=("permutation", "williams", "bootstrap"), resamples=300)
    assert [(one.first, one.second) for one in by_test(found, "williams")] == [
        ("good", "fair"),
        ("good", "poor"),
        ("fair", "poor"),
    ]
    x, y = MEASURES["good"].perseval, MEASURES["poor"].perseval
    people = np.array(list(HUMAN.values()))
    rng = np.random.default_rng(0)
    permuted = by_test(found, "permutation")
    assert permuted[1].found == compare_by_permutation(x, y, people, "pearson", rng=rng)
    means = [side.mean(axis=1).tolist() for side in (x, y)]
    williams = compare_by_williams(*means, list(HUMAN.values()), "pearson")
    assert by_test(found, "williams")[1].found.p_value == pytest.approx(williams.p_value)
    drawn = resample_systems(
        {
            name: fixed_score(np.array(values), resamples=300)
            for name, values in (("x", means[0]), ("y", means[1]), ("z", people))
        },
        rng=np.random.default_rng(0).spawn(4)[-1],
    )
    expected = compare_by_bootstrap(drawn["x"], drawn["y"], drawn["z"], "pearson", method="percentile")
    resampled = by_test(found, "bootstrap")[1]
    assert resampled.found.p_value == expected.p_value
    assert (resampled.found.interval.low, resampled.ci_over) == (expected.interval.low, "systems")
    for test in ("permutation", "williams", "bootstrap"):
        own = by_test(found, test)
        assert tuple(one.p_adjusted for one in own) == adjust_p_values([one.found.p_value for one in own])


def test_p_is_adjusted_over_the_pairs_of_every_surrogate():
    turned = dict(zip(SYSTEMS, reversed(HUMAN.values()), strict=True))
    found = compare_measures(
        MEASURES,
        {"x": HUMAN, "y": turned},
        score="perseval",
        coefficient="kendall",
        options=CompareOptions(tests=("williams",), adjustment="benjamini-hochberg"),
    )
    assert [one.surrogate for one in found] == ["x"] * 3 + ["y"] * 3
    p_values = [one.found.p_value for one in found]
    assert tuple(one.p_adjusted for one in found) == adjust_p_values(p_values, method="benjamini-hochberg")


def test_perm_both_swaps_systems_and_documents():
    found = compare(tests=("permutation",), swap="both", permutations=199)
    x, y = MEASURES["good"].perseval, MEASURES["fair"].perseval
    stream = np.random.default_rng(0).spawn(4)[0]
    expected = compare_by_permutation(
        x, y, np.array(list(HUMAN.values())), "pearson", rng=stream, swap="both", permutations=199
    )
    assert (found[0].found, found[0].found.method) == (expected, "permutation of both")


def test_the_bootstrap_takes_what_was_drawn_for_it():
    given = {name: side.perseval for name, side in MEASURES.items()}
    people = np.repeat(np.array(list(HUMAN.values()))[:, None], 20, axis=1)
    drawn = resample_documents({**given, "x": people}, resamples=99, rng=np.random.default_rng(5))
    found = compare_measures(
        MEASURES,
        {"x": HUMAN},
        score="perseval",
        coefficient="kendall",
        options=CompareOptions(tests=("bootstrap",)),
        samples=PairedSamples(drawn, {"x": drawn["x"]}, "documents"),
    )
    expected = compare_by_bootstrap(
        drawn["good"], drawn["fair"], drawn["x"], "kendall", method="hierarchical"
    )
    assert found[0].as_dict() == {
        "surrogate": "x",
        "first": "good",
        "second": "fair",
        "coefficient": "kendall",
        "n": 6,
        "difference": expected.difference,
        "p_value": expected.p_value,
        "p_method": "bootstrap",
        "p_adjusted": found[0].p_adjusted,
        "statistic": None,
        "ci_low": expected.interval.low,
        "ci_high": expected.interval.high,
        "ci_method": "hierarchical",
        "ci_over": "documents",
        "reason": None,
    }


def test_the_order_of_systems_does_not_matter():
    turned = contributions(2, 0.5)
    order = [3, 0, 5, 1, 4, 2]
    shuffled = Contributions(
        tuple(SYSTEMS[i] for i in order),
        turned.documents,
        turned.degress[order],
        turned.perseval[order],
        turned.accuracy[order],
        turned.penalty[order],
        turned.pairs[order],
    )
    plain = compare(score="egises", coefficient="kendall")
    again = compare({**MEASURES, "fair": shuffled}, score="egises", coefficient="kendall")
    assert [one.as_dict() for one in again] == [one.as_dict() for one in plain]


def test_only_systems_that_all_have_are_compared():
    fewer = {**MEASURES, "poor": contributions(3, 3.0, systems=SYSTEMS[:5])}
    found = compare(fewer, {**HUMAN, "a": None}, score="degress", coefficient="kendall")
    assert {one.found.n for one in found} == {4}


def test_what_cannot_be_compared_says_why():
    with pytest.raises(InputError, match="at least two measures"):
        compare({"good": MEASURES["good"]})
    with pytest.raises(InputError, match="no system has both"):
        compare(human={"z": 0.5})
    with pytest.raises(InputError, match="a test is permutation, williams, bootstrap, not t"):
        compare(tests=("t",))
    with pytest.raises(InputError, match="there is no test to make"):
        compare(tests=())
