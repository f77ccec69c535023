"""Words in every script: by Unicode's segmentation rules, character by character, and by segmenters.

Each function takes a text in normal form NFC and lower case. What holds no letter, mark or number is no word.
"""

import logging
import unicodedata
import warnings
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec

import regex

from meta_eval.errors import MeasureError
from meta_eval.measures.words.data_folder import cannot_write, data_folder
from meta_eval.measures.words.splitting import Splitter

Cut = Callable[[str], list[str]]

_BOUNDARY = regex.compile(r"\b", regex.VERSION1 | regex.WORD)  # UAX 29, word boundaries
LETTER = regex.compile(r"[\p{L}\p{M}\p{N}]")


def as_read(text: str) -> str:
    """The text as it is cut: composed (NFC) and in lower case."""
    return unicodedata.normalize("NFC", text).lower()


class Segments(Splitter):
    """Cuts texts as they are read into pieces, of which those with a letter, mark or number are words."""

    def __init__(self, load: Callable[[], Cut]) -> None:
        super().__init__(lambda text: [word for word in load()(as_read(text)) if LETTER.search(word)])

    def finds_word(self, text: str) -> bool:
        """Whether the text has a word: it does as soon as it has a letter."""
        return LETTER.search(text) is not None


def unicode_words() -> Cut:
    """By Unicode Standard Annex 29: marks stay with their letters.

    Where a script puts no spaces the rules know no words: Chinese characters and hiragana stand alone, and
    letters of Thai, Lao, Khmer and Burmese with their marks.
    """
    split: Cut = _BOUNDARY.split
    return split


def characters() -> Cut:
    """Each code point, as sacreBLEU's `char`."""
    return list


def require_packages(tokeniser: str, packages: tuple[str, ...]) -> None:
    """MeasureError that says what to install, unless all packages are there; nothing is imported."""
    if missing := [name for name in packages if find_spec(name) is None]:
        raise MeasureError(
            f"Tokeniser {tokeniser!r} needs {' and '.join(missing)}: run `pip install {' '.join(missing)}`."
        )


@cache
def jieba_words() -> Cut:
    """Chinese by jieba's dictionary, in its accurate mode.

    Its cache goes to our data folder: by default jieba reads it from a folder that everybody may write to.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # old escapes in its source, and an old way to find its files
        import jieba
    jieba.setLogLevel(logging.WARNING)
    folder = data_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write("jieba's cache cannot be kept in", folder, error) from error
    segmenter = jieba.Tokenizer()
    segmenter.tmp_dir = str(folder)
    lcut: Cut = segmenter.lcut
    return lcut


@cache
def mecab_words() -> Cut:
    """Japanese by MeCab with the IPA dictionary, as sacreBLEU's `ja-mecab`."""
    import fugashi
    import ipadic

    tagger = fugashi.GenericTagger(f"{ipadic.MECAB_ARGS} -Owakati")
    return lambda text: str(tagger.parse(text)).split()


@cache
def thai_words() -> Cut:
    """Thai by PyThaiNLP's dictionary (its default engine, newmm)."""
    from pythainlp.tokenize import word_tokenize

    return lambda text: list(word_tokenize(text, engine="newmm", keep_whitespace=False))
