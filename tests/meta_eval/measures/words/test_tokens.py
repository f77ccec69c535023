import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer
from rouge_score.tokenize import tokenize

from meta_eval.measures.words import splitting
from meta_eval.measures.words.tokenisers import ROUGE, WORDS
from meta_eval.measures.words.tokens import SPLIT_LOWER, number_texts
from tests.meta_eval.measures.texts import any_text, words

STEMMER = PorterStemmer()
texts = words | any_text | st.text(st.characters(max_codepoint=127), max_size=60)


@given(texts)
def test_rouge_words_are_rouge_scores(text):
    assert ROUGE.words(text) == tokenize(text, STEMMER)


@given(texts)
def test_words_are_those_of_the_pattern(text):
    assert WORDS.words(text) == re.findall(r"\w+", text.lower())


def test_stems_are_taken_of_words_of_more_than_three_letters():
    assert ROUGE.words("was Wasing gas gases") == ["was", "wase", "gas", "gase"]


def named(texts, tokenizer):
    """The words of each text, by their numbers."""
    numbered = number_texts(texts, tokenizer)
    bounds = zip(numbered.offsets[:-1], numbered.offsets[1:], strict=True)
    assert sorted(set(numbered.vocabulary)) == list(numbered.vocabulary)
    assert set(numbered.ids) == set(range(numbered.size))
    return [[numbered.vocabulary[number] for number in numbered.ids[start:end]] for start, end in bounds]


@pytest.mark.parametrize("tokenizer", [ROUGE, WORDS, SPLIT_LOWER], ids=lambda tokenizer: tokenizer.name)
@given(st.lists(texts, max_size=5), st.sampled_from([1, 20, 1 << 20]))
def test_texts_together_have_the_words_that_each_has(tokenizer, some, size):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(splitting, "BLOCK_LETTERS", size)
        assert named(some, tokenizer) == [tokenizer.words(text) for text in some]
        splitter = tokenizer.splitter
        assert splitter.count(some).tolist() == [len(splitter.split(text)) for text in some]
        assert splitter.find_words(some).tolist() == [splitter.finds_word(text) for text in some]


@pytest.mark.parametrize("tokenizer", [ROUGE, WORDS], ids=lambda tokenizer: tokenizer.name)
def test_every_letter_there_is_joins_or_parts_words_as_in_the_pattern(tokenizer):
    every = range(sys.maxunicode + 1)
    texts = [
        "".join(f" a{chr(code)}b Σ{chr(code)}" for code in every[start : start + 4096])
        for start in every[::4096]
    ]
    texts += ["ΑΣ’Α ΑΣ", "ΑΣ", "\ud800\udc00", "\udc00x"]
    assert named(texts, tokenizer) == [tokenizer.words(text) for text in texts]
