import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from sacrebleu.metrics import BLEU

from meta_eval.errors import MeasureError
from meta_eval.measures import make_measure
from meta_eval.measures.words.tokenisers import WORDS
from tests.meta_eval.measures.texts import full_words, matrix


def nltk_distance(candidate: str, reference: str, n: int, smoothing) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NLTK warns of orders without a match
        score = sentence_bleu(
            [WORDS.words(reference)],
            WORDS.words(candidate),
            weights=(1 / n,) * n,
            smoothing_function=smoothing,
        )
    return 1 - float(score)


@pytest.mark.parametrize("n", [1, 2, 4])
@pytest.mark.parametrize("smoothing", ["none", "add-epsilon"])
@given(texts=st.lists(full_words, min_size=1, max_size=5))
def test_bleu_is_nltks(n, smoothing, texts):
    theirs = SmoothingFunction().method1 if smoothing == "add-epsilon" else None
    expected = [[nltk_distance(a, b, n, theirs) for b in texts] for a in texts]
    actual = matrix(make_measure("bleu", n=n, smoothing=smoothing), texts)
    np.testing.assert_allclose(actual, expected, atol=1e-12, rtol=0)


@pytest.mark.parametrize("n", [1, 3, 4])
@given(texts=st.lists(full_words, min_size=1, max_size=5))
def test_bleu_with_exponential_smoothing_is_sacrebleus(n, texts):
    metric = BLEU(max_ngram_order=n, smooth_method="exp", tokenize="none", effective_order=True)
    plain = [" ".join(WORDS.words(text)) for text in texts]
    expected = [[1 - metric.sentence_score(a, [b]).score / 100 for b in plain] for a in plain]
    actual = matrix(make_measure("bleu", n=n, smoothing="exp"), texts)
    np.testing.assert_allclose(actual, expected, atol=1e-12, rtol=0)


def test_bleu_by_hand():
    bleu = make_measure("bleu")
    # "the" counts once: it stands once in the reference; the candidate is longer, so there is no penalty.
    assert bleu("the the the cat", "the cat sat") == 1 - 2 / 4
    assert bleu("the cat", "the cat sat") == pytest.approx(1 - math.exp(1 - 3 / 2), abs=1e-15)


def test_the_first_text_is_the_candidate():
    bleu = make_measure("bleu")
    assert bleu("cat", "cat dog") == pytest.approx(1 - math.exp(-1), abs=1e-15)
    assert bleu("cat dog", "cat") == 0.5


@pytest.mark.parametrize("n", [0, -1, 101, 10**11])
def test_an_order_beyond_all_use_is_refused(n):
    with pytest.raises(MeasureError, match=f"n of measure 'bleu' is {n}; it must be from 1 to 100"):
        make_measure("bleu", n=n)
