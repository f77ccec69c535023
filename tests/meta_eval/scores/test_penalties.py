import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meta_eval.errors import InputError
from meta_eval.scores.penalties import penalised_accuracy, penalised_rouge

UNIT = st.floats(0, 1)


def logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def test_penalised_accuracy_by_hand():
    assert penalised_accuracy(0.8, 0.5) == pytest.approx(0.8 - 0.5 * logistic(0.5))
    assert penalised_accuracy(0.8, 0.5, alpha=0.2, beta=0.4) == pytest.approx(0.8 - 0.2 * logistic(0.2))


def test_penalised_rouge_by_hand():
    assert penalised_rouge(0.4, 0.6) == pytest.approx(0.4 * (1 - 0.5 * logistic(1.5)))
    assert penalised_rouge(0.4, 0.6, alpha=0.2, beta=0.5) == pytest.approx(0.4 * (1 - 0.2 * logistic(0.75)))


@given(UNIT, UNIT, UNIT)
def test_less_personalisation_never_scores_higher(score, a, b):
    low, high = sorted((a, b))
    assert penalised_accuracy(score, high) <= penalised_accuracy(score, low)
    assert penalised_rouge(score, high) <= penalised_rouge(score, low)
    assert 0.0 <= penalised_rouge(score, low) <= score


def test_a_rouge_of_zero_stays_zero():
    assert penalised_rouge(0.0, 0.7) == 0.0
    assert penalised_rouge(1e-300, 0.7) == pytest.approx(0.0)


def test_a_missing_score_is_missing():
    assert penalised_accuracy(None, 0.5) is None
    assert penalised_accuracy(0.5, None) is None
    assert penalised_rouge(None, 0.5) is None
    assert penalised_rouge(0.5, None) is None


@pytest.mark.parametrize("score", [penalised_accuracy, penalised_rouge])
def test_options_out_of_range_are_refused(score):
    with pytest.raises(InputError, match=r"alpha must be from 0 to 1, not 1\.5"):
        score(0.5, 0.5, alpha=1.5)
    with pytest.raises(InputError, match="beta must be above 0 and at most 1, not 0"):
        score(0.5, 0.5, beta=0)
