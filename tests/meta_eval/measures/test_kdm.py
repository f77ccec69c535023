"""The kdm mode against a straight rewriting of the released functions, mistakes included."""

import warnings
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate.bleu_score import sentence_bleu
from nltk.translate.meteor_score import meteor_score
from rouge_score.rouge_scorer import RougeScorer
from scipy.stats import entropy

from meta_eval.bench.nltk_wordnet import nltk_wordnet
from meta_eval.errors import MeasureError
from meta_eval.measures import make_measure
from meta_eval.measures.base import round_each
from tests.meta_eval.measures.texts import matrix, words


def released_rouge_l(a: str, b: str) -> float:
    return round(1 - RougeScorer(["rougeL"], use_stemmer=True).score(a, b)["rougeL"].fmeasure, 5)


def released_rouge_su4(a: str, b: str) -> float:
    here, there = (
        [tuple(text[at : at + 5]) for at in range(len(text) - 4)] for text in (a.split(" "), b.split(" "))
    )
    common = sum((Counter(here) & Counter(there)).values())
    precision, recall = common / max(len(here), 1), common / max(len(there), 1)
    return round(1 - (2 * precision * recall / (precision + recall) if common else 0.0), 5)


def released_bleu(a: str, b: str) -> float:
    return round(1 - float(sentence_bleu([a.split(" ")], b.split(" "))), 5)


def released_meteor(a: str, b: str) -> float:
    return round(1 - meteor_score([a.split()], b.split(), wordnet=nltk_wordnet()), 5)


def released_jsd(a: str, b: str) -> float:
    here, there = Counter(a.split()), Counter(b.split())
    if not here or not there:
        return float("nan")
    both = list(here | there)
    p = np.array([here[word] / here.total() for word in both])
    q = np.array([there[word] / there.total() for word in both])
    middle = 0.5 * (p + q)
    return round(0.5 * (entropy(p, middle, base=2) + entropy(q, middle, base=2)), 4)


RELEASED = {
    "rouge-l": released_rouge_l,
    "rouge-su4": released_rouge_su4,
    "bleu": released_bleu,
    "meteor": released_meteor,
    "jsd": released_jsd,
}


@pytest.mark.parametrize("measure_id", RELEASED)
@given(texts=st.lists(words, min_size=1, max_size=5))
def test_kdm_repeats_the_released_code(measure_id, texts):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NLTK warns of orders without a match
        expected = [[RELEASED[measure_id](a, b) for b in texts] for a in texts]
    actual = matrix(make_measure(measure_id, mode="kdm", preprocess="none"), texts)
    # Rounding may fall on either side where the last bit differs.
    np.testing.assert_allclose(actual, expected, atol=1.0000001e-4 if measure_id == "jsd" else 1.1e-5, rtol=0)


def test_known_mistakes():
    def kdm(measure_id: str):
        return make_measure(measure_id, mode="kdm", preprocess="none")

    assert kdm("rouge-su4")("one two three four", "one two three four") == 1.0
    assert kdm("bleu")("one two three", "one two three") == 1.0
    assert np.isnan(kdm("jsd")("", "one"))
    # The first text is the reference: nine of ten parts of the score are its recall.
    assert kdm("meteor")("city", "city big large fast") < kdm("meteor")("city big large fast", "city")


def test_values_are_rounded_as_python_rounds():
    assert np.round(0.636965, 5) != round(0.636965, 5)
    assert round_each(np.array([0.636965]), 5).tolist() == [round(0.636965, 5)]
    a, b = "one two three four five six seven", "one two three eight"
    assert make_measure("rouge-l", mode="kdm", preprocess="none")(a, b) == 0.45455
    assert make_measure("jsd", mode="kdm", preprocess="none")("a b c", "a b d e") == 0.4253  # 0.42529


def test_preprocessing_is_the_authors_unless_given():
    assert make_measure("rouge-l", mode="kdm").signature.preprocess == "pens"
    assert make_measure("rouge-l", mode="kdm", preprocess="none").signature.preprocess == "none"
    assert make_measure("rouge-l").signature.preprocess == "none"


def test_signatures_name_mode_and_defaults():
    signature = make_measure("bleu", mode="kdm").signature
    assert (signature.mode, dict(signature.options)) == ("kdm", {"n": 4, "smoothing": "none"})


def test_a_measure_that_was_never_released_has_no_kdm_mode():
    with pytest.raises(MeasureError, match="'jsd-oov' has no mode 'kdm'"):
        make_measure("jsd-oov", mode="kdm")
