"""METEOR (Lavie and Agarwal 2007) as NLTK computes it, for many pairs at once, as a distance: 1 - METEOR.

NLTK aligns words in three stages, each on what the one before has left: equal words, equal Porter stems,
WordNet synonyms. Within a stage the candidate's words choose from the last to the first, each the last word
of the reference that is still free. Stages one and two therefore match the k-th last free occurrence of a
word (of a stem) on one side with the k-th last on the other, which is a join of tables; only the third is
walked through.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal

import numpy as np

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.measures.base import MeasureInfo, OptionValue
from meta_eval.measures.lexical import LexicalMeasure, require_range
from meta_eval.measures.words.counts import (
    KeyTable,
    expand_ranges,
    split_runs,
    tabulate_keys,
    text_of_word,
)
from meta_eval.measures.words.languages import Synonyms, is_foreign
from meta_eval.measures.words.sharing import join_keys
from meta_eval.measures.words.stemming import Stemmer, find_stemmer
from meta_eval.measures.words.tokens import NumberedTexts
from meta_eval.measures.words.wordnet import synonyms as words_of_synsets


@lru_cache(maxsize=1 << 18)
def synonyms(word: str) -> frozenset[str]:
    """Single-word lemma names of all synsets of `word`, as NLTK's METEOR takes them, but `word` itself."""
    return frozenset(name for name in words_of_synsets(word) if "_" not in name and name != word)


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Where each feature of each text stands: table.keys[i] at places[starts[i]:starts[i + 1]], ascending."""

    table: KeyTable
    starts: IntArray
    places: IntArray

    def spread(self, keys: IntArray) -> tuple[IntArray, IntArray]:
        """Every place of each of `keys` (indices into table.keys): (which of them, place)."""
        owner, index = expand_ranges(self.starts[keys], self.starts[keys + 1] - self.starts[keys])
        return owner, self.places[index]


def tabulate_occurrences(
    text: IntArray, feature: IntArray, places: IntArray, texts: int, width: int
) -> Occurrences:
    """Occurrences from (text, feature, place) columns, places ascending."""
    keys = text * width + feature
    order = np.argsort(keys, kind="stable")
    table, starts = tabulate_keys(keys[order], texts, width)
    return Occurrences(table, starts, places[order])


def rank_from_end(starts: IntArray, size: int) -> IntArray:
    """0 for the last of each group, 1 for the one before, ...; group g is starts[g]:starts[g + 1]."""
    return np.repeat(starts[1:], np.diff(starts)) - 1 - np.arange(size)


@dataclass(frozen=True, slots=True)
class MeteorTexts:
    """Texts ready for alignment. Places are indices into the words of all texts, one after the other."""

    lengths: IntArray
    offsets: IntArray
    stems: IntArray  # stem number of each place
    by_rank: Occurrences  # (word, how many of it follow): a single place each
    by_stem: Occurrences
    by_sense: Occurrences  # what stage three compares: stems, or words
    senses: IntArray  # that feature's number at each place
    sense_starts: IntArray  # synonyms of feature f: sense_synonyms[sense_starts[f]:sense_starts[f + 1]]
    sense_synonyms: IntArray


def number_values(values: list[str]) -> tuple[IntArray, dict[str, int]]:
    """Numbers of strings in order of first occurrence, and the numbering."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in values], dtype=np.int64), numbers


Meanings = Callable[[str], frozenset[str]]
"""Synonyms of a word, but the word itself."""


def no_synonyms(_word: str) -> frozenset[str]:
    """Of a language whose words WordNet does not know."""
    return frozenset()


def list_synonyms(numbers: dict[str, int], meanings: Meanings) -> tuple[IntArray, IntArray]:
    """Synonyms among the numbered words themselves: (starts, numbers), as MeteorTexts keeps them."""
    lists = [sorted(numbers[name] for name in meanings(word) if name in numbers) for word in numbers]
    starts = np.cumsum([0, *map(len, lists)])
    return starts, np.array([number for found in lists for number in found], dtype=np.int64)


def prepare_alignment(
    texts: NumberedTexts, *, on_stems: bool, stem: Callable[[str], str], meanings: Meanings
) -> MeteorTexts:
    """Tables of words by rank, of stems, and of the features that WordNet is asked about."""
    text, places, count = text_of_word(texts), np.arange(len(texts.ids)), len(texts.lengths)
    stem_numbers, stem_vocabulary = number_values([stem(word) for word in texts.vocabulary])
    stems = stem_numbers[texts.ids]
    by_word = tabulate_occurrences(text, texts.ids, places, count, max(texts.size, 1))
    by_stem = tabulate_occurrences(text, stems, places, count, max(len(stem_vocabulary), 1))
    depth = int(texts.lengths.max(initial=1))
    ranks = np.empty(len(places), dtype=np.int64)
    ranks[by_word.places] = rank_from_end(by_word.starts, len(places))
    by_rank = tabulate_occurrences(text, texts.ids * depth + ranks, places, count, max(texts.size, 1) * depth)
    word_vocabulary = {word: number for number, word in enumerate(texts.vocabulary)}
    starts, found = list_synonyms(stem_vocabulary if on_stems else word_vocabulary, meanings)
    return MeteorTexts(
        lengths=texts.lengths,
        offsets=texts.offsets,
        stems=stems,
        by_rank=by_rank,
        by_stem=by_stem,
        by_sense=by_stem if on_stems else by_word,
        senses=stems if on_stems else texts.ids,
        sense_starts=starts,
        sense_synonyms=found,
    )


@dataclass(frozen=True, slots=True)
class Alignment:
    """Matched words: the pair's number, the candidate's place, the reference's place."""

    pair: IntArray
    candidate: IntArray
    reference: IntArray

    def __add__(self, other: "Alignment") -> "Alignment":
        return Alignment(
            np.concatenate((self.pair, other.pair)),
            np.concatenate((self.candidate, other.candidate)),
            np.concatenate((self.reference, other.reference)),
        )


def is_free(pair: IntArray, place: IntArray, taken_pair: IntArray, taken_place: IntArray) -> IntArray:
    """Indices of the (pair, place) that are not among the taken ones."""
    size = 1 + int(max(place.max(initial=0), taken_place.max(initial=0)))
    return np.flatnonzero(~np.isin(pair * size + place, taken_pair * size + taken_place))


def match_words(texts: MeteorTexts, candidate: IntArray, reference: IntArray) -> Alignment:
    """Stage one: equal words, the k-th last with the k-th last."""
    pair, mine, theirs = join_keys(texts.by_rank.table, texts.by_rank.table, candidate, reference)
    return Alignment(pair, texts.by_rank.places[mine], texts.by_rank.places[theirs])


def match_stems(texts: MeteorTexts, candidate: IntArray, reference: IntArray, done: Alignment) -> Alignment:
    """Stage two: of what is left, equal stems, the k-th last with the k-th last."""
    stems = texts.by_stem
    pair, mine, theirs = join_keys(stems.table, stems.table, candidate, reference)
    width = stems.table.width
    groups = pair * width + stems.table.keys[mine] % width
    matched = np.bincount(
        np.searchsorted(groups, done.pair * width + texts.stems[done.candidate]), minlength=len(groups)
    )
    sizes = np.diff(stems.starts)
    open_ = np.flatnonzero((sizes[mine] > matched) & (sizes[theirs] > matched))
    left = _rank_free(stems, mine[open_], pair[open_], done.pair, done.candidate)
    right = _rank_free(stems, theirs[open_], pair[open_], done.pair, done.reference)
    _, here, there = np.intersect1d(left[1], right[1], assume_unique=True, return_indices=True)
    return Alignment(pair[open_][left[0][here]], left[2][here], right[2][there])


def _rank_free(
    stems: Occurrences, keys: IntArray, pair: IntArray, taken_pair: IntArray, taken_place: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Free places of each group: (group, one number for group and rank from the end, place)."""
    group, place = stems.spread(keys)
    free = is_free(pair[group], place, taken_pair, taken_place)
    group, place = group[free], place[free]
    starts = np.searchsorted(group, np.arange(len(keys) + 1))
    return group, group * (len(stems.places) + 1) + rank_from_end(starts, len(group)), place


def tabulate_synonyms(texts: MeteorTexts, chosen: IntArray) -> Occurrences:
    """For each chosen text, the features that are synonyms of its words, and the places of those words."""
    row, place = expand_ranges(texts.offsets[chosen], texts.lengths[chosen])
    feature = texts.senses[place]
    first, sizes = texts.sense_starts[feature], np.diff(texts.sense_starts)[feature]
    owner, index = expand_ranges(first, sizes)
    width = texts.by_sense.table.width
    return tabulate_occurrences(row[owner], texts.sense_synonyms[index], place[owner], len(chosen), width)


def match_synonyms(
    texts: MeteorTexts, candidate: IntArray, reference: IntArray, done: Alignment
) -> Alignment:
    """Stage three: of what is left, reference words that are synonyms of a candidate's word."""
    chosen, row = np.unique(candidate, return_inverse=True)
    meanings = tabulate_synonyms(texts, chosen)
    pair, mine, theirs = join_keys(meanings.table, texts.by_sense.table, row, reference)
    owner, place = meanings.spread(mine)
    free = is_free(pair[owner], place, done.pair, done.candidate)
    owner, place = owner[free], place[free]
    again, target = texts.by_sense.spread(theirs[owner])
    pair, place = pair[owner][again], place[again]
    free = is_free(pair, target, done.pair, done.reference)
    return choose_last(pair[free], place[free], target[free])


def choose_last(pair: IntArray, place: IntArray, target: IntArray) -> Alignment:
    """Candidate places from the last to the first, each taking the last target that is still free."""
    order = np.lexsort((-target, -place, pair))
    placed: set[tuple[int, int]] = set()
    taken: set[tuple[int, int]] = set()
    chosen = []
    for index, owner, here, there in zip(
        order.tolist(), pair[order].tolist(), place[order].tolist(), target[order].tolist(), strict=True
    ):
        if (owner, here) not in placed and (owner, there) not in taken:
            placed.add((owner, here))
            taken.add((owner, there))
            chosen.append(index)
    kept = np.array(chosen, dtype=np.int64)
    return Alignment(pair[kept], place[kept], target[kept])


def align(texts: MeteorTexts, candidate: IntArray, reference: IntArray) -> Alignment:
    """The alignment of each pair, by pair and by place in the candidate."""
    found = match_words(texts, candidate, reference)
    found += match_stems(texts, candidate, reference, found)
    found += match_synonyms(texts, candidate, reference, found)
    order = np.lexsort((found.candidate, found.pair))
    return Alignment(found.pair[order], found.candidate[order], found.reference[order])


def count_chunks(found: Alignment, pairs: int) -> IntArray:
    """Runs of matches that are adjacent on both sides, for each pair, shape (pairs,)."""
    broken = np.diff(found.pair) != 0
    broken |= np.diff(found.candidate) != 1
    broken |= np.diff(found.reference) != 1
    begins = np.concatenate((np.ones(min(len(found.pair), 1), dtype=bool), broken))
    return np.bincount(found.pair[begins], minlength=pairs)


@dataclass(frozen=True, kw_only=True)
class Meteor(LexicalMeasure):
    """1 - METEOR; the first text is the candidate, the second the reference.

    `alpha` weighs precision against recall, `beta` and `gamma` shape the penalty for fragmentation.
    `wordnet_on` says what WordNet is asked about: "stems", as NLTK does (it hands on the stems of stage two,
    so that "automobil" finds nothing), or "words". `stemmer` is of stage two, `synonyms` of stage three: both
    "auto" until the language is known, which is Porter's and WordNet's as in English.
    """

    alpha: float = 0.9
    beta: float = 3.0
    gamma: float = 0.5
    wordnet_on: Literal["stems", "words"] = "stems"
    stemmer: Stemmer = "auto"
    synonyms: Synonyms = "auto"
    silent_defaults: ClassVar[Mapping[str, OptionValue]] = {"stemmer": "porter", "synonyms": "wordnet"}
    libraries: ClassVar[tuple[str, ...]] = ("nltk", "numpy")
    info: ClassVar[MeasureInfo] = MeasureInfo(
        id="meteor",
        title="METEOR",
        range="[0, 1]",
        symmetric=False,
        cost="about half a million pairs of headlines a second; loads WordNet 3.0",
        source="Lavie and Agarwal 2007, as NLTK's meteor_score",
        identity="d(x, x) = gamma / m^beta for a text of m words: 0.5 for one word, 0.0625 for two",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        require_range("meteor", "alpha", self.alpha, least=0, most=1)
        require_range("meteor", "beta", self.beta, least=0)
        require_range("meteor", "gamma", self.gamma, least=0, most=1)

    def _encode(self, texts: NumberedTexts) -> MeteorTexts:
        return prepare_alignment(
            texts,
            on_stems=self.wordnet_on == "stems",
            stem=find_stemmer("porter" if self.stemmer == "auto" else self.stemmer),
            meanings=no_synonyms if self.synonyms == "none" else synonyms,
        )

    def remark(self, languages: Sequence[str]) -> str:
        """Says where the third stage is left out, too."""
        why = ", since WordNet is English" if is_foreign(languages) else ""
        left_out = f"synonyms are left out{why}" if self.synonyms == "none" else ""
        stems = "; words are not stemmed" if left_out and self.stemmer == "none" else ""
        return "; ".join(filter(None, (super().remark(languages), left_out + stems)))

    def _option_values(self) -> dict[str, OptionValue]:
        """With what `auto` stands for where the language is English or nobody names it."""
        values = super()._option_values()
        return {
            name: self.silent_defaults.get(name, value) if value == "auto" else value
            for name, value in values.items()
        }

    def _compare(self, content: MeteorTexts, first: IntArray, second: IntArray) -> FloatArray:
        distance = np.empty(len(first))
        for run in split_runs(np.minimum(content.lengths[first], content.lengths[second])):
            distance[run] = 1.0 - self._scores(content, first[run], second[run])
        return distance

    def _scores(self, texts: MeteorTexts, candidate: IntArray, reference: IntArray) -> FloatArray:
        found = align(texts, candidate, reference)
        matches = np.bincount(found.pair, minlength=len(candidate))
        some = np.maximum(matches, 1)
        precision, recall = some / texts.lengths[candidate], some / texts.lengths[reference]
        mean = (precision * recall) / (self.alpha * precision + (1 - self.alpha) * recall)
        penalty = self.gamma * (count_chunks(found, len(candidate)) / some) ** self.beta
        return np.where(matches > 0, (1 - penalty) * mean, 0.0)
