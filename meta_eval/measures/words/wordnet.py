"""What METEOR and preprocessing `pens` ask of WordNet 3.0: base forms of English words, and their synonyms.

The words of its synsets and its exceptions of inflection come with this package (`data/README.md`).
"""

import gzip
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from meta_eval.errors import MeasureError
from meta_eval.files.package import data_file

Part = Literal["n", "v", "a", "r"]
"""Part of speech: noun, verb, adjective, adverb."""
ENDINGS: dict[Part, tuple[tuple[str, str], ...]] = {
    "n": (
        *(("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z")),
        *(("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y")),
    ),
    "v": (
        *(("s", ""), ("ies", "y"), ("es", "e"), ("es", "")),
        *(("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    ),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}
"""WordNet's rules of detachment: an inflected word's ending, and that of its base form."""


@dataclass(frozen=True, slots=True)
class Words:
    """Of a part of speech: the synsets of each word in lower case, a synset being its words; and base forms
    that no rule gives, by the inflected word.
    """

    synsets: dict[str, list[list[str]]] = field(default_factory=lambda: defaultdict(list))
    exceptions: dict[str, list[str]] = field(default_factory=dict)


@cache
def read_wordnet() -> dict[Part, Words]:
    """All of it; a third of a second the first time in a process.

    Raises
    ------
    MeasureError
        Where this package was installed without its data.
    """
    found: dict[Part, Words] = {part: Words() for part in ENDINGS}
    for kind, part, names in _lines():
        if kind == "exception":
            found[part].exceptions[names[0]] = names[1:]
            continue
        for word in {name.lower() for name in names}:
            found[part].synsets[word].append(names)
    return found


def _lines() -> Iterator[tuple[str, Part, list[str]]]:
    """Each line's kind, part of speech and words."""
    source = data_file("wordnet-3.0.txt.gz")
    try:
        content = source.read_bytes()
    except FileNotFoundError as error:
        raise MeasureError(
            f"Measure 'meteor' and preprocessing 'pens' need WordNet in {source}, which is missing: "
            "reinstall the package."
        ) from error
    parts: dict[str, Part] = {part: part for part in ENDINGS}
    for line in gzip.decompress(content).decode("utf-8").splitlines():
        kind, part, *names = line.split(" ")
        yield kind, parts[part], names


def base_forms(word: str, part: Part) -> list[str]:
    """What WordNet has as that part of speech of a lower-case word: the word itself first, then base forms.

    Examples
    --------
    >>> base_forms("saw", "v")
    ['saw', 'see']
    >>> base_forms("wolves", "n")
    ['wolf']
    """
    known = read_wordnet()[part]
    forms = known.exceptions.get(word)
    if forms is None:
        forms = [word[: -len(old)] + new for old, new in ENDINGS[part] if word.endswith(old)]
    return [form for form in dict.fromkeys([word, *forms]) if form in known.synsets]


def synonyms(word: str) -> set[str]:
    """All words of all synsets of a word, itself among them where WordNet has it; `_` joins several words.

    Examples
    --------
    >>> sorted(synonyms("cars"))[:3]
    ['auto', 'automobile', 'cable_car']
    """
    lower = word.lower()
    return {
        name
        for part, known in read_wordnet().items()
        for form in base_forms(lower, part)
        for names in known.synsets[form]
        for name in names
    }


def lemmatise_noun(word: str) -> str:
    """The shortest noun lemma of `word` in WordNet, else `word`: NLTK's WordNetLemmatizer by default."""
    return min(base_forms(word, "n"), key=len, default=word)
