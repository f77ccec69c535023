"""Measures joined into one score, judged on systems that it was not made on."""

from itertools import combinations

import numpy as np
import pytest
from scipy import optimize, stats

from meta_eval.errors import InputError
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.rankings.combination import METHODS, combine_measures


def found(human, metrics):
    return {one.method: one for one in combine_measures(human, metrics)}


def noisy(rng, human, *deviations):
    return {str(number): human + sd * rng.normal(size=len(human)) for number, sd in enumerate(deviations)}


def test_measures_with_noise_of_their_own_are_better_together():
    rng = np.random.default_rng(0)
    held_out = {method: [] for method in METHODS}
    for _ in range(20):
        human = rng.normal(size=9)
        for method, one in found(human, noisy(rng, human, 0.8, 0.8, 0.8)).items():
            held_out[method].append(one.held_out)
    means = {method: np.mean(values) for method, values in held_out.items()}
    assert means["equal weights"] > means["best two"] > means["best single"]


def test_what_is_chosen_among_measures_without_relation_is_chance_on_other_systems():
    """The fitted share flatters, less so the one without one system; the held-out one does not."""
    rng = np.random.default_rng(1)
    rows = []
    for _ in range(25):
        metrics = {str(number): rng.normal(size=8) for number in range(4)}
        made = combine_measures(rng.normal(size=8), metrics)
        rows.append([(one.fitted, one.one_left_out, one.held_out) for one in made])
    fitted, one_left_out, held_out = np.mean(rows, axis=0).T
    chosen = METHODS.index("best two")
    assert fitted[chosen] > 0.65
    assert fitted[chosen] > one_left_out[chosen] > held_out[chosen] + 0.03
    assert np.all(np.abs(held_out - 0.5) < 0.1)


def test_the_best_single_measure_is_judged_by_its_order_alone():
    """One measure is best whoever is left out, so both shares are its pairwise accuracy."""
    human = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    good, bad = [1.0, 2.0, 4.0, 3.0, 5.0, 6.0, 7.0], [3.0, 1.0, 7.0, 2.0, 6.0, 4.0, 5.0]
    one = found(human, {"bad": bad, "good": good})["best single"]
    accuracy = correlate(human, good, "pairwise-accuracy").estimate
    assert (one.held_out, one.fitted, one.pairs) == (pytest.approx(accuracy), pytest.approx(accuracy), 21)
    assert one.weights == {"bad": 0.0, "good": 1.0}


def test_a_left_out_pair_plays_no_part_in_the_choice():
    """Each measure has one pair wrong. Without that pair it looks best, is chosen, and has the pair wrong."""
    human = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    metrics = {"low": [2.0, 1.0, 3.0, 4.0, 5.0, 6.0], "high": [1.0, 2.0, 3.0, 4.0, 6.0, 5.0]}
    one = found(human, metrics)["best single"]
    assert (one.fitted, one.held_out) == (pytest.approx(14 / 15), pytest.approx(13 / 15))


def test_weights_are_those_of_people_and_scale_plays_no_part():
    rng = np.random.default_rng(3)
    one, other = rng.normal(size=30), rng.normal(size=30)
    human = 3 * one / one.std() + other / other.std()
    weights = found(human, {"one": 100 * one + 7, "other": other, "against": -human})[
        "fitted weights"
    ].weights
    assert weights == pytest.approx({"one": 0.75, "other": 0.25, "against": 0.0}, abs=1e-6)


def test_ties_of_people_are_left_out_and_ties_of_the_measures_are_wrong():
    human, metric = [1.0, 1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 3.0, 4.0]
    one = found(human, {"a": metric, "b": metric})["equal weights"]
    assert (one.pairs, one.fitted) == (9, pytest.approx(8 / 9))


def test_systems_and_measures_without_scores_are_left_out():
    rng = np.random.default_rng(4)
    human = rng.normal(size=8).tolist()
    metrics = {name: values.tolist() for name, values in noisy(rng, np.array(human), 0.5, 0.5).items()}
    wanted = combine_measures(human[1:], {name: values[1:] for name, values in metrics.items()})
    metrics["0"][0] = None
    assert combine_measures(human, metrics) == wanted
    assert combine_measures(human, {**metrics, "constant": [1.0] * 8}) == wanted


@pytest.mark.parametrize(
    ("human", "metrics", "message"),
    [
        ([1, 2, 3, 4], {"a": [1, 2, 3, 4], "b": [1, 2, 3, 4]}, "4 systems have all scores, at least 5"),
        ([1, 2, 3, 4, 5], {"a": [1, 2, 3, 4, 5], "b": [1] * 5}, "1 measures differ over the systems"),
        ([1] * 5, {"a": [1, 2, 3, 4, 5], "b": [1, 2, 3, 4, 5]}, "people's scores are the same"),
    ],
)
def test_what_cannot_be_combined_is_refused(human, metrics, message):
    with pytest.raises(InputError, match=message):
        combine_measures(human, metrics)


def by_loops(human, scores, method, *, left_out=lambda pair: [pair]):
    """The share of pairs that are ordered alike, plainly: with scipy's coefficients and bounds.

    left_out : the systems without which the combination is made, for each time that a pair is judged.
    """
    right = []
    pairs = combinations(range(len(human)), 2)
    for pair, without in ((judged, out) for judged in pairs for out in left_out(judged)):
        rest = [system for system in range(len(human)) if system not in without]
        centred = [(one - one[rest].mean()) / one[rest].std() for one in scores]
        candidates = {
            "best single": [[one] for one in centred],
            "best two": [list(two) for two in combinations(centred, 2)],
            "equal weights": [centred],
        }
        if method == "fitted weights":
            design, wanted = np.array(centred).T, human - human[rest].mean()
            weights = optimize.lsq_linear(design[rest], wanted[rest], bounds=(0, np.inf), tol=1e-14).x
            joined = design @ weights
        else:
            means = [np.mean(chosen, axis=0) for chosen in candidates[method]]
            joined = max(
                means,
                key=lambda mean: (
                    round(stats.kendalltau(mean[rest], human[rest]).statistic, 12),
                    stats.pearsonr(mean[rest], human[rest]).statistic,
                ),
            )
        lead, wished = joined[pair[0]] - joined[pair[1]], human[pair[0]] - human[pair[1]]
        right.append(lead * wished > 0)
    return np.mean(right)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(5))
def test_each_method_is_the_one_that_loops_and_scipy_make(method, seed):
    rng = np.random.default_rng([7, seed])
    human = rng.normal(size=7)
    metrics = noisy(rng, human, 0.5, 1.0, 2.0, 4.0)
    wanted = by_loops(human, list(metrics.values()), method)
    one = found(human, metrics)[method]
    assert one.held_out == pytest.approx(wanted, abs=1e-12)
    singly = by_loops(human, list(metrics.values()), method, left_out=lambda pair: [pair[:1], pair[1:]])
    assert one.one_left_out == pytest.approx(singly, abs=1e-12)
