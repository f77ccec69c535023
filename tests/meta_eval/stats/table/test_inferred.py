import time

import numpy as np
import pytest

from meta_eval.errors import InputError
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.coefficients.registry import COEFFICIENTS, REGISTRY
from meta_eval.stats.resampling.bootstrap import bootstrap_correlation
from meta_eval.stats.resampling.closed_form import esscher_interval, fisher_interval
from meta_eval.stats.resampling.documents import resample_documents
from meta_eval.stats.resampling.samples import resample_systems
from meta_eval.stats.significance.adjustment import adjust_p_values
from meta_eval.stats.significance.permutation import correlation_p_value
from meta_eval.stats.table.inferred import infer_over_systems, infer_table
from meta_eval.stats.table.resampled import INTERVALS

COUNTING_TIES = tuple(name for name, info in REGISTRY.items() if info.counts_ties)
PAIRS = [("h", "a"), ("h", "b")]
SCORES = {"h": [1, 2, 3, 4, 5, None], "a": [1, 3, 2, 4, 5, 6], "b": [2, 2, 2, 2, 2, 2]}


def samples(systems: int = 6):
    rng = np.random.default_rng(1)
    base = np.arange(float(systems))[:, None]
    given = {key: base + 3 * rng.standard_normal((systems, 20)) for key in "hab"}
    return resample_documents(given, resamples=300, rng=np.random.default_rng(2))


def test_a_cell_holds_what_its_parts_say():
    drawn = samples()
    cells = infer_table(PAIRS, drawn, rng=np.random.default_rng(3))
    expected_order = [(*pair, coefficient) for pair in PAIRS for coefficient in COEFFICIENTS]
    assert [one.coefficient for one in cells] == [coefficient for _, _, coefficient in expected_order]
    adjusted = adjust_p_values([one.p_value for one in cells])
    for one, p, (_, automatic, _) in zip(cells, adjusted, expected_order, strict=True):
        method = INTERVALS["documents"][one.coefficient]
        alone = bootstrap_correlation(drawn["h"], drawn[automatic], one.coefficient, method=method)
        x, y = list(drawn["h"].observed), list(drawn[automatic].observed)
        assert one.estimate == correlate(x, y, one.coefficient).estimate
        assert (one.ci_low, one.ci_high) == (alone.interval.low, alone.interval.high)
        assert (one.ci_method, one.resamples, one.degenerate) == (method, 300, 0)
        expected = correlation_p_value(x, y, one.coefficient, rng=np.random.default_rng(0))
        assert (one.p_value, one.p_method) == (expected.p, "exact")
        assert (one.p_adjusted, one.p_adjustment) == (p, "holm")
    assert cells[0].ci_level == 0.95


def test_systems_resampled_too_widen_the_interval():
    drawn = samples()
    joint = infer_table(
        PAIRS,
        resample_systems(drawn, rng=np.random.default_rng(4)),
        rng=np.random.default_rng(3),
        intervals=INTERVALS["documents and systems"],
        coefficients=["pearson"],
    )
    alone = infer_table(PAIRS, drawn, rng=np.random.default_rng(3), coefficients=["pearson"])
    assert [one.ci_method for one in joint] == ["bca", "bca"]
    assert all(a.ci_high - a.ci_low > b.ci_high - b.ci_low for a, b in zip(joint, alone, strict=True))


def test_systems_scores_alone_have_intervals_in_closed_form():
    cells = infer_over_systems(PAIRS, SCORES, adjustment="benjamini-hochberg")
    kendall = cells[2]
    expected = esscher_interval(kendall.estimate, n=5)
    assert (kendall.n, kendall.ci_low, kendall.ci_high) == (5, expected.low, expected.high)
    assert (kendall.ci_method, kendall.p_adjustment) == ("esscher", "benjamini-hochberg")
    pearson = fisher_interval(cells[0].estimate, n=5, coefficient="pearson")
    assert (cells[0].ci_low, cells[0].ci_method, cells[0].ci_over) == (pearson.low, "fisher", "systems")
    assert kendall.p_adjusted == max(one.p_value for one in cells[:3])
    undefined = cells[3]
    assert (undefined.estimate, undefined.ci_low, undefined.p_value, undefined.p_adjusted) == (None,) * 4
    assert undefined.reason == "one side has the same score for every system"
    assert undefined.ci_reason == "the coefficient is undefined"


def test_systems_scores_alone_may_be_resampled():
    one, again, other = (
        infer_over_systems(
            PAIRS[:1], SCORES, intervals=INTERVALS["documents and systems"], resamples=400, seed=seed
        )
        for seed in (0, 0, 1)
    )
    assert one == again
    assert one[0].resamples == 400
    assert one[0].ci_low != other[0].ci_low
    assert one[0].p_value == other[0].p_value


def test_what_counts_ties_has_an_interval_over_systems_in_closed_form_alone():
    """Systems drawn twice tie, which tau-c and the pairwise accuracy take for agreement or its lack."""
    scores = {"h": [1, 2, 3, 4, 5, 6], "a": [1, 3, 2, 4, 5, 6], "b": [1, 1, 2, 3, 4, 5]}
    asked = ("kendall", *COUNTING_TIES)
    tau, tau_c, accuracy = infer_over_systems(PAIRS[:1], scores, coefficients=asked)
    assert (tau_c.ci_low, tau_c.ci_high) == pytest.approx((tau.ci_low, tau.ci_high))
    ends = (1 + tau.ci_low) / 2, (1 + tau.ci_high) / 2
    assert (accuracy.ci_low, accuracy.ci_high) == pytest.approx(ends)
    assert accuracy.p_value == tau.p_value
    for cell in infer_over_systems(PAIRS[1:], scores, coefficients=COUNTING_TIES):
        assert (cell.ci_low, cell.ci_reason) == (
            None,
            "scores are tied, and with ties this coefficient does not estimate tau",
        )
    for cell in infer_over_systems(
        PAIRS[:1],
        scores,
        coefficients=COUNTING_TIES,
        intervals=INTERVALS["documents and systems"],
        resamples=50,
    ):
        assert (cell.ci_low, cell.ci_method) == (None, None)
        assert cell.ci_reason.startswith("a system drawn twice ties with itself")


def test_what_varies_between_systems_is_not_taken_for_noise():
    chosen = dict.fromkeys(COEFFICIENTS, "hierarchical")
    with pytest.raises(InputError, match="a hierarchical interval is about these systems"):
        infer_over_systems(PAIRS[:1], SCORES, intervals=chosen, resamples=50)


def test_scores_of_different_systems_are_refused():
    with pytest.raises(InputError, match="one value for each system"):
        infer_over_systems([("h", "a")], {"h": [1, 2], "a": [1, 2, 3]})


def test_a_table_of_all_measures_and_surrogates_takes_seconds():
    """A fifth of the resamples of a full table, in a fifth of a minute of two cores."""
    rng = np.random.default_rng(1)
    base = rng.random((10, 1))
    given = {f"a{i}": base + rng.standard_normal((10, 3_840)) for i in range(7)}
    for i in range(7):
        given[f"h{i}"] = np.where(np.arange(3_840) < 100, base + rng.standard_normal((10, 3_840)), np.nan)
    start = time.process_time()
    drawn = resample_documents(
        given, resamples=2_000, rng=rng, strata=(np.arange(3_840) < 100).astype(np.int64)
    )
    pairs = [(f"h{i}", f"a{j}") for i in range(7) for j in range(7)]
    cells = infer_table(pairs, drawn, rng=rng)
    assert time.process_time() - start < 24
    assert len(cells) == 147
