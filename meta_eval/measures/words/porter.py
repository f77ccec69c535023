"""Porter's stems of English words, as NLTK's stemmer gives them in the mode that rouge-score and METEOR use.

The algorithm of Porter (1980) with NLTK's extensions: short words and a list of irregular ones stay apart,
and some endings are treated otherwise. Written anew because NLTK takes a second to import and a multiple
of the time for each word; a test holds every stem to NLTK's.

A word's *shape* says of each letter whether it is a vowel or a consonant. Its *measure* is how often a vowel
is followed by a consonant. Both of a word's beginning follow from the letters of that beginning alone.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

_SHORTEST = 3
"""Words of fewer letters are their own stems."""

_IRREGULAR = {
    "cannings": "canning",
    "canning": "canning",
    "dying": "die",
    "exceed": "exceed",
    "howe": "howe",
    "inning": "inning",
    "innings": "inning",
    "lying": "lie",
    "news": "news",
    "outing": "outing",
    "outings": "outing",
    "proceed": "proceed",
    "skies": "sky",
    "sky": "sky",
    "succeed": "succeed",
    "tying": "tie",
}


class _Letters(dict[int, str]):
    """For `str.translate`: v for a vowel, y for y, c for whatever else there is."""

    def __missing__(self, letter: int) -> str:
        return "c"


_LETTERS = _Letters({ord(letter): "y" if letter == "y" else "v" for letter in "aeiouy"})

Rules = Mapping[str, tuple[tuple[str, str], ...]]
"""Endings and what replaces them, by the last two letters; of several the first that fits is taken."""


def _rules(rules: Iterable[tuple[str, str]]) -> Rules:
    by_letters: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for ending, instead in rules:
        by_letters[ending[-2:]].append((ending, instead))
    return {letters: tuple(found) for letters, found in by_letters.items()}


_SECOND = _rules(
    [
        ("ational", "ate"),
        ("tional", "tion"),
        ("enci", "ence"),
        ("anci", "ance"),
        ("izer", "ize"),
        ("bli", "ble"),
        ("alli", "al"),
        ("entli", "ent"),
        ("eli", "e"),
        ("ousli", "ous"),
        ("ization", "ize"),
        ("ation", "ate"),
        ("ator", "ate"),
        ("alism", "al"),
        ("iveness", "ive"),
        ("fulness", "ful"),
        ("ousness", "ous"),
        ("aliti", "al"),
        ("iviti", "ive"),
        ("biliti", "ble"),
        ("fulli", "ful"),
        ("logi", "log"),
    ]
)
_THIRD = _rules(
    [
        ("icate", "ic"),
        ("ative", ""),
        ("alize", "al"),
        ("iciti", "ic"),
        ("ical", "ic"),
        ("ful", ""),
        ("ness", ""),
    ]
)
_FOURTH = _rules(
    (ending, "")
    for ending in (
        *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent"),
        *("ion", "ou", "ism", "ate", "iti", "ous", "ive", "ize"),
    )
)


def porter_stem(word: str) -> str:
    """The stem of a word.

    Parameters
    ----------
    word : a word in any script; letters other than a to z count as consonants

    Returns
    -------
    str : in lower case; equal to `nltk.stem.porter.PorterStemmer().stem(word)`

    Notes
    -----
    Porter, M. (1980): An algorithm for suffix stripping. Program 14.3, 130-137.

    Examples
    --------
    >>> [porter_stem(word) for word in ("relational", "hopping", "flies", "dies", "News")]
    ['relat', 'hop', 'fli', 'die', 'news']
    """
    found = word.lower()
    irregular = _IRREGULAR.get(found)
    if irregular is not None:
        return irregular
    if len(word) < _SHORTEST:
        return found
    if found.endswith("s"):
        found = _without_plural(found)
    if found.endswith(("d", "g")):
        found = _without_past(found)
    if found.endswith("y") and len(found) > 2 and _shape(found)[-2] == "c":
        found = found[:-1] + "i"
    found = _replace_second(found)
    found = _replace(found, _THIRD, 0)
    found = _without_fourth(found)
    if found.endswith("e"):
        found = _without_e(found)
    if found.endswith("ll") and _measure(found[:-1]) > 1:
        found = found[:-1]
    return found


def _shape(word: str) -> str:
    """A letter for each of the word: v for a vowel, c for a consonant; y is either, by the one before it."""
    letters = word.translate(_LETTERS)
    if "y" not in letters:
        return letters
    shape: list[str] = []
    for letter in letters:
        shape.append(("v" if shape and shape[-1] == "c" else "c") if letter == "y" else letter)
    return "".join(shape)


def _measure(word: str) -> int:
    return _shape(word).count("vc")


def _ends_short(word: str) -> bool:
    """Whether it ends in consonant, vowel, consonant other than w, x and y, or is a vowel and a consonant."""
    shape = _shape(word)
    return shape == "vc" or (shape.endswith("cvc") and word[-1] not in "wxy")


def _without_plural(word: str) -> str:
    """Step 1a."""
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    return word if word.endswith("ss") else word[:-1]


def _without_past(word: str) -> str:
    """Step 1b."""
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    if word.endswith(("ed", "ing")):
        rest = word[: -2 if word.endswith("ed") else -3]
        return _complete(rest) if "v" in _shape(rest) else word
    return word


def _complete(rest: str) -> str:
    """What is left of a word without -ed or -ing, made a word again: conflat(e), hop(p), fil(e)."""
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    shape = _shape(rest)
    if len(rest) > 1 and rest[-1] == rest[-2] and shape[-1] == "c":
        return rest if rest[-1] in "lsz" else rest[:-1]
    if rest.endswith("*d"):  # NLTK's name of the rule above, which it takes for an ending, too
        return rest[:-2] + "d"
    return rest + "e" if shape.count("vc") == 1 and _ends_short(rest) else rest


def _replace(word: str, rules: Rules, least: int) -> str:
    """The first ending that fits replaced, where what stands before it has a measure above `least`."""
    for ending, instead in rules.get(word[-2:], ()):
        if word.endswith(ending):
            rest = word[: -len(ending)]
            return rest + instead if _measure(rest) > least else word
    return word


def _replace_second(word: str) -> str:
    """Step 2. What -alli leaves is looked at once more; the l of -logi belongs to what stands before it."""
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    found = _replace(word, _SECOND, 0)
    return _replace_second(found) if found != word and word.endswith("alli") else found


def _without_fourth(word: str) -> str:
    """Step 4. Of -ion only after s or t."""
    found = _replace(word, _FOURTH, 1)
    return word if found != word and word.endswith("ion") and found[-1] not in "st" else found


def _without_e(word: str) -> str:
    """Step 5a."""
    rest = word[:-1]
    measure = _measure(rest)
    return rest if measure > 1 or (measure == 1 and not _ends_short(rest)) else word
