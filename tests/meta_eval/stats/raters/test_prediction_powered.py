"""Prediction-powered means: equal to a plain version, right in coverage, and never much wider."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from meta_eval.errors import InputError
from meta_eval.stats.raters.prediction_powered import (
    expected_width,
    prediction_powered_mean,
    shrunk_correlation,
)
from tests.benchmarks.prediction_powered import MODELS, simulate


def plain(people, model, alone):
    """PPI++, section 6, by plain sums; the weight's degree of freedom is taken from the rest."""
    n, other = len(people), len(alone)
    mean_y, mean_f, mean_g = (sum(values) / len(values) for values in (people, model, alone))
    every = [*model, *alone]
    middle = sum(every) / len(every)
    covariance = sum((y - mean_y) * (f - mean_f) for y, f in zip(people, model, strict=True)) / (n - 1)
    variance = sum((f - middle) ** 2 for f in every) / (len(every) - 1)
    weight = covariance / ((1 + n / other) * variance)
    rest = [y - weight * f for y, f in zip(people, model, strict=True)]
    centre = sum(rest) / n
    of_rest = sum((one - centre) ** 2 for one in rest) / (n - 2) / n
    of_model = weight**2 * sum((f - mean_g) ** 2 for f in alone) / (other - 1) / other
    half = stats.t.ppf(0.975, n - 2) * sqrt(of_rest + of_model)
    estimate = mean_y + weight * (mean_g - mean_f)
    return weight, estimate, estimate - half, estimate + half


@pytest.mark.parametrize("seed", range(4))
def test_it_equals_a_plain_version(seed):
    rng = np.random.default_rng(seed)
    truth = rng.random(60)
    seen = truth + 0.2 * (seed + 1) * rng.standard_normal(60)
    found = prediction_powered_mean(truth[:20], seen[:20], seen[20:])
    told = (found.weight, found.mixed.estimate, found.mixed.low, found.mixed.high)
    assert told == pytest.approx(plain(truth[:20].tolist(), seen[:20].tolist(), seen[20:].tolist()))
    alone = stats.t.interval(0.95, 19, truth[:20].mean(), stats.sem(truth[:20]))
    assert (found.people.low, found.people.high) == pytest.approx(alone)


@pytest.mark.parametrize("model", MODELS)
def test_intervals_hold_whatever_the_model_is(model):
    """300 studies: the share lies within 3.5 standard errors of 95 %; the benchmark takes 20,000."""
    found = simulate(model, people=40, alone=160, studies=300, seed=11)
    assert abs(found.coverage - 0.95) < 3.5 * sqrt(0.95 * 0.05 / 300)
    assert found.width < 1.05 if model == "useless" else found.width < 0.95


@given(st.floats(-5, 5), st.floats(0.1, 10), st.integers(0, 1_000))
def test_neither_the_zero_nor_the_unit_of_the_model_matters(shift, unit, seed):
    rng = np.random.default_rng(seed)
    truth = rng.random(40)
    seen = truth + rng.standard_normal(40)
    first = prediction_powered_mean(truth[:15], seen[:15], seen[15:]).mixed
    other = prediction_powered_mean(truth[:15], unit * seen[:15] + shift, unit * seen[15:] + shift).mixed
    assert (first.low, first.high) == pytest.approx((other.low, other.high), abs=1e-9)


def test_one_stratum_is_none_and_strata_that_differ_narrow_the_interval():
    rng = np.random.default_rng(3)
    group = np.arange(120) % 2
    truth = 4 * group + rng.standard_normal(120)
    seen = truth + rng.standard_normal(120)
    arrays = truth[:40], seen[:40], seen[40:]
    one = prediction_powered_mean(*arrays, strata=["a"] * 40, strata_alone=["a"] * 80)
    assert one == prediction_powered_mean(*arrays)
    two = prediction_powered_mean(*arrays, strata=group[:40].tolist(), strata_alone=group[40:].tolist())
    assert two.mixed.width < 0.8 * one.mixed.width
    assert two.people.width < 0.8 * one.people.width
    with pytest.raises(InputError, match="stratum 1 has 20 units of people and 0 of the model alone"):
        prediction_powered_mean(*arrays, strata=group[:40].tolist(), strata_alone=[0] * 80)


def test_units_saved_are_those_that_make_people_alone_as_narrow():
    rng = np.random.default_rng(5)
    truth = rng.standard_normal(4_000)
    seen = 0.8 * truth + 0.6 * rng.standard_normal(4_000)
    found = prediction_powered_mean(truth[:1_000], seen[:1_000], seen[1_000:])
    assert found.mixed.width / found.people.width == pytest.approx(
        expected_width(0.8, 1_000, 3_000), abs=0.02
    )
    assert found.saved == pytest.approx(0.64 * 0.75, abs=0.03)
    again = stats.t.interval(
        0.95, found.equal_units - 1, 0, truth[:1_000].std(ddof=1) / sqrt(found.equal_units)
    )
    assert again[1] - again[0] == pytest.approx(found.mixed.width, rel=0.01)


@pytest.mark.parametrize(("units", "correlation"), [(12, 0.85), (12, 0.3), (20, 0.85)])
def test_the_expected_width_is_what_intervals_of_few_units_have(units, correlation):
    """The mean of squared widths by that of people alone: both fluctuate much with so few."""
    rng, squares = np.random.default_rng(1), []
    for _ in range(1_500):
        people = rng.standard_normal(units + 100)
        model = correlation * people + sqrt(1 - correlation**2) * rng.standard_normal(units + 100)
        found = prediction_powered_mean(people[:units], model[:units], model[units:])
        squares.append((found.mixed.width**2, found.people.width**2))
    mixed, alone = np.mean(squares, axis=0)
    assert expected_width(correlation, units, 100) == pytest.approx(sqrt(mixed / alone), rel=0.04)


def test_few_units_show_more_correlation_than_there_is():
    assert shrunk_correlation(1.0, 10) == 1.0
    assert shrunk_correlation(-0.5, 1_000) == pytest.approx(-0.499, abs=1e-3)
    assert (shrunk_correlation(0.2, 12), shrunk_correlation(0.9, 2)) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("sizes", "problem"),
    [
        ((9, 9, 5), "9 units both; 10 are needed"),
        ((12, 12, 0), "no units beyond"),
        ((12, 11, 5), "same units"),
    ],
)
def test_what_cannot_be_told_is_refused(sizes, problem):
    with pytest.raises(InputError, match=problem):
        prediction_powered_mean(*(np.arange(size, dtype=float) for size in sizes))


def test_a_missing_value_is_refused():
    values = np.arange(12.0)
    with pytest.raises(InputError, match="a rating is missing"):
        prediction_powered_mean(np.where(values == 3, np.nan, values), values, values)
