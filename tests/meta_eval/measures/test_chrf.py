"""chrF against sacreBLEU's sentence score."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import CHRF

from meta_eval.errors import MeasureError
from meta_eval.measures import make_measure, parse_measure, signature_line
from tests.meta_eval.measures.languages import LANGUAGES, texts_of
from tests.meta_eval.measures.texts import any_text, full_words, matrix

OPTIONS = [
    {},
    {"word_order": 2},
    {"beta": 1, "char_order": 3},
    {"beta": 3, "lowercase": True, "word_order": 1},
]
MARKED = ("(hi) there!", "(hi", "it's, ok!", "The cat sits.", "the cat sat", "a", "ab", "…", ".,")


def expected(texts, **options):
    theirs = CHRF(**options)
    composed = [unicodedata.normalize("NFC", text) for text in texts]
    return [[1 - theirs.sentence_score(a, [b]).score / 100 for b in composed] for a in composed]


@pytest.mark.parametrize("options", OPTIONS)
@given(texts=st.lists(full_words | any_text.filter(str.strip), min_size=1, max_size=4))
def test_chrf_is_sacrebleus(options, texts):
    found = matrix(make_measure("chrf", **options), texts)
    np.testing.assert_allclose(found, expected(texts, **options), atol=1e-12, rtol=0)


@pytest.mark.parametrize("options", OPTIONS)
def test_marks_at_the_ends_of_words_are_split_off_as_sacrebleu_does(options):
    found = matrix(make_measure("chrf", **options), MARKED)
    np.testing.assert_allclose(found, expected(MARKED, **options), atol=1e-12, rtol=0)
    assert (np.diag(found) == 0).all()


@pytest.mark.parametrize("language", LANGUAGES)
def test_chrf_is_sacrebleus_in_every_language(language):
    texts = texts_of(language)
    for options in OPTIONS[:2]:
        found = matrix(make_measure("chrf", **options).in_languages([language]), texts)
        np.testing.assert_allclose(found, expected(texts, **options), atol=1e-9, rtol=0)
        assert 0 < found[0, 2] < found[0, 1] < 1


def test_chrf_by_hand():
    """ "abc" and "abd": 2 of 3 characters, 1 of 2 pairs, 0 of 1 triple, on both sides alike."""
    assert make_measure("chrf")("abc", "abd") == pytest.approx(1 - (2 / 3 + 1 / 2) / 3, abs=1e-15)


def test_recall_weighs_more_than_precision():
    chrf = make_measure("chrf")
    assert chrf("a storm", "a storm hits the bridge") > chrf("a storm hits the bridge", "a storm")
    assert not chrf.symmetric
    assert make_measure("chrf", beta=1).symmetric


def test_words_cannot_be_chosen_and_the_signature_names_the_characters():
    measure = parse_measure("chrf:word_order=2", tokeniser="unicode")
    line = "chrf|word_order:2|prep:none|mode:paper|tok:nfc,characters|v:0.1.0"
    assert signature_line(measure.signature) == line
    assert measure.in_languages(["zh"]) is measure
    with pytest.raises(MeasureError, match="has no option 'tokeniser'"):
        make_measure("chrf", tokeniser="unicode")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"char_order": 0}, "Option char_order of measure 'chrf' is 0; it must be from 1 to 100."),
        ({"word_order": -1}, "Option word_order of measure 'chrf' is -1; it must be from 0 to 100."),
        ({"beta": -1.0}, "Option beta of measure 'chrf' is -1.0; it must be at least 0."),
    ],
)
def test_options_out_of_range_are_refused(options, message):
    with pytest.raises(MeasureError) as caught:
        make_measure("chrf", **options)
    assert str(caught.value) == message
