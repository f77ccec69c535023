import pytest
from sacrebleu.tokenizers.tokenizer_char import TokenizerChar
from sacrebleu.tokenizers.tokenizer_intl import TokenizerV14International
from sacrebleu.tokenizers.tokenizer_ja_mecab import TokenizerJaMecab
from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh

from meta_eval.errors import MeasureError
from meta_eval.measures import make_measure
from meta_eval.measures.words import segmenting
from meta_eval.measures.words.segmenting import LETTER, as_read
from meta_eval.measures.words.tokenisers import find_tokenizer
from tests.meta_eval.measures.languages import LANGUAGES, decomposed, sentences, texts_of


def words_of(oracle, text):
    """The words that an oracle finds in a text as it is read; ours drop punctuation."""
    return [word for word in oracle(as_read(text)).split() if LETTER.search(word)]


@pytest.mark.parametrize("language", [name for name in LANGUAGES if name not in ("ja", "th")])
def test_unicode_words_are_sacrebleus(language):
    """Its `zh` for Chinese; its `intl` where words stand between spaces and no apostrophe is in them."""
    oracle = TokenizerZh() if language == "zh" else TokenizerV14International()
    for text in texts_of(language):
        assert find_tokenizer("unicode").words(text) == words_of(oracle, text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_characters_are_sacrebleus(language):
    for text in texts_of(language):
        assert find_tokenizer("char").words(text) == words_of(TokenizerChar(), text)


def test_japanese_words_are_sacrebleus():
    for text in texts_of("ja"):
        assert find_tokenizer("mecab").words(text) == words_of(TokenizerJaMecab(), text)


def test_segmenters_find_words():
    assert find_tokenizer("jieba").words("我们去北京天安门，2024年 ABC") == [
        *("我们", "去", "北京", "天安门", "2024", "年", "abc")
    ]
    assert find_tokenizer("pythainlp").words("ภาษาไทย, เป็นภาษา") == ["ภาษาไทย", "เป็น", "ภาษา"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't e-mail L’Été 3.5", ["don't", "e", "mail", "l’été", "3.5"]),
        ("हिन्दी में एक", ["हिन्दी", "में", "एक"]),
        ("می\u200cخواهم", ["می\u200cخواهم"]),
        ("人人ABC2024年カタカナ", ["人", "人", "abc2024", "年", "カタカナ"]),
        ("ป็นภา", ["ป็", "น", "ภ", "า"]),
        ("... 👍 —", []),
        ("", []),
    ],
)
def test_unicode_words_by_hand(text, words):
    assert find_tokenizer("unicode").words(text) == words
    assert find_tokenizer("unicode").splitter.finds_word(text) == bool(words)


@pytest.mark.parametrize("name", ["unicode", "char", "jieba", "mecab", "pythainlp"])
def test_every_tokeniser_composes_first(name):
    for language in ("fr", "ko", "vi", "ja", "th"):
        texts = sentences(language)
        cut = find_tokenizer(name).words
        assert list(map(cut, decomposed(texts))) == list(map(cut, texts))


@pytest.mark.parametrize(
    ("tokeniser", "said"),
    [
        ("jieba", "Tokeniser 'jieba' needs jieba: run `pip install jieba`."),
        (
            "mecab",
            "Tokeniser 'mecab' needs fugashi and ipadic: run `pip install fugashi ipadic`.",
        ),
        (
            "pythainlp",
            "Tokeniser 'pythainlp' needs pythainlp: run `pip install pythainlp`.",
        ),
    ],
)
def test_a_segmenter_that_is_not_here_is_named(tokeniser, said, monkeypatch):
    find_tokenizer.cache_clear()
    monkeypatch.setattr(segmenting, "find_spec", lambda _name: None)
    with pytest.raises(MeasureError) as caught:
        make_measure("jsd", tokeniser=tokeniser)
    assert str(caught.value) == said
