import csv

import numpy as np
import pytest
from scipy import stats

from meta_eval.errors import InputError
from meta_eval.stats.rankings.stability import largest_spread, measure_stability, system_stability


def test_published_means_give_the_published_bias_and_variance():
    """PerSEval Table 4, BigBird-Pegasus (protocol 9)."""
    found = system_stability("BigBird-Pegasus", [0.1496, 0.153, 0.1535, 0.1558, 0.1564])
    assert found.bias == pytest.approx(0.0024, abs=5e-5)
    assert found.variance == pytest.approx(5.81e-6, abs=5e-9)


@pytest.mark.shared
def test_all_ten_systems_of_the_published_table_come_out(shared):
    path = shared / "data" / "published" / "perseval_table4_stability.csv"
    rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    found = [
        system_stability(row["system"], [float(row[share]) for share in ("100", "80", "60", "40", "20")])
        for row in rows
    ]
    assert len(found) == 10
    assert [f"{one.bias:.4f}" for one in found] == [row["bias"] for row in rows]
    assert [f"{one.variance:.2E}" for one in found] == [row["variance"] for row in rows]
    assert largest_spread(found) == pytest.approx(0.0024, abs=5e-5)


def scores(rng: np.random.Generator) -> np.ndarray:
    values = np.arange(6.0)[:, None] / 6 + rng.standard_normal((6, 50))
    values[:, 40:] = np.nan
    values[2, 5] = np.nan
    return values


def test_samples_are_shares_of_the_scored_documents():
    given = scores(np.random.default_rng(1))
    found = measure_stability(given, systems="abcdef", rng=np.random.default_rng(2), samples=4)
    assert [(one.share, one.documents, one.coefficient) for one in found.shares] == [
        (share, documents, coefficient)
        for share, documents in ((0.8, 32), (0.6, 24), (0.4, 16), (0.2, 8))
        for coefficient in ("spearman", "kendall")
    ]
    assert {one.samples for one in found.shares} == {4}


def test_epsilon_is_the_rank_correlation_of_each_sample_with_all_documents():
    given = scores(np.random.default_rng(1))
    found = measure_stability(
        given,
        systems="abcdef",
        rng=np.random.default_rng(2),
        shares=[0.5],
        samples=3,
        coefficients=["kendall"],
    )
    order = np.random.default_rng(2).random((3, 40)).argsort(axis=1)
    epsilon, means = [], []
    for row in order:
        sample = np.nanmean(given[:, row[:20]], axis=1)
        means.append(sample)
        epsilon.append(stats.kendalltau(sample, np.nanmean(given, axis=1)).statistic)
    one = found.shares[0]
    assert (one.minimum, one.mean, one.maximum) == pytest.approx(
        (min(epsilon), np.mean(epsilon), max(epsilon))
    )
    assert one.minimum < one.maximum
    assert one.means == pytest.approx(tuple(np.mean(means, axis=0)))
    for row, system in enumerate(found.systems):
        pair = [np.nanmean(given[row]), np.mean(means, axis=0)[row]]
        assert system.means == pytest.approx(pair)
        assert (system.bias, system.variance) == pytest.approx((np.std(pair), np.var(pair)))
    assert found.delta == max(*(one.bias for one in found.systems), *(one.variance for one in found.systems))


def test_with_replacement_a_sample_may_hold_a_document_twice():
    given = scores(np.random.default_rng(1))
    asked = {"systems": "abcdef", "shares": [0.5], "samples": 300}
    found, usual = (
        measure_stability(given, rng=np.random.default_rng(2), replace=replace, **asked)
        for replace in (True, False)
    )
    drawn = np.random.default_rng(2).multinomial(20, np.full(40, 1 / 40), size=300)
    drawn = np.pad(drawn, ((0, 0), (0, 10)))  # ten documents have no score
    expected = [
        stats.kendalltau(
            [np.nanmean(np.repeat(row, times)) for row in given], np.nanmean(given, axis=1)
        ).statistic
        for times in drawn
    ]
    (kendall,) = [one for one in found.shares if one.coefficient == "kendall"]
    assert (kendall.minimum, kendall.mean) == pytest.approx((min(expected), np.mean(expected)))
    assert kendall.mean < usual.shares[-1].mean  # fewer different documents say less


def test_one_epsilon_is_the_greatest_of_all_shares():
    given = scores(np.random.default_rng(1))
    found = measure_stability(given, systems="abcdef", rng=np.random.default_rng(2), samples=4)
    for coefficient, epsilon in found.epsilons.items():
        own = [one.maximum for one in found.shares if one.coefficient == coefficient]
        assert len(own) == 4
        assert epsilon == max(own)
    nothing = measure_stability(np.ones((3, 5)), systems="abc", rng=np.random.default_rng(2), shares=[0.4])
    assert set(nothing.epsilons.values()) == {None}


def test_all_documents_are_the_full_ranking_itself():
    given = scores(np.random.default_rng(1))
    found = measure_stability(given, systems="abcdef", rng=np.random.default_rng(2), shares=[1.0])
    assert [one.minimum for one in found.shares] == pytest.approx([1.0, 1.0])
    assert found.delta == pytest.approx(0.0, abs=1e-12)


def test_what_cannot_be_ranked_is_undefined():
    found = measure_stability(np.ones((3, 5)), systems="abc", rng=np.random.default_rng(2), shares=[0.4])
    assert {(one.minimum, one.mean, one.maximum, one.undefined) for one in found.shares} == {
        (None, None, None, 10)
    }
    lone = np.array([[0.1, 0.2], [np.nan, np.nan]])
    spread = measure_stability(lone, systems="ab", rng=np.random.default_rng(2), shares=[0.5]).systems
    assert (spread[1].means, spread[1].bias, spread[1].variance) == ((None, None), None, None)


def test_bad_calls_are_refused():
    rng = np.random.default_rng(2)
    with pytest.raises(InputError, match="a share of the documents is above 0 and at most 1, not 80"):
        measure_stability(np.ones((2, 5)), systems="ab", rng=rng, shares=[80])
    with pytest.raises(InputError, match=r"3 systems cannot be those of contributions \(2, 5\)"):
        measure_stability(np.ones((2, 5)), systems="abc", rng=rng)
