import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from meta_eval.errors import InputError
from meta_eval.stats.resampling.weights import (
    batch_sizes,
    count_draws,
    draw_indices,
    draw_weights,
    left_out_scores,
    mean_scores,
    weighted_scores,
)

CONTRIBUTIONS = arrays(np.float64, (3, 5), elements=st.one_of(st.floats(0, 1), st.just(np.nan)))
WEIGHTS = arrays(np.float64, (4, 5), elements=st.integers(0, 3).map(float))


def mean_or_nan(values) -> float:
    return float(np.mean(values)) if len(values) else np.nan


@given(WEIGHTS, CONTRIBUTIONS)
def test_a_weighted_score_is_the_mean_of_the_documents_as_often_as_they_are_drawn(weights, contributions):
    expected = [
        [
            mean_or_nan(
                [v for v, w in zip(row, drawn, strict=True) for _ in range(int(w)) if not np.isnan(v)]
            )
            for row in contributions
        ]
        for drawn in weights
    ]
    np.testing.assert_allclose(weighted_scores(weights, contributions), expected, atol=1e-12)


@given(CONTRIBUTIONS)
def test_left_out_scores_are_scores_without_each_document(contributions):
    expected = weighted_scores(1.0 - np.eye(5), contributions)
    np.testing.assert_allclose(left_out_scores(contributions), expected, atol=1e-12)
    np.testing.assert_allclose(
        mean_scores(contributions), weighted_scores(np.ones((1, 5)), contributions)[0], atol=1e-12
    )


def test_every_resample_draws_as_many_units_as_there_are():
    weights = draw_weights(units=7, resamples=200, rng=np.random.default_rng(1))
    assert set(weights.sum(axis=1)) == {7.0}
    assert weights.mean(axis=0) == pytest.approx(np.ones(7), abs=0.3)
    assert weights.var() == pytest.approx(6 / 7, abs=0.1)  # multinomial: n p (1 - p)


def test_strata_keep_their_sizes():
    strata = np.array([1, 0, 1, 0, 0])
    weights = draw_weights(units=5, resamples=50, rng=np.random.default_rng(1), strata=strata)
    assert set(weights[:, strata == 0].sum(axis=1)) == {3.0}
    assert set(weights[:, strata == 1].sum(axis=1)) == {2.0}
    assert (weights[:, strata == 1] != 1).any()


def test_draws_do_not_depend_on_the_batch():
    strata = np.array([0, 0, 1, 1, 1, 2])
    for chosen in (None, strata):
        at_once = draw_indices(units=6, resamples=10, rng=np.random.default_rng(3), strata=chosen)
        rng = np.random.default_rng(3)
        parts = [draw_indices(units=6, resamples=size, rng=rng, strata=chosen) for size in batch_sizes(10, 3)]
        np.testing.assert_array_equal(np.concatenate(parts), at_once)


def test_counting_draws():
    np.testing.assert_array_equal(
        count_draws(np.array([[0, 0, 2], [1, 2, 1]]), 3), [[2.0, 0.0, 1.0], [0.0, 2.0, 1.0]]
    )


def test_bad_calls_are_refused():
    rng = np.random.default_rng(1)
    with pytest.raises(InputError, match="there is nothing to resample"):
        draw_indices(units=0, resamples=1, rng=rng)
    with pytest.raises(InputError, match="2 strata cannot be those of 3 units"):
        draw_indices(units=3, resamples=1, rng=rng, strata=np.array([0, 1]))
    with pytest.raises(InputError, match="resamples and batch must be at least 1, not 0 and 5"):
        list(batch_sizes(0, 5))
