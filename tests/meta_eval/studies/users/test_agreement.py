"""Agreement with labels and between approaches, beside plain computations of the same."""

from io import BytesIO
from itertools import product
from random import Random
from statistics import fmean

import pytest

from meta_eval.errors import InputError
from meta_eval.studies.users.agreement import Label, agree_with_people, majorities, read_labels
from meta_eval.studies.users.comparing import Resampling, compare_approaches, score_approaches
from tests.meta_eval.studies.users.test_metrics import quality

FEW = Resampling(resamples=200, flips=2_000)


def plain_kappa(pairs):
    """Cohen's kappa (1960) of pairs of words, as it is printed."""
    observed = fmean(one == other for one, other in pairs)
    chance = sum(
        fmean(one == word for one, _ in pairs) * fmean(other == word for _, other in pairs)
        for word in (True, False)
    )
    return (observed - chance) / (1 - chance)


def test_maa_kappa_and_shares_are_those_of_plain_counts():
    draw = Random(4)
    said = {f"u{n}": (draw.random() < 0.6, draw.random() < 0.7) for n in range(30)}
    qualities = [quality(user, good=metric) for user, (metric, _) in said.items()]
    labels = [Label(user, "a", "r", people) for user, (_, people) in said.items()]
    (found,) = agree_with_people(qualities, labels, resampling=FEW)
    pairs = list(said.values())
    good = fmean(people for _, people in pairs)
    assert found["maa"] == fmean(metric == people for metric, people in pairs)
    assert found["kappa"] == pytest.approx(plain_kappa(pairs))
    assert (found["good_share"], found["majority_share"]) == (good, max(good, 1 - good))
    assert found["maa_ci_low"] < found["maa"] < found["maa_ci_high"]
    assert found["kappa_ci_low"] < found["kappa"] < found["kappa_ci_high"]


def test_the_majority_counts_and_ties_are_left_out():
    labels = [
        *(Label("ann", "a", f"r{n}", good) for n, good in enumerate((True, True, False))),
        *(Label("bob", "a", f"r{n}", good) for n, good in enumerate((True, False))),
        Label("dan", "a", "r0", good=True),
    ]
    assert majorities(labels) == {("ann", "a"): True, ("bob", "a"): None, ("dan", "a"): True}
    (found,) = agree_with_people([quality("ann"), quality("bob"), quality("cid")], labels, resampling=FEW)
    assert (found["summaries"], found["maa"]) == (1, 1.0)
    assert found["left_out"] == {
        "labels without a summary": 1, "summaries with a tie": 1, "summaries without a label": 1,
    }  # fmt: skip
    assert (found["kappa"], found["kappa_reason"]) == (
        None,
        "all say the same, so chance would agree as well",
    )


def test_an_approach_without_labels_says_so_and_counts_its_summaries():
    qualities = [quality(user, approach=name) for name in ("a", "b") for user in ("ann", "bob")]
    labels = [Label("ann", "a", "r", good=True), Label("bob", "a", "r", good=False)]
    unlabelled = agree_with_people(qualities, labels, resampling=FEW)[1]
    assert (unlabelled["approach"], unlabelled["summaries"], unlabelled["maa"]) == ("b", 0, None)
    assert unlabelled["left_out"] == {"summaries without a label": 2}
    assert unlabelled["kappa_reason"] == "no summary has both a Q and a label that is no tie"


def test_faults_of_labels_are_named_with_their_lines():
    table = b"user,approach,rater,label\nann,a,r,fine\nann,a,r,good\nann,a,r,bad\n"
    with pytest.raises(InputError) as caught:
        read_labels(BytesIO(table), name="labels.csv")
    assert [str(fault) for fault in caught.value.faults] == [
        "labels.csv:2: the label is 'fine', not good or bad",
        "labels.csv:3: rater 'r' has another label of this summary on a line before",
        "labels.csv:4: rater 'r' has another label of this summary on a line before",
    ]


def test_approaches_are_compared_on_the_users_that_both_have():
    first = {"ann": 0.9, "bob": 0.8, "cid": 0.7, "dan": 0.6}
    second = {"ann": 0.5, "bob": 0.7, "cid": 0.4, "eve": 0.1}
    third = {"ann": 0.9, "bob": 0.8, "cid": 0.6}
    qualities = [
        quality(user, approach=name, accuracy=value)
        for name, values in (("x", first), ("y", second), ("z", third))
        for user, value in values.items()
    ]
    found = [
        one for one in compare_approaches(qualities, limit=5, resampling=FEW) if one["measure"] == "accuracy"
    ]
    assert [(one["first"], one["second"], one["users"]) for one in found] == [
        ("x", "y", 3), ("x", "z", 3), ("y", "z", 3),
    ]  # fmt: skip
    differences = [0.4, 0.1, 0.3]
    assert found[0]["difference"] == pytest.approx(fmean(differences))
    sums = [
        sum(a * b for a, b in zip(signs, differences, strict=True)) for signs in product((1, -1), repeat=3)
    ]
    wanted = 2 * fmean(one >= sum(differences) - 1e-12 for one in sums)
    assert found[0]["p"] == wanted
    ordered = sorted(found, key=lambda one: one["p"])
    steps = [min(1, (3 - place) * one["p"]) for place, one in enumerate(ordered)]
    assert [one["p_adjusted"] for one in ordered] == [max(steps[: place + 1]) for place in range(3)]
    assert found[0]["ci_low"] <= found[0]["difference"] <= found[0]["ci_high"]


def test_one_approach_has_nothing_to_be_compared_with():
    with pytest.raises(InputError, match="there is one approach, 'a'"):
        compare_approaches([quality("ann")], limit=5)


def test_what_a_summary_adds_to_that_of_another_user_is_paired():
    qualities = [quality(f"u{n}", accuracy=0.8, accuracy_other=0.8 - n / 10) for n in range(5)]
    (score,) = score_approaches(qualities, limit=20, resampling=FEW)
    assert score["over_other"]["difference"] == pytest.approx(0.2)
    assert score["over_other"]["p"] == 2 * 2 / 32  # the user without a difference may have either sign
    assert score["over_other"]["p_adjusted"] == score["over_other"]["p"]


def test_thousands_of_users_in_parts_are_as_those_at_once(monkeypatch):
    rng = Random(1)
    qualities = [
        quality(f"u{n}", approach=name, accuracy=rng.random(), accuracy_other=rng.random())
        for name in "xy"
        for n in range(40)
    ]
    at_once = score_approaches(qualities, limit=20, resampling=FEW)
    compared = compare_approaches(qualities, limit=20, resampling=FEW)
    monkeypatch.setattr("meta_eval.studies.users.comparing._BATCH", 40 * 7)
    monkeypatch.setattr("meta_eval.stats.significance.flips._BATCH", 40 * 7)
    assert _rounded(score_approaches(qualities, limit=20, resampling=FEW)) == _rounded(at_once)
    assert _rounded(compare_approaches(qualities, limit=20, resampling=FEW)) == _rounded(compared)


def _rounded(value):
    """The same to twelve digits: sums in parts add up in another order."""
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_rounded(one) for one in value]
    return round(value, 12) if isinstance(value, float) else value
