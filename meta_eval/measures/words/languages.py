"""Which words a measure takes in which language: the one table, in docs/measures.md too."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from meta_eval.measures.words.stemming import Stemmer
from meta_eval.measures.words.tokenisers import Tokeniser

Synonyms = Literal["auto", "wordnet", "none"]
"""What METEOR takes for equal in meaning; `auto`: WordNet in English, nothing elsewhere."""


@dataclass(frozen=True, slots=True)
class LanguageWords:
    """Words of some languages: BCP 47 `tags` (without region or script) and how their words are found.

    Of `tokeniser` "auto" is what each measure takes in English: `rouge-score` in ROUGE, else `words`.
    """

    name: str
    tags: tuple[str, ...]
    tokeniser: Tokeniser
    stemmer: Stemmer
    synonyms: Synonyms = "none"


LANGUAGES = (
    LanguageWords("English", ("en", "eng"), "auto", "porter", "wordnet"),
    LanguageWords("Arabic", ("ar", "ara", "arb"), "unicode", "arabic"),
    LanguageWords("Danish", ("da", "dan"), "unicode", "danish"),
    LanguageWords("Dutch", ("nl", "nld"), "unicode", "dutch"),
    LanguageWords("Finnish", ("fi", "fin"), "unicode", "finnish"),
    LanguageWords("French", ("fr", "fra"), "unicode", "french"),
    LanguageWords("German", ("de", "deu"), "unicode", "german"),
    LanguageWords("Hungarian", ("hu", "hun"), "unicode", "hungarian"),
    LanguageWords("Italian", ("it", "ita"), "unicode", "italian"),
    LanguageWords("Norwegian", ("no", "nb", "nn", "nor", "nob", "nno"), "unicode", "norwegian"),
    LanguageWords("Portuguese", ("pt", "por"), "unicode", "portuguese"),
    LanguageWords("Romanian", ("ro", "ron"), "unicode", "romanian"),
    LanguageWords("Russian", ("ru", "rus"), "unicode", "russian"),
    LanguageWords("Spanish", ("es", "spa"), "unicode", "spanish"),
    LanguageWords("Swedish", ("sv", "swe"), "unicode", "swedish"),
    LanguageWords("Japanese", ("ja", "jpn"), "char", "none"),
    LanguageWords("Thai", ("th", "tha"), "char", "none"),
    LanguageWords("Lao", ("lo", "lao"), "char", "none"),
    LanguageWords("Khmer", ("km", "khm"), "char", "none"),
    LanguageWords("Burmese", ("my", "mya"), "char", "none"),
)
OTHERS = LanguageWords("any other, or several", (), "unicode", "none")
_BY_TAG = {tag: words for words in LANGUAGES for tag in words.tags}


def base_tag(tag: str) -> str:
    """The language of a BCP 47 tag alone, in lower case: without region, script and the rest.

    Parameters
    ----------
    tag : such as "pt-BR"

    Returns
    -------
    str

    Examples
    --------
    >>> base_tag("PT-br")
    'pt'
    """
    return tag.partition("-")[0].lower()


def words_of(languages: Iterable[str]) -> LanguageWords | None:
    """How words are found in a corpus of these languages (BCP 47 tags); None where none is named.

    Several that differ share the rules that hold in every script.
    """
    found = {_BY_TAG.get(base_tag(tag), OTHERS) for tag in languages if tag}
    if not found:
        return None
    return found.pop() if len(found) == 1 else OTHERS


def is_foreign(languages: Iterable[str]) -> bool:
    """Whether a corpus names languages that are not English alone.

    Parameters
    ----------
    languages : BCP 47 tags, "" for unknown

    Returns
    -------
    bool

    Examples
    --------
    >>> is_foreign(["de"]), is_foreign(["en"])
    (True, False)
    """
    words = words_of(languages)
    return words is not None and words.name != "English"
