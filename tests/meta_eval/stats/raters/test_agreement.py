from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from meta_eval.corpus.documents import GOLD
from meta_eval.errors import InputError
from meta_eval.ratings.rating import Ends, Rating
from meta_eval.stats.raters.agreement import COEFFICIENTS, count_ratings, measure_agreement
from meta_eval.stats.raters.agreement_sums import UnitSums


def units_of(highest: int):
    return st.lists(st.lists(st.integers(1, highest), min_size=1, max_size=4), min_size=2, max_size=8)


SCALES = st.sampled_from([6, 5, 11, 12, 101]).flatmap(
    lambda highest: st.tuples(st.just(highest), units_of(highest))
)
"""Scales from 1 on: the papers' own, others whose points all have sums, and wide ones."""
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


def ordinal_distance(values):
    def between(a: int, b: int) -> int:
        return sum(min(a, b) <= value <= max(a, b) for value in values)

    return lambda a, b: (between(a, b) - (values.count(a) + values.count(b)) / 2) ** 2


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


def gwet(units, highest: int) -> float:
    """Gwet 2014, section 4.4, rating by rating; all points of the scale are categories."""
    paired = [unit for unit in units if len(unit) > 1]

    def weight(a: int, b: int) -> float:
        return 1 - (a - b) ** 2 / (highest - 1) ** 2

    observed = np.mean([np.mean([weight(a, b) for a, b in permutations(unit, 2)]) for unit in paired])
    shares = [np.mean([unit.count(c) / len(unit) for unit in units]) for c in range(1, highest + 1)]
    total = sum(weight(a, b) for a in range(highest) for b in range(highest))
    chance = total / (highest * (highest - 1)) * sum(p * (1 - p) for p in shares)
    return (observed - chance) / (1 - chance)


def share_within(units, points: float) -> float:
    pairs = pairs_of(units)
    return sum(w for a, b, w in pairs if abs(a - b) <= points) / sum(w for *_, w in pairs)


def intraclass(units) -> tuple[float, float]:
    paired = [np.array(unit, dtype=float) for unit in units if len(unit) > 1]
    n = sum(len(unit) for unit in paired)
    grand = sum(unit.sum() for unit in paired) / n
    between = sum(len(unit) * (unit.mean() - grand) ** 2 for unit in paired) / (len(paired) - 1)
    within = sum(((unit - unit.mean()) ** 2).sum() for unit in paired) / (n - len(paired))
    k = (n - sum(len(unit) ** 2 for unit in paired) / n) / (len(paired) - 1)
    return (between - within) / (between + (k - 1) * within), (between - within) / between


@given(SCALES)
def test_coefficients_equal_their_definitions_for_changing_raters_and_missing_cells(rated):
    highest, units = rated
    paired = [unit for unit in units if len(unit) > 1]
    assume(len(paired) > 1)
    values = [value for unit in paired for value in unit]
    assume(len(set(values)) > 1)
    _, found = measure(units, range(1, highest + 1), resamples=20)
    expected = {
        "krippendorff_ordinal": alpha(units, ordinal_distance(values)),
        "krippendorff_interval": alpha(units, lambda a, b: (a - b) ** 2),
        "kappa_quadratic": kappa(units),
        "gwet_ac2": gwet(units, highest),
        "within_one": share_within(units, 1),
    }
    if highest > 10:
        expected["within_fifth"] = share_within(units, (highest - 1) / 5)
    if len({np.mean(unit) for unit in paired}) > 1:
        expected["icc_1_1"], expected["icc_1_k"] = intraclass(units)
    assert {name: found[name].estimate for name in expected} == pytest.approx(expected, abs=1e-9)
    assert (highest > 10) == ("within_fifth" in found)


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
    assert [pair.system for pair in found.pairs] == ["S", GOLD]  # in an order that depends on no file's
    assert found.documents == ("d1", "d1")
    np.testing.assert_array_equal(found.counts.toarray(), [[0, 0, 0, 0, 0, 1], [0, 1, 1, 0, 0, 0]])


def on_slider(pairs: int, highest: int = 1000) -> list[Rating]:
    rng = np.random.default_rng(3)
    level = rng.uniform(0, highest, pairs)[:, None]
    given = np.clip(np.rint(level + rng.normal(0, highest / 10, (pairs, 3))), 0, highest).astype(int)
    return [
        Rating(f"d{pair // 10}", "S", "a", f"b{pair}", f"p{rater}", value)
        for pair, values in enumerate(given.tolist())
        for rater, value in enumerate(values)
    ]


def test_a_wide_scale_takes_as_much_memory_as_its_ratings():
    """Dense tables of 1,001 by 1,001 points for each of these pairs were 32 GB."""
    counted = count_ratings(on_slider(2_000), Ends(0, 1000))
    assert counted.counts.nnz <= 6_000
    sums = UnitSums(counted.counts, np.arange(1001.0))
    assert sums.features.nnz <= (2 * 6 + 3 + 7) * 2_000
    by_document = sums.by_cluster(counted.documents)
    assert by_document.batch * sums.features.shape[1] <= 4_000_000
    report = measure_agreement(
        counted.counts,
        rng=np.random.default_rng(0),
        categories=range(1001),
        clusters=counted.documents,
        resamples=20,
    )
    assert (report.units, report.ratings, report.table.sum()) == (2_000, 6_000, pytest.approx(6_000))
    assert {one.coefficient: round(one.estimate, 1) for one in report.agreements if one.interval} == {
        "krippendorff_ordinal": 0.9,
        "krippendorff_interval": 0.9,
        "kappa_quadratic": 0.9,
        "icc_1_1": 0.9,
        "icc_1_k": 1.0,
        "gwet_ac2": 0.9,
        "within_one": 0.0,
        "within_fifth": 0.9,
    }


def test_a_wide_scale_resamples_as_a_narrow_one_does():
    """The same ratings, of which the wide scale has more points that nobody gave: only Gwet's q differs."""
    units = noisy(4, 60)
    clusters = [f"d{number // 2}" for number in range(60)]
    narrow = measure(units, clusters=clusters, resamples=200)[1]
    report, wide = measure(units, range(-20, 41), clusters=clusters, resamples=200)
    assert report.categories == (1, 2, 3, 4, 5, 6)
    for name in set(narrow) - {"gwet_ac2"}:
        a, b = narrow[name], wide[name]
        assert (b.estimate, b.interval.low, b.interval.high) == pytest.approx(
            (a.estimate, a.interval.low, a.interval.high), abs=1e-12
        )


def test_shares_of_other_scales_say_what_a_point_is():
    said = {highest: measure(noisy(1, 12), range(1, highest + 1))[1] for highest in (6, 7, 101)}
    one = "Share of pairs of ratings at most one point apart"
    assert {highest: found["within_one"].title for highest, found in said.items()} == {
        6: one,
        7: f"{one}, of a range of 6",
        101: f"{one}, of a range of 100",
    }
    assert said[101]["within_fifth"].title == (
        "Share of pairs of ratings at most a fifth of the range apart, 20 points"
    )


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
