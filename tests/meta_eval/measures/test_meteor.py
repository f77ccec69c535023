import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate.meteor_score import single_meteor_score

from meta_eval.bench.nltk_wordnet import nltk_wordnet
from meta_eval.errors import MeasureError
from meta_eval.measures import make_measure
from meta_eval.measures.meteor import synonyms
from meta_eval.measures.words.tokenisers import WORDS
from tests.meta_eval.measures.texts import WORDS as VOCABULARY
from tests.meta_eval.measures.texts import any_text, full_words, matrix


def nltk_distances(texts: list[str], **parameters: float) -> list[list[float]]:
    tokens = [WORDS.words(text) for text in texts]
    return [
        [1 - single_meteor_score(b, a, wordnet=nltk_wordnet(), **parameters) for b in tokens] for a in tokens
    ]


@given(st.lists(full_words | any_text.filter(WORDS.words), min_size=1, max_size=5))
def test_meteor_is_nltks(texts):
    np.testing.assert_allclose(
        matrix(make_measure("meteor"), texts), nltk_distances(texts), atol=1e-12, rtol=0
    )


@pytest.mark.parametrize(
    ("candidate", "reference"),
    [
        ("auto big", "car big car"),  # the last of two synonyms, though the first would make one run
        ("auto auto", "car machine"),
        ("machine auto", "car zzz car"),
        ("kills kill killing", "killed kill kills killed"),
        ("the the car", "the the the automobiles the"),
    ],
)
def test_of_several_matches_the_last_is_taken_as_in_nltk(candidate, reference):
    expected = 1 - single_meteor_score(reference.split(), candidate.split(), wordnet=nltk_wordnet())
    assert make_measure("meteor")(candidate, reference) == pytest.approx(expected, abs=1e-12)


def test_meteor_of_long_texts_is_nltks():
    rng = np.random.default_rng(1)
    texts = [" ".join(rng.choice(VOCABULARY, size)) for size in (300, 200, 10, 1, 60)]
    np.testing.assert_allclose(
        matrix(make_measure("meteor"), texts), nltk_distances(texts), atol=1e-12, rtol=0
    )


@given(st.lists(full_words, min_size=1, max_size=3))
def test_the_parameters_are_nltks(texts):
    parameters = {"alpha": 0.5, "beta": 1.5, "gamma": 0.25}
    np.testing.assert_allclose(
        matrix(make_measure("meteor", **parameters), texts),
        nltk_distances(texts, **parameters),
        atol=1e-12,
        rtol=0,
    )


class NoStemmer:
    """Without stems NLTK's third stage is asked about words."""

    def stem(self, word: str) -> str:
        return word


def test_wordnet_may_be_asked_about_words_instead_of_stems():
    a, b = "a large automobile ran quickly", "the big car run fast"
    # NLTK asks about "larg" and "automobil": only "ran" finds its "run", one match of five words.
    assert make_measure("meteor")(a, b) == pytest.approx(1 - 0.2 * 0.5, abs=1e-12)
    expected = 1 - single_meteor_score(b.split(), a.split(), stemmer=NoStemmer(), wordnet=nltk_wordnet())
    assert make_measure("meteor", wordnet_on="words")(a, b) == pytest.approx(expected, abs=1e-12)
    assert expected < 0.5


def test_synonyms_are_single_words_without_the_word_itself():
    assert synonyms("car") == {"auto", "automobile", "machine", "motorcar", "railcar", "gondola"}
    assert synonyms("zzzz") == frozenset()


@pytest.mark.parametrize("option", [{"alpha": 1.5}, {"beta": -1.0}, {"gamma": 2.0}])
def test_parameters_out_of_range_are_refused(option):
    with pytest.raises(MeasureError, match=f"{next(iter(option))} of measure 'meteor' is"):
        make_measure("meteor", **option)
