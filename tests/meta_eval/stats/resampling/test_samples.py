from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from meta_eval.errors import InputError
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.coefficients.registry import COEFFICIENTS
from meta_eval.stats.resampling.bootstrap import RowCache, TrueScores, bootstrap_correlation, make_interval
from meta_eval.stats.resampling.documents import resample_documents
from meta_eval.stats.resampling.samples import RaterPool, ScoreSample, fixed_score, resample_systems
from meta_eval.stats.resampling.weights import draw_indices


def contributions(rng: np.random.Generator, systems: int = 5, documents: int = 12) -> dict:
    """Two scores: one of all documents, one that lacks some documents and one system's share of others."""
    x = rng.random((systems, documents))
    y = x + rng.random((systems, documents))
    y[:, 8:] = np.nan
    y[2, 0] = np.nan
    return {"x": x, "y": y}


def test_resampled_scores_equal_a_loop_over_drawn_documents():
    given = contributions(np.random.default_rng(1))
    samples = resample_documents(given, resamples=20, rng=np.random.default_rng(2))
    documents_rng, _ = np.random.default_rng(2).spawn(2)
    drawn = draw_indices(units=12, resamples=20, rng=documents_rng)
    for key, values in given.items():
        expected = np.array([np.nanmean(values[:, row], axis=1) for row in drawn])
        np.testing.assert_allclose(samples[key].resampled, expected, atol=1e-12)
        np.testing.assert_allclose(samples[key].observed, np.nanmean(values, axis=1), atol=1e-12)
        without = np.array([np.nanmean(np.delete(values, i, axis=1), axis=1) for i in range(12)])
        np.testing.assert_allclose(samples[key].left_out[0], without, atol=1e-12)


def test_the_batch_does_not_change_the_result():
    given = contributions(np.random.default_rng(1))
    strata = np.arange(12) // 8
    pool = {"y": RaterPool(np.arange(8), np.random.default_rng(3).random((4, 5, 8)))}
    large, small = (
        resample_documents(
            given, resamples=11, rng=np.random.default_rng(2), strata=strata, pools=pool, batch=batch
        )
        for batch in (500, 3)
    )
    for key in given:
        np.testing.assert_allclose(small[key].resampled, large[key].resampled, rtol=0, atol=1e-14)


def test_a_stratum_of_surveyed_documents_is_never_drawn_empty():
    given = {"x": np.full((2, 30), np.nan)}
    given["x"][:, :2] = [[0.1, 0.2], [0.3, 0.4]]
    drawn = resample_documents(given, resamples=200, rng=np.random.default_rng(2))["x"].resampled
    assert np.isnan(drawn).any()
    strata = (np.arange(30) < 2).astype(int)
    kept = resample_documents(given, resamples=200, rng=np.random.default_rng(2), strata=strata)
    assert np.isfinite(kept["x"].resampled).all()


def test_a_pool_of_one_draw_is_a_plain_bootstrap():
    given = contributions(np.random.default_rng(1))
    plain = resample_documents(given, resamples=50, rng=np.random.default_rng(2))
    pool = {"y": RaterPool(np.arange(8), given["y"][None, :, :8])}
    staged = resample_documents(given, resamples=50, rng=np.random.default_rng(2), pools=pool)
    np.testing.assert_allclose(staged["y"].resampled, plain["y"].resampled, atol=1e-12)
    np.testing.assert_allclose(staged["x"].resampled, plain["x"].resampled, atol=1e-12)


def test_a_document_drawn_twice_takes_two_draws_of_its_raters():
    """With documents that differ by their raters alone, the variance of the mean is that of D free draws."""
    pool = {"y": RaterPool(np.arange(20), np.tile([[[-1.0]], [[1.0]]], (1, 1, 20)))}
    samples = resample_documents(
        {"y": np.zeros((1, 20))}, resamples=4_000, rng=np.random.default_rng(2), pools=pool
    )
    assert samples["y"].resampled.var() == pytest.approx(1 / 20, rel=0.1)


def test_resampled_systems_are_the_same_for_every_score():
    x = fixed_score(np.arange(6.0), resamples=30)
    samples = resample_systems(
        {"x": x, "y": fixed_score(10.0 + np.arange(6), resamples=30)}, rng=np.random.default_rng(1)
    )
    np.testing.assert_array_equal(samples["x"].resampled + 10, samples["y"].resampled)
    assert len(np.unique(samples["x"].resampled[0])) < 6
    assert np.isnan(np.diag(samples["x"].left_out[0])).all()
    np.testing.assert_array_equal(samples["x"].left_out[0][0, 1:], np.arange(1.0, 6.0))


DRAWS = 2


def test_bca_over_systems_equals_scipy_on_the_same_resamples():
    rng = np.random.default_rng(8)
    x, y = rng.standard_normal((2, 9))
    samples = resample_systems(
        {"x": fixed_score(x, resamples=600), "y": fixed_score(y, resamples=600)},
        rng=np.random.default_rng(DRAWS),
    )
    found = bootstrap_correlation(samples["x"], samples["y"], "pearson", method="bca")

    def statistic(indices, axis=-1):
        return stats.pearsonr(x[indices], y[indices], axis=axis).statistic

    drawn = draw_indices(units=9, resamples=600, rng=np.random.default_rng(DRAWS))
    replicates = statistic(drawn)
    # a draw of every system once is the estimate but for rounding, which scipy takes for a difference
    assert max(len(set(row)) for row in drawn.tolist()) < 9
    np.testing.assert_allclose(found.replicates, replicates, atol=1e-12)
    expected = stats.bootstrap(
        (np.arange(9),),
        statistic,
        method="BCa",
        n_resamples=0,
        bootstrap_result=SimpleNamespace(bootstrap_distribution=replicates),
    ).confidence_interval
    assert (found.interval.low, found.interval.high) == pytest.approx(
        (expected.low, expected.high), abs=1e-12
    )


def test_degenerate_resamples_are_counted_and_not_zeroed():
    samples = resample_systems(
        {
            "x": fixed_score(np.array([1.0, 2.0, 3.0]), resamples=900),
            "y": fixed_score(np.array([1.0, 3.0, 2.0]), resamples=900),
        },
        rng=np.random.default_rng(1),
    )
    found = bootstrap_correlation(samples["x"], samples["y"], "kendall")
    alike = (np.ptp(samples["x"].resampled, axis=1) == 0).sum()
    assert found.interval.degenerate == alike == np.isnan(found.replicates).sum() > 50
    assert found.interval.resamples == 900


def test_a_cache_changes_nothing():
    given = contributions(np.random.default_rng(1))
    given["z"] = given["x"] ** 2
    given["y"][2, 0] = 0.5
    samples = resample_documents(given, resamples=60, rng=np.random.default_rng(2))
    cache = RowCache()
    for coefficient in COEFFICIENTS:
        for pair in (("x", "y"), ("x", "z")):
            sides = [samples[key] for key in pair]
            cached = bootstrap_correlation(*sides, coefficient, method="bca", cache=cache)
            fresh = bootstrap_correlation(*sides, coefficient, method="bca")
            np.testing.assert_array_equal(cached.replicates, fresh.replicates)
            assert cached.interval == fresh.interval


def test_scores_missing_for_a_system_leave_it_out_of_every_resample():
    given = contributions(np.random.default_rng(1))
    given["y"][3] = np.nan
    samples = resample_documents(given, resamples=60, rng=np.random.default_rng(2))
    found = bootstrap_correlation(samples["x"], samples["y"], "spearman")
    assert found.correlation == correlate(
        list(samples["x"].observed), list(samples["y"].observed), "spearman"
    )
    assert found.correlation.n == 4
    kept = [0, 1, 2, 4]
    expected = [
        correlate(list(a[kept]), list(b[kept]), "spearman").estimate
        for a, b in zip(samples["x"].resampled, samples["y"].resampled, strict=True)
    ]
    np.testing.assert_allclose(found.replicates, np.array(expected, dtype=float), atol=1e-12)


def test_true_scores_are_those_of_systems_that_both_sides_have():
    given = contributions(np.random.default_rng(1))
    given["y"][3] = np.nan
    samples = resample_documents(given, resamples=60, rng=np.random.default_rng(2))
    kept = [0, 1, 2, 4]
    x, y = (
        ScoreSample(sample.observed[kept], sample.resampled[:, kept])
        for sample in (samples["x"], samples["y"])
    )
    expected = TrueScores(x, y).replicates("pearson")
    np.testing.assert_array_equal(TrueScores(samples["x"], samples["y"]).replicates("pearson"), expected)
    assert expected.std() > 0
    y.resampled[:7, 2] = np.nan
    found = bootstrap_correlation(x, y, "pearson", method="hierarchical")
    assert (found.interval.degenerate, np.isnan(found.replicates[:7]).all()) == (7, True)


def test_two_systems_have_no_hierarchical_interval():
    samples = [ScoreSample(np.array([1.0, 2.0]), np.random.default_rng(1).random((50, 2))) for _ in "xy"]
    found = bootstrap_correlation(*samples, "pearson", method="hierarchical")
    assert (found.correlation.estimate, found.interval.low) == (1.0, None)
    assert found.interval.reason == "2 systems, at least 3 are needed"


def test_an_undefined_coefficient_has_no_interval():
    samples = {key: fixed_score(np.array([1.0, 1.0]), resamples=50) for key in "xy"}
    found = bootstrap_correlation(samples["x"], samples["y"], "kendall")
    assert (found.interval.low, found.p_value, found.standard_error) == (None, None, None)
    assert found.interval.reason == "the coefficient is undefined"


def test_samples_that_do_not_fit_together_are_refused():
    x, y = fixed_score(np.ones(3), resamples=5), fixed_score(np.ones(3), resamples=6)
    with pytest.raises(InputError, match=r"the samples differ in shape: \(5, 3\) and \(6, 3\)"):
        bootstrap_correlation(x, y, "kendall")
    rng = np.random.default_rng(0)
    left = ScoreSample(rng.random(3), rng.random((50, 3)), (rng.random((4, 3)),))
    right = ScoreSample(rng.random(3), rng.random((50, 3)))
    with pytest.raises(InputError, match="the same kinds of units"):
        bootstrap_correlation(left, right, "kendall", method="bca")
    with pytest.raises(InputError, match="need one shape"):
        resample_documents({"x": np.ones((2, 3)), "y": np.ones((2, 4))}, resamples=5, rng=rng)
    with pytest.raises(InputError, match="there is no score to resample"):
        resample_documents({}, resamples=5, rng=rng)
    with pytest.raises(InputError, match=r"an interval from resamples is percentile, .*, not 'fisher'"):
        make_interval(np.ones(50), estimate=1.0, left_out=[], method="fisher")
