from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from meta_eval.corpus.documents import GOLD
from meta_eval.errors import InputError
from meta_eval.ratings.rating import Rating
from meta_eval.stats.raters.agreement import COEFFICIENTS, count_ratings, measure_agreement

RATINGS = st.lists(st.lists(st.integers(1, 6), min_size=1, max_size=4), min_size=2, max_size=8)
CANONICAL = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
"""Krippendorff's (2011) four observers and twelve units, some missing."""
SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def counts_of(units, categories=range(1, 7)) -> np.ndarray:
    return np.array([[unit.count(value) for value in categories] for unit in units], dtype=float)


def measure(units, categories=range(1, 7), **options):
    options = {"least_units": 1, "resamples": 50, **options}
    report = measure_agreement(
        counts_of(units, categories), rng=np.random.default_rng(0), categories=categories, **options
    )
    return report, {one.coefficient: one for one in report.agreements}


def test_krippendorffs_alpha_of_his_own_example():
    units = [[value for value in column if value] for column in zip(*CANONICAL, strict=True)]
    report, found = measure(units, categories=range(1, 6))
    assert found["krippendorff_ordinal"].estimate == pytest.approx(0.815, abs=5e-4)
    assert found["krippendorff_interval"].estimate == pytest.approx(0.849, abs=5e-4)
    assert (report.units, report.ratings, report.single) == (11, 40, 1)


def test_intraclass_correlations_of_shrout_and_fleiss():
    _, found = measure(SHROUT_FLEISS, categories=range(1, 11))
    assert found["icc_1_1"].estimate == pytest.approx(0.17, abs=5e-3)
    assert found["icc_1_k"].estimate == pytest.approx(0.44, abs=5e-3)


def ordinal_distance(values) -> np.ndarray:
    n = [values.count(c) for c in range(1, 7)]
    return np.array(
        [[(sum(n[min(c, k) : max(c, k) + 1]) - (n[c] + n[k]) / 2) ** 2 for k in range(6)] for c in range(6)]
    )


def pairs_of(units) -> list[tuple[int, int, float]]:
    """Every ordered pair of ratings of one unit, and its weight."""
    return [(a, b, 1 / (len(u) - 1)) for u in units if len(u) > 1 for a, b in permutations(u, 2)]


def alpha(units, distance) -> float:
    values = [value for unit in units if len(unit) > 1 for value in unit]
    observed = sum(w * distance(a, b) for a, b, w in pairs_of(units)) / len(values)
    expected = sum(distance(a, b) for a, b in permutations(values, 2)) / (len(values) * (len(values) - 1))
    return 1 - observed / expected


def kappa(units) -> float:
    pairs = pairs_of(units)
    total = sum(w for *_, w in pairs)
    observed = sum(w * (a - b) ** 2 for a, b, w in pairs) / total
    expected = sum(v * w * (a - d) ** 2 for a, _, v in pairs for _, d, w in pairs) / total**2
    return 1 - observed / expected


def gwet(units) -> float:
    """Gwet 2014, section 4.4, rating by rating."""
    paired = [unit for unit in units if len(unit) > 1]

    def weight(a: int, b: int) -> float:
        return 1 - (a - b) ** 2 / 25

    observed = np.mean([np.mean([weight(a, b) for a, b in permutations(unit, 2)]) for unit in paired])
    shares = [np.mean([unit.count(c) / len(unit) for unit in units]) for c in range(1, 7)]
    total = sum(weight(a, b) for a in range(6) for b in range(6))
    chance = total / (6 * 5) * sum(p * (1 - p) for p in shares)
    return (observed - chance) / (1 - chance)


def intraclass(units) -> tuple[float, float]:
    paired = [np.array(unit, dtype=float) for unit in units if len(unit) > 1]
    n = sum(len(unit) for unit in paired)
    grand = sum(unit.sum() for unit in paired) / n
    between = sum(len(unit) * (unit.mean() - grand) ** 2 for unit in paired) / (len(paired) - 1)
    within = sum(((unit - unit.mean()) ** 2).sum() for unit in paired) / (n - len(paired))
    k = (n - sum(len(unit) ** 2 for unit in paired) / n) / (len(paired) - 1)
    return (between - within) / (between + (k - 1) * within), (between - within) / between


@given(RATINGS)
def test_coefficients_equal_their_definitions_for_changing_raters_and_missing_cells(units):
    paired = [unit for unit in units if len(unit) > 1]
    assume(len(paired) > 1)
    values = [value for unit in paired for value in unit]
    assume(len(set(values)) > 1)
    _, found = measure(units)
    ordinal = ordinal_distance(values)
    expected = {
        "krippendorff_ordinal": alpha(units, lambda a, b: ordinal[a - 1, b - 1]),
        "krippendorff_interval": alpha(units, lambda a, b: (a - b) ** 2),
        "kappa_quadratic": kappa(units),
        "gwet_ac2": gwet(units),
        "within_one": sum(w for a, b, w in pairs_of(units) if abs(a - b) <= 1) / len(values),
    }
    if len({np.mean(unit) for unit in paired}) > 1:
        expected["icc_1_1"], expected["icc_1_k"] = intraclass(units)
    for name, value in expected.items():
        assert found[name].estimate == pytest.approx(value, abs=1e-9), name


def test_the_table_counts_both_orders_of_each_pair():
    report, _ = measure([[1, 2], [2, 2, 6], [4]])
    expected = np.zeros((6, 6))
    expected[0, 1] = expected[1, 0] = 1.0
    expected[1, 1] = 1.0
    expected[1, 5] = expected[5, 1] = 1.0
    np.testing.assert_allclose(report.table, expected)
    assert report.table.sum() == report.ratings == 5
    assert report.single == 1


def noisy(seed: int, units: int, raters: int = 2) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    level = rng.uniform(1, 6, units)[:, None]
    return np.clip(np.rint(level + rng.normal(0, 0.7, (units, raters))), 1, 6).astype(int).tolist()


def test_each_coefficient_has_an_interval_over_units():
    _, found = measure(noisy(1, 80), resamples=800)
    for one in found.values():
        assert one.interval.low < one.estimate < one.interval.high
        assert (one.interval.method, one.interval.resamples) == ("bca", 800)
    wide = measure(noisy(1, 20), resamples=800)[1]["krippendorff_ordinal"].interval
    narrow = found["krippendorff_ordinal"].interval
    assert wide.high - wide.low > narrow.high - narrow.low


def test_units_of_one_document_may_be_resampled_together():
    """Five copies of each unit are no more evidence than one, if they are drawn together."""
    units = noisy(2, 30)
    copies = [unit for unit in units for _ in range(5)]
    clusters = [f"d{number}" for number in range(30) for _ in range(5)]
    together = measure(copies, clusters=clusters, resamples=500)[1]["icc_1_1"].interval
    apart = measure(copies, resamples=500)[1]["icc_1_1"].interval
    alone = measure(units, resamples=500)[1]["icc_1_1"].interval
    assert (together.low, together.high) == pytest.approx((alone.low, alone.high), abs=0.03)
    assert apart.high - apart.low < 0.6 * (together.high - together.low)


def test_too_few_units_say_nothing():
    report, found = measure(noisy(1, 9), least_units=10)
    assert set(found) == set(COEFFICIENTS)
    assert {(one.estimate, one.interval, one.reason) for one in found.values()} == {
        (None, None, "9 pairs have two ratings or more, at least 10 are needed")
    }
    assert report.units == 9


def test_ratings_that_never_vary_leave_agreement_beyond_chance_undefined():
    _, found = measure([[3, 3]] * 12)
    for name in ("krippendorff_ordinal", "krippendorff_interval", "kappa_quadratic", "icc_1_1", "icc_1_k"):
        assert (found[name].estimate, found[name].reason) == (None, "the ratings do not vary")
    assert (found["within_one"].estimate, found["gwet_ac2"].estimate) == (1.0, 1.0)


def test_a_raters_second_rating_of_the_gold_pair_is_no_second_opinion():
    ratings = [
        Rating("d1", GOLD, "r1", "r2", "p1", 2),
        Rating("d1", GOLD, "r2", "r1", "p1", 5),
        Rating("d1", GOLD, "r1", "r2", "p2", 3),
        Rating("d1", "S", "r1", "r2", "p1", 6),
    ]
    found = count_ratings(ratings)
    assert found.repeated == 1
    assert [pair.system for pair in found.pairs] == [GOLD, "S"]
    assert found.documents == ("d1", "d1")
    np.testing.assert_array_equal(found.counts, [[0, 1, 1, 0, 0, 0], [0, 0, 0, 0, 0, 1]])


def test_bad_calls_are_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(InputError, match="need one column for each of 6 categories"):
        measure_agreement(np.ones((4, 5)), rng=rng)
    with pytest.raises(InputError, match="2 clusters cannot be those of 12 units"):
        measure_agreement(counts_of(noisy(1, 12)), rng=rng, clusters=["a", "b"])


def test_no_ratings_at_all_are_too_few():
    report = measure_agreement(np.zeros((0, 6)), rng=np.random.default_rng(0))
    assert (report.units, report.ratings, report.table.sum()) == (0, 0, 0)
    assert {one.reason for one in report.agreements} == {
        "0 pairs have two ratings or more, at least 10 are needed"
    }
