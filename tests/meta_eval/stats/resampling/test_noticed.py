"""The interval of the difference that people notice: of scores without noise."""

from dataclasses import replace

import numpy as np
import pytest

from meta_eval.stats.coefficients.system_pairs import noticed_difference, noticed_steps
from meta_eval.stats.resampling.bootstrap import TrueScores, groups_of
from meta_eval.stats.resampling.documents import resample_documents
from meta_eval.stats.resampling.noticed import TOO_FEW, noticed_interval
from tests.benchmarks.noticed import Noticed, cover_noticed
from tests.benchmarks.simulation import correlated_normals


def sample(rng, truth, *, documents=60, apart=3.0, resamples=300):
    noise = rng.standard_normal((*truth.shape, documents)) * np.sqrt(documents) / apart
    seen = truth[:, :, None] + noise
    made = resample_documents(dict(zip("xy", seen, strict=True)), resamples=resamples, rng=rng)
    return made["x"], made["y"]


def agreeing(seed=0, rho=0.9, n=10):
    rng = np.random.default_rng(seed)
    return rng, correlated_normals(rng, [[1, rho], [rho, 1]], n)


def ends(human, metric, families=()):
    """The middle 95 % of the draws, by hand."""
    drawn = np.sort(noticed_steps(*TrueScores(human, metric, families).drawn))
    return drawn[int(0.025 * (len(drawn) - 1))], drawn[-1 - int(0.025 * (len(drawn) - 1))]


def test_it_holds_where_middle_values_of_resamples_do_not():
    """150 surveys, systems three standard errors apart; percentiles of resamples hold in about 60 of 100."""
    found = cover_noticed(np.random.default_rng(4), 150, Noticed(3.0, 0.9))
    assert found["holds"] >= 0.90


def test_it_is_the_middle_of_the_draws_and_reaches_to_the_estimate():
    rng, truth = agreeing()
    human, metric = sample(rng, truth)
    estimate = noticed_difference(human.observed.tolist(), metric.observed.tolist()).difference
    low, high = ends(human, metric)
    found = noticed_interval(human, metric)
    assert (found.low, found.high, found.reason) == (min(low, estimate), max(high, estimate), None)
    far = replace(metric, observed=metric.observed[::-1].copy())
    assert noticed_interval(human, far).high is None  # its own estimate has no difference


def test_families_are_drawn_each_for_itself_and_groups_that_show_for_the_wider_of_two():
    rng, truth = agreeing(1)
    names = ("first",) * 5 + ("second",) * 5
    human, metric = sample(rng, truth + 12.0 * (np.arange(10) > 4), apart=8.0)
    groups = groups_of(human, metric, "kendall")
    assert len(set(groups)) == 2
    together, apart = ends(human, metric), ends(human, metric, groups)
    found = noticed_interval(human, metric)
    estimate = noticed_difference(human.observed.tolist(), metric.observed.tolist()).difference
    assert (found.low, found.high) == (
        min(together[0], apart[0], estimate),
        max(together[1], apart[1], estimate),
    )
    named = noticed_interval(replace(human, families=names), replace(metric, families=names))
    own = ends(human, metric, names)
    assert (named.low, named.high) == (min(own[0], estimate), max(own[1], estimate))


def test_without_an_upper_end_it_says_in_how_many_draws():
    rng, truth = agreeing(2, rho=-0.9)
    human, metric = sample(rng, truth)
    drawn = noticed_steps(*TrueScores(human, metric).drawn)
    found = noticed_interval(human, metric)
    assert found.high is None
    share = np.isinf(drawn).mean()
    assert (
        found.reason
        == f"no upper end: in {share:.0%} of the draws even the largest differences are not enough"
    )


@pytest.mark.parametrize("systems", [2, 6])
def test_two_systems_or_a_side_that_is_the_same_for_all_have_none(systems):
    rng, truth = agreeing(3, n=systems)
    human, metric = sample(rng, truth)
    if systems > 2:
        metric = replace(metric, observed=np.ones(systems))
    found = noticed_interval(human, metric)
    assert (found.low, found.high, found.reason) == (None, None, TOO_FEW)
