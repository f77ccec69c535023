"""Systems far from all others, and coefficients without them."""

import numpy as np
import pytest
from scipy import stats

from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.coefficients.outliers import correlate_without_outliers, find_outliers


@pytest.mark.parametrize("seed", range(5))
def test_outliers_are_those_of_the_robust_deviation_of_scipy(seed):
    scores = np.random.default_rng(seed).standard_t(2, size=30)
    deviation = stats.median_abs_deviation(scores) * 1.483
    wanted = np.flatnonzero(np.abs(scores - np.median(scores)) / deviation > 2.5)
    assert find_outliers(scores.tolist()) == tuple(wanted)
    assert len(wanted)


def test_most_scores_being_equal_makes_no_outlier():
    assert find_outliers([0.5, 0.5, 0.5, 0.9]) == ()
    assert find_outliers([None, None]) == ()


def test_a_wider_cutoff_spares_more():
    scores = [1.0, 2.0, 3.0, 4.0, 9.0]
    assert (find_outliers(scores), find_outliers(scores, cutoff=5.0)) == ((4,), ())


def test_the_coefficient_is_made_anew_of_the_others():
    human, metric = [0.1, 5.0, 5.1, 5.2, 5.4], [0.0, 0.6, 0.5, 0.4, 0.3]
    found = correlate_without_outliers(human, metric, "kendall")
    assert found.outliers == (0,)
    assert found.all_systems == correlate(human, metric, "kendall")
    assert found.without == correlate(human[1:], metric[1:], "kendall")
    assert (found.without.n, found.without.estimate) == (4, pytest.approx(-1.0))


def test_a_system_without_the_other_score_is_no_outlier():
    found = correlate_without_outliers([0.1, 5.0, 5.1, 5.2, 5.4], [None, 0.6, 0.5, 0.4, 0.3], "kendall")
    assert found.outliers == ()
    assert found.without == found.all_systems
