import re
from pathlib import Path

import numpy as np
import pytest
from nltk.stem.snowball import SnowballStemmer
from nltk.translate.meteor_score import single_meteor_score
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu import sentence_bleu

from meta_eval.measures import make_measure, parse_measure, signature_line
from meta_eval.measures.words.languages import LANGUAGES as TABLE
from meta_eval.measures.words.languages import OTHERS, words_of
from meta_eval.measures.words.stemming import find_long_stemmer, find_stemmer
from meta_eval.measures.words.tokenisers import find_tokenizer
from tests.meta_eval.measures.languages import LANGUAGES, LEXICAL, decomposed, sentences, texts_of
from tests.meta_eval.measures.texts import matrix

DOCS = Path(__file__).parents[3] / "docs" / "measures.md"
EVERY_LANGUAGE = pytest.mark.parametrize("language", LANGUAGES)


class Cutter:
    """Words as rouge-score's hook takes them: those that the measure finds."""

    def __init__(self, tokenizer):
        self.tokenize = tokenizer.words


class NoWordNet:
    def synsets(self, _word):
        return []


class Stemmer:
    def __init__(self, name):
        self.stem = find_stemmer(name)


def made(measure, language, **options):
    return make_measure(measure, **options).in_languages([language])


def distances(measure, texts):
    """All pairs of texts; about the last one, where a measure asks for a document."""
    if measure.id == "jsd-oov":
        pairs = [index.ravel() for index in np.indices((len(texts), len(texts)))]
        return measure.distances_in_context(
            measure.prepare(texts), *pairs, np.full(len(pairs[0]), len(texts) - 1)
        )
    return matrix(measure, texts)


@EVERY_LANGUAGE
@pytest.mark.parametrize("measure", LEXICAL)
def test_composed_and_decomposed_texts_are_equal(measure, language):
    texts = texts_of(language)
    if language == "en":
        assert decomposed(texts) == texts  # its words are cut as the papers cut them
    np.testing.assert_array_equal(
        distances(made(measure, language), decomposed(texts)), distances(made(measure, language), texts)
    )


@EVERY_LANGUAGE
@pytest.mark.parametrize(
    ("measure", "options"),
    [
        *((name, {"stemmer": "none"}) for name in ("rouge-l", "rouge-su4", "meteor")),
        *((name, {}) for name in ("bleu", "jsd")),
    ],
)
def test_different_words_are_apart(measure, options, language):
    one, other = LANGUAGES[language]["words"]
    compare = made(measure, language, **options)
    assert compare(one, other) > compare(one, one)


@EVERY_LANGUAGE
def test_different_words_are_apart_beside_their_document(language):
    words = LANGUAGES[language]["words"]
    texts = [*words, " ".join([*words, sentences(language)[0]])]
    found = distances(made("jsd-oov", language), texts)
    assert 0 == found[0] < found[1]


def test_stemming_may_join_words_and_can_be_left_out():
    """Snowball folds the umlaut, as its authors meant it; Arabic loses its vowel signs."""
    for language, one, other in (("de", "schon", "schön"), ("ar", "كَتَبَ", "كتب")):
        assert made("rouge-l", language)(one, other) == 0
        assert made("rouge-l", language, stemmer="none")(one, other) == 1


@EVERY_LANGUAGE
@pytest.mark.parametrize(
    ("name", "theirs"), [("rouge-l", "rougeL"), ("rouge-1", "rouge1"), ("rouge-2", "rouge2")]
)
def test_rouge_is_rouge_scores_on_the_same_words(name, theirs, language):
    measure, texts = made(name, language), texts_of(language)
    scorer = RougeScorer([theirs], tokenizer=Cutter(measure.tokenizer))
    expected = [[1 - scorer.score(b, a)[theirs].fmeasure for b in texts] for a in texts]
    np.testing.assert_allclose(matrix(measure, texts), expected, atol=1e-12, rtol=0)
    assert 0 < expected[0][2] < 1  # the words do tell


@EVERY_LANGUAGE
def test_meteor_is_nltks_on_the_same_words(language):
    if language == "en":
        return  # with WordNet: test_meteor.py
    measure, texts = made("meteor", language), texts_of(language)
    words = [measure.tokenizer.words(text) for text in texts]
    stemmer = Stemmer(words_of([language]).stemmer)
    expected = [
        [1 - single_meteor_score(b, a, preprocess=str, stemmer=stemmer, wordnet=NoWordNet()) for b in words]
        for a in words
    ]
    np.testing.assert_allclose(matrix(measure, texts), expected, atol=1e-12, rtol=0)
    assert measure.signature.options["synonyms"] == "none"


@EVERY_LANGUAGE
def test_bleu_is_sacrebleus_on_the_same_words(language):
    measure, texts = made("bleu", language, n=4, smoothing="exp"), texts_of(language)
    spaced = [" ".join(measure.tokenizer.words(text)) for text in texts]
    expected = [
        [1 - sentence_bleu(a, [b], tokenize="none").score / 100 if a != b else 0.0 for b in spaced]
        for a in spaced
    ]
    np.testing.assert_allclose(matrix(measure, texts), expected, atol=1e-9, rtol=0)


@pytest.mark.parametrize(
    ("tag", "stemmer"), [(words.tags[0], words.stemmer) for words in TABLE if words.stemmer != "none"]
)
def test_words_are_stemmed_by_language(tag, stemmer):
    assert made("rouge-l", tag).signature.tokenizer.endswith(f", {stemmer}")
    assert made("jsd", tag).signature.tokenizer == (r"lower, \w+" if tag == "en" else "unicode")
    if tag == "en":
        return
    snowball = SnowballStemmer(stemmer)
    words = (
        [word for text in sentences(tag) for word in find_tokenizer("unicode").words(text)]
        if (tag in LANGUAGES)
        else ["university", "friheden", "kansalaiset", "szabadság", "rettigheter", "libertatea"]
    )
    stems = [find_long_stemmer(stemmer)(word) for word in words]
    assert stems == [snowball.stem(word) if len(word) > 3 else word for word in words]
    assert stems != words


@pytest.mark.parametrize(
    ("languages", "tokenizer"),
    [
        ([], "rouge-score, porter"),
        (["en"], "rouge-score, porter"),
        (["en-GB", "en-US"], "rouge-score, porter"),
        (["EN"], "rouge-score, porter"),
        (["de-AT"], "unicode, german"),
        (["hi"], "unicode"),
        (["zh-Hant"], "unicode"),
        (["ja"], "char"),
        (["de", "de-CH"], "unicode, german"),
        (["de", "fr"], "unicode"),
        (["en", "ja"], "unicode"),
        (["tlh"], "unicode"),
    ],
)
def test_the_corpus_chooses_the_words(languages, tokenizer):
    assert make_measure("rouge-l").in_languages(languages).signature.tokenizer == tokenizer


def test_what_is_chosen_by_hand_stands_in_every_language():
    chosen = make_measure("rouge-l", tokeniser="char").in_languages(["de"])
    assert signature_line(chosen.signature) == "rouge-l|prep:none|mode:paper|tok:char|v:0.1.0"
    assert made("rouge-l", "de", tokeniser="rouge-score").signature.tokenizer == "rouge-score, german"
    assert made("rouge-l", "de", stemmer="none").signature.tokenizer == "unicode"
    assert make_measure("rouge-l", tokeniser="unicode").signature.tokenizer == "unicode"
    assert parse_measure("jsd", tokeniser="char").signature.tokenizer == "char"
    assert parse_measure("jsd:tokeniser=unicode", tokeniser="char").signature.tokenizer == "unicode"
    assert made("meteor", "de", stemmer="porter", synonyms="wordnet").signature.options == dict(
        make_measure("meteor").signature.options
    )


def test_english_keeps_the_signature_that_it_had():
    for measure in LEXICAL:
        assert made(measure, "en").signature == make_measure(measure).signature
    line = signature_line(make_measure("rouge-l").signature)
    assert line == "rouge-l|prep:none|mode:paper|tok:rouge-score,porter|v:0.1.0"


def test_the_released_code_has_its_words_in_every_language():
    for measure in ("rouge-l", "rouge-su4", "bleu", "meteor", "jsd"):
        plain = make_measure(measure, mode="kdm")
        assert plain.in_languages(["zh"]) is plain


def test_signatures_differ_by_words():
    lines = {
        signature_line(make_measure("jsd", tokeniser=name).signature)
        for name in ("auto", "rouge-score", "unicode", "char", "jieba", "mecab", "pythainlp")
    }
    assert len(lines) == 7


def test_the_documentation_holds_the_table():
    text = DOCS.read_text(encoding="utf-8").split("| language | tags")[1].split("\n\n")[0]
    rows = re.findall(r"^\| ([^|]+) \| (`[^|]+|any) \| ([^|]+) \| ([^|]+) \|$", text, re.MULTILINE)
    expected = [
        (
            words.name,
            ", ".join(f"`{tag}`" for tag in words.tags) or "any",
            "as the papers" if words.tokeniser == "auto" else f"`{words.tokeniser}`",
            "none" if words.stemmer == "none" else f"`{words.stemmer}`",
        )
        for words in (*TABLE, OTHERS)
    ]
    assert rows == expected
