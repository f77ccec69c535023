"""A measure that sees little of two texts says so, even where nobody asks for a score."""

import pytest

from meta_eval.measures import make_measure
from meta_eval.measures.base import UnseenTextsWarning
from tests.meta_eval.measures.languages import sentences


@pytest.mark.parametrize("measure", ["jsd", "bleu", "rouge-l", "rouge-1"])
def test_words_that_fall_apart_are_warned_of(measure):
    with pytest.warns(UnseenTextsWarning, match=rf"^{measure} sees (0|50) % of the letters of these texts\."):
        assert make_measure(measure)("कि", "की") == 0


@pytest.mark.parametrize(
    ("measure", "language"),
    [*((name, tag) for name in ("jsd", "bleu", "meteor") for tag in ("hi", "bn", "ta")), ("rouge-l", "vi")],
)
def test_whole_sentences_that_lose_a_third_of_their_letters_are_warned_of(measure, language):
    with pytest.warns(UnseenTextsWarning, match=rf"^{measure} sees 6\d % of the letters of these texts\."):
        make_measure(measure)(*sentences(language))


@pytest.mark.parametrize("named", ["language", "words"])
def test_with_the_language_or_the_words_named_nothing_is_warned_of(named):
    if named == "language":
        measure = make_measure("jsd").in_languages(["hi"])
    else:
        measure = make_measure("jsd", tokeniser="unicode")
    assert measure("कि", "की") == 1  # a warning would be an error here


def test_a_letter_in_some_words_is_not_warned_of():
    assert 0 < make_measure("rouge-l")("a naïve café", "a naïve bar") < 1
