import re

import nltk
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.stem import WordNetLemmatizer
from nltk.tokenize import word_tokenize

from meta_eval.bench.nltk_wordnet import nltk_wordnet
from meta_eval.errors import MeasureError
from meta_eval.measures import make_measure
from meta_eval.measures.preprocess import preprocess_pens, preprocess_texts, stop_words
from tests.meta_eval.measures.texts import WORDS, any_text

PIECES = [
    *WORDS,
    "children's",
    "wolves",
    "churches",
    "cannot",
    "gonna",
    "it's",
    "and/or",
    "U.S.",
    "us_x",
    "٣4",
    "\n",
]
texts = st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join)


@pytest.fixture(scope="module", autouse=True)
def wordnet_of_nltk():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nltk.corpus, "wordnet", nltk_wordnet())
        yield


def released_tokenize(text: str) -> list[str]:
    """The steps of the released `Measure._tokenize`; one sentence, as no punctuation is left to end it."""
    text = re.sub(r"[^\w\s]", "", text)
    text = re.sub(r"[\d+]", "", text.lower())
    tokens = [token for token in word_tokenize(text, preserve_line=True) if token not in stop_words()]
    return [WordNetLemmatizer().lemmatize(token) for token in tokens]


@given(texts | any_text)
def test_pens_is_the_released_preprocessing(text):
    assert preprocess_pens(text) == " ".join(released_tokenize(text))


def test_pens_by_hand():
    text = "The 3 children's wolves were running; they cannot stop!! Churches in 2024."
    assert preprocess_pens(text) == "childrens wolf running stop church"


def test_the_stop_words_are_nltks_179():
    assert len(stop_words()) == 179
    assert {"i", "the", "wouldn't", "ma"} < stop_words()


def test_none_leaves_texts_alone():
    assert preprocess_texts(["The 3 wolves", ""], "none") == ["The 3 wolves", ""]


def test_measures_see_preprocessed_texts():
    assert make_measure("rouge-l", preprocess="pens")("The 3 wolves", "a wolf!") == 0.0
    assert make_measure("jsd", preprocess="pens")("the and of", "wolf") == 1.0


def test_a_missing_list_is_an_error_that_says_so(monkeypatch, tmp_path):
    stop_words.cache_clear()
    monkeypatch.setattr("meta_eval.files.package.files", lambda _: tmp_path)
    with pytest.raises(MeasureError, match=r"stopwords-english\.txt, which is missing: reinstall"):
        stop_words()
    stop_words.cache_clear()
