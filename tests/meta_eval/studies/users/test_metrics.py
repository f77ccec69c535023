"""QM, IFM, IDM and MAA: the worked example, and what must hold of any predictions."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meta_eval.errors import InputError
from meta_eval.studies.users.agreement import Label, agree_with_people
from meta_eval.studies.users.comparing import Resampling, score_approaches
from meta_eval.studies.users.metrics import (
    Quality,
    answered_share,
    density,
    judge_summaries,
    mean_known,
    parse_threshold,
    within_limit,
)
from meta_eval.studies.users.predicting import AskedTask, Prediction
from meta_eval.studies.users.summaries import Summary
from meta_eval.studies.users.tasks import Task

FEW = Resampling(resamples=100, flips=100)
WORDS = (50, 100, 200)
RIGHT = (3, 2, 1)
accuracies = st.lists(
    st.sampled_from([None, Fraction(0), Fraction(1, 3), Fraction(1)]), min_size=1, max_size=6
)


def worked_example(at_least):
    """Tasks right 3, 2 and 1 of 4, for summaries of 50, 100 and 200 words."""
    users = ("ann", "bob", "cid")
    tasks = {
        user: [Task(user, f"{n}", "item", ("a", "b", "c", "d"), 0, past=9) for n in range(4)]
        for user in users
    }
    summaries = [Summary(user, "ours", "word " * words) for user, words in zip(users, WORDS, strict=True)]
    predictions = [
        Prediction(AskedTask("ours", task, "own"), 0 if place < right else 1)
        for user, right in zip(users, RIGHT, strict=True)
        for place, task in enumerate(tasks[user])
    ]
    return judge_summaries(summaries, tasks, predictions, parse_threshold(at_least))


def test_the_worked_example_exactly():
    qualities = worked_example("50%")
    (score,) = score_approaches(qualities, limit=100, resampling=FEW)
    assert [one.good for one in qualities] == [True, True, False]
    assert (score["qm"], score["ifm"], score["chance"]) == (2 / 3, 2 / 3, 0.25)
    assert score["idm"] == (0.75 / 50 + 0.5 / 100 + 0.25 / 200) / 3
    assert round(score["idm"], 7) == 0.0070833
    labels = [
        Label(user, "ours", "r", good) for user, good in zip(("ann", "bob", "cid"), (1, 0, 0), strict=True)
    ]
    (agreement,) = agree_with_people(qualities, labels, resampling=FEW)
    cells = ("true_positives", "false_positives", "true_negatives", "false_negatives")
    assert [agreement[cell] for cell in cells] == [1, 1, 1, 0]
    assert agreement["maa"] == 2 / 3


def test_the_worked_example_with_a_number_of_tasks():
    qualities = worked_example("3")
    labels = [
        Label(user, "ours", "r", good) for user, good in zip(("ann", "bob", "cid"), (1, 0, 0), strict=True)
    ]
    assert [one.good for one in qualities] == [True, False, False]
    assert score_approaches(qualities, limit=100, resampling=FEW)[0]["qm"] == 1 / 3
    assert agree_with_people(qualities, labels, resampling=FEW)[0]["maa"] == 1.0


@settings(max_examples=50)
@given(st.lists(accuracies, min_size=1, max_size=3), st.integers(1, 99))
def test_qm_is_a_share_and_falls_as_more_is_wanted(summaries, percent):
    lower, higher = (parse_threshold(f"{share}%") for share in (percent, percent + 1))
    first, second = (mean_known(map(one.is_good, summaries)) for one in (lower, higher))
    assert (first is None) == (second is None) == all(answered_share(one) is None for one in summaries)
    if first is not None:
        assert 0 <= second <= first <= 1


@settings(max_examples=40)
@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 300)), min_size=1, max_size=5), st.integers(1, 300))
def test_idm_halves_when_every_summary_is_repeated(summaries, limit):
    shares, words = zip(*summaries, strict=True)
    doubled = [Summary("u", "a", f"{'w ' * length} {'w ' * length}").words for length in words]
    idm, twice = (mean_known(map(density, shares, lengths)) for lengths in (words, doubled))
    assert twice == pytest.approx(idm / 2)
    within, doubled_within = (
        mean_known(within_limit(one, limit) for one in lengths) for lengths in (words, doubled)
    )
    assert 0 <= doubled_within <= within <= 1


@settings(max_examples=50)
@given(accuracies)
def test_a_summary_with_most_answers_missing_has_no_quality(values):
    known = [one for one in values if one is not None]
    share = answered_share(values)
    assert share == (
        sum(known, Fraction(0)) / len(known) if 2 * len(known) >= len(values) and known else None
    )
    for threshold in map(parse_threshold, ("50%", "2")):
        assert (threshold.is_good(values) is None) == (share is None)


def test_half_of_the_answers_are_enough_and_fewer_are_not():
    assert answered_share([Fraction(1), None]) == 1
    assert answered_share([Fraction(1), None, None]) is None


def quality(user, *, words=10, accuracy=0.5, good=True, approach="a", **more):
    return Quality(
        user=user, approach=approach, words=words, tasks=4, answered=4, chance=0.25, accuracy=accuracy,
        good=good, **more,
    )  # fmt: skip


def test_an_empty_summary_is_within_the_limit_counted_and_has_no_density():
    (score,) = score_approaches([quality("ann", words=0), quality("bob", words=10)], limit=5, resampling=FEW)
    assert (score["ifm"], score["idm"], score["empty"]) == (0.5, 0.05, 1)
    assert score["left_out"] == {"empty summaries without an IDM": 1}


def test_no_answers_give_no_number_but_a_reason():
    (score,) = score_approaches([quality("ann", accuracy=None, good=None)], limit=5, resampling=FEW)
    assert (score["qm"], score["idm"], score["accuracy"]) == (None, None, None)
    assert score["reasons"].keys() == {"qm", "idm", "accuracy"}
    assert score["left_out"] == {"summaries without a Q": 1}
    assert score["over_other"]["reason"] == "0 users are known on both sides, at least 2 are needed"


@pytest.mark.parametrize("text", ["0.6", "0", "0%", "101%", "-1", "half", "3.5"])
def test_a_threshold_that_may_mean_either_is_refused(text):
    with pytest.raises(InputError, match="a share such as 60%"):
        parse_threshold(text)
