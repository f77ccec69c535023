"""The alternative annotator test: equal to a plain version, and no model passes that should not."""

import numpy as np
import pytest
from scipy import stats

from meta_eval.errors import InputError
from meta_eval.stats.raters.alternative import alternative_annotator_test
from tests.benchmarks.alternative_test import simulate


def plain(people, model, epsilon):
    """The test as the paper's section 3 words it, one rating after the other; omega and rho."""
    p_values, advantages = [], []
    for left_out, ratings in people.items():
        differences, wins = [], []
        for item, given in ratings.items():
            others = [theirs[item] for name, theirs in people.items() if name != left_out and item in theirs]
            if not others or item not in model:
                continue
            errors = [
                sum((value - other) ** 2 for other in others) / len(others) for value in (model[item], given)
            ]
            wins.append(int(errors[0] <= errors[1]))
            differences.append(int(errors[1] <= errors[0]) - wins[-1])
        if len(differences) < 30:
            continue
        advantages.append(np.mean(wins))
        n = len(differences)
        t = (np.mean(differences) - epsilon) / (np.std(differences, ddof=1) / n**0.5)
        p_values.append(stats.t.cdf(t, n - 1))
    m = len(p_values)
    harmonic = sum(1 / rank for rank in range(1, m + 1))
    passed = [rank for rank, p in enumerate(sorted(p_values), 1) if p <= 0.05 * rank / (m * harmonic)]
    return max(passed, default=0) / m, np.mean(advantages)


def survey(rng, *, items=80, raters=5, noise=1.0, model_noise=1.0, kept=0.8):
    truth = rng.integers(1, 7, items)

    def rate(spread):
        return np.clip(np.round(truth + spread * rng.standard_normal(items)), 1, 6)

    people = {
        f"p{number}": {item: value for item, value in enumerate(rate(noise)) if rng.random() < kept}
        for number in range(raters)
    }
    return people, dict(enumerate(rate(model_noise)))


@pytest.mark.parametrize("seed", range(6))
def test_it_equals_a_plain_version(seed):
    people, model = survey(np.random.default_rng(seed), model_noise=0.4 + 0.3 * seed)
    del model[3]
    found = alternative_annotator_test(people, model, epsilon=0.15)
    omega, rho = plain(people, model, 0.15)
    assert (found.winning_rate, found.advantage) == (omega, pytest.approx(rho))
    assert found.passes == (omega >= 0.5)


def passes(model_noise, *, simulations=40):
    rng = np.random.default_rng(5)
    found = [
        alternative_annotator_test(*survey(rng, model_noise=model_noise, raters=4, items=50), epsilon=0.1)
        for _ in range(simulations)
    ]
    return np.mean([bool(one.passes) for one in found])


def test_a_worse_model_does_not_pass_and_a_better_one_does():
    assert passes(1.6) <= 0.05
    assert passes(0.2) >= 0.95


def test_a_rater_is_beaten_by_chance_in_five_of_a_hundred():
    """At the edge of the hypothesis: the model's mean disadvantage is epsilon itself."""
    rng = np.random.default_rng(2)
    wins = 0
    for _ in range(200):
        ahead = rng.random(100) < 0.55  # the person is closer in 55 of 100, the model in 45: 0.1 apart
        people = {"a": dict(enumerate(ahead * 1.0)), "b": dict.fromkeys(range(100), 1.0)}
        model = dict(enumerate(~ahead * 1.0))
        (against, _) = alternative_annotator_test(people, model, epsilon=0.1).raters
        wins += against.p_value <= 0.05
    assert 2 <= wins <= 20


def test_a_model_that_is_another_rater_holds_the_level_where_pairs_are_independent():
    """300 surveys; the benchmark takes more. Errors that are shared by document break it, as docs say."""
    alone, shared = (simulate(surveys=300, seed=1, documents=documents) for documents in (None, 2))
    assert alone.wins <= 0.05 + 3.5 * (0.05 * 0.95 / 300) ** 0.5
    assert alone.passes <= 0.05
    assert shared.wins > 0.15


def test_too_few_raters_or_items_are_said_and_nothing_is_decided():
    people, model = survey(np.random.default_rng(1), items=29, kept=1.0)
    found = alternative_annotator_test(people, model)
    assert (found.winning_rate, found.passes, found.too_few) == (None, None, 5)
    assert found.reason == (
        "0 of 5 raters have 30 items or more that another one rated too; the test needs 3"
    )
    people, model = survey(np.random.default_rng(1), raters=2, kept=1.0)
    assert alternative_annotator_test(people, model).reason.startswith("2 of 2 raters have 30 items")


def test_a_model_that_says_what_a_rater_says_ties_with_them_everywhere():
    people, _ = survey(np.random.default_rng(4), kept=1.0)
    found = alternative_annotator_test(people, people["p0"])
    same = found.raters[0]
    assert (same.model_advantage, same.rater_advantage, same.p_value, same.wins) == (1.0, 1.0, 0.0, True)


@pytest.mark.parametrize("wrong", [{"epsilon": -0.1}, {"epsilon": 2}, {"alignment": "mae"}], ids=str)
def test_what_is_no_setting_is_refused(wrong):
    with pytest.raises(InputError):
        alternative_annotator_test({}, {}, **wrong)


def plain_expert(people, model, expert, epsilon):
    """The variant for a single expert, one rating after the other: whose rating is closer to the expert's."""
    p_values, advantages = [], []
    for name, ratings in people.items():
        items = [item for item in ratings if item in people[expert] and item in model]
        if name == expert or len(items) < 30:
            continue
        ours = [abs(model[item] - people[expert][item]) for item in items]
        theirs = [abs(ratings[item] - people[expert][item]) for item in items]
        differences = [int(b <= a) - int(a <= b) for a, b in zip(ours, theirs, strict=True)]
        advantages.append(np.mean([a <= b for a, b in zip(ours, theirs, strict=True)]))
        p_values.append(stats.ttest_1samp(differences, epsilon, alternative="less").pvalue)
    return sum(stats.false_discovery_control(p_values, method="by") <= 0.05) / len(p_values), np.mean(
        advantages
    )


@pytest.mark.parametrize("seed", range(3))
def test_the_variant_of_a_single_expert_equals_a_plain_version_and_is_named(seed):
    people, model = survey(np.random.default_rng(seed), model_noise=0.4 + 0.4 * seed)
    found = alternative_annotator_test(people, model, expert="p2")
    omega, rho = plain_expert(people, model, "p2", 0.1)
    assert (found.winning_rate, found.advantage) == (omega, pytest.approx(rho))
    assert (found.variant, found.expert, len(found.raters)) == ("single expert", "p2", 4)
    assert alternative_annotator_test(people, model).variant == "leave one out"
    with pytest.raises(InputError, match="the expert 'nobody' is none of the raters: p0, p1"):
        alternative_annotator_test(people, model, expert="nobody")
