"""NLTK's reader of WordNet over the words that come with this package: its own rules, without its files."""

from functools import cache
from typing import Any

from nltk.corpus.reader.wordnet import Lemma, Synset, WordNetCorpusReader

from meta_eval.measures.words.wordnet import read_wordnet


class KeptWordNet(WordNetCorpusReader):  # type: ignore[misc]  # NLTK has no types
    """What `meteor_score` and `WordNetLemmatizer` ask: synsets with their lemmas, and base forms."""

    def __init__(self) -> None:
        self._synsets: list[list[str]] = []
        self._lemma_pos_offset_map: dict[str, dict[str, list[int]]] = {}
        self._exception_map = {part: known.exceptions for part, known in read_wordnet().items()}
        numbers: dict[int, int] = {}
        for part, known in read_wordnet().items():
            for word, synsets in known.synsets.items():
                for names in synsets:
                    if id(names) not in numbers:
                        numbers[id(names)] = len(self._synsets)
                        self._synsets.append(names)
                places = self._lemma_pos_offset_map.setdefault(word, {})
                places[part] = [numbers[id(names)] for names in synsets]

    @cache  # noqa: B019 - there is one reader
    def synset_from_pos_and_offset(self, pos: str, offset: int) -> Any:  # noqa: ARG002 - as NLTK calls it
        """The synset of a number of ours."""
        made = Synset(self)
        made._lemmas = [Lemma(self, made, name, None, None, None) for name in self._synsets[offset]]
        return made


@cache
def nltk_wordnet() -> Any:
    """The reader, made once in a process."""
    return KeptWordNet()
