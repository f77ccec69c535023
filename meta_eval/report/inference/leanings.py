"""By what a model's ratings lean to a side: the place of a text, lengths, equal texts, the scale, draws."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from math import log2
from statistics import fmean

import numpy as np

from meta_eval.corpus.documents import GOLD, Corpus, Document
from meta_eval.errors import InputError
from meta_eval.measures.words.languages import words_of
from meta_eval.measures.words.tokenisers import find_tokenizer
from meta_eval.ratings.of_models import ORDERS, ModelTable, pool_answers
from meta_eval.ratings.rating import Ends, RatedPair, Scale
from meta_eval.report.schema.stand_in import LeaningRow
from meta_eval.stats.raters.leanings import Leaning, mean_over_clusters, slope_over_clusters

NO_ANSWERS = (
    "only ratings are known of this model, not its answers: give answers.jsonl in place of ratings.csv"
)
Lengths = Mapping[RatedPair, tuple[int, int]]
Documents = Mapping[str, Document]


@dataclass(frozen=True, slots=True)
class _Values:
    """Values, the documents they are of, and what they are set against where they are."""

    values: list[float]
    documents: list[Hashable]
    against: list[float] | None = None


def model_leanings(
    table: ModelTable,
    people: Mapping[str, Mapping[RatedPair, float]],
    corpus: Corpus,
    *,
    scale: Scale,
    ends: Ends,
) -> tuple[LeaningRow, ...]:
    """Every leaning with its interval over documents, or why it cannot be told.

    Parameters
    ----------
    table : what the model said
    people : ratings by rater, of pairs that the model rated too
    corpus : has the texts
    scale, ends : what the highest rating means, and which ratings there are

    Returns
    -------
    tuple of LeaningRow
        In the order of `LEANINGS` of the schema.
    """
    ratings = {rating.pair: float(rating.rating) for rating in table.ratings}
    by_pair: dict[RatedPair, list[float]] = defaultdict(list)
    for given in people.values():
        for pair, value in given.items():
            by_pair[pair].append(value)
    more = {pair: ratings[pair] - fmean(values) for pair, values in by_pair.items() if pair in ratings}
    alike = ends.highest if scale == "similarity" else ends.lowest
    documents = {document.id: document for document in corpus.documents}
    equal = [pair for pair in more if _are_equal(pair, documents)]
    lengths = _lengths(more, corpus, documents)
    asked: Mapping[str, Callable[[], _Values]] = {
        "position": lambda: _position(table),
        "severity": lambda: _Values(list(more.values()), [pair.doc_id for pair in more]),
        "length difference": lambda: _against_length(more, lengths, lambda a, b: abs(log2(a / b))),
        "length": lambda: _against_length(more, lengths, lambda a, b: log2((a + b) / 2)),
        "equal texts": lambda: _Values(
            [float(ratings[pair] != alike) for pair in equal], [pair.doc_id for pair in equal]
        ),
        "equal texts, people": lambda: _of_people(equal, by_pair, alike),
        "drift": lambda: _drift(table),
        "spread of draws": lambda: _spread(table),
    }
    return tuple(_row(name, find) for name, find in asked.items())


def _row(name: str, find: Callable[[], _Values]) -> LeaningRow:
    try:
        found = find()
        if not found.values:
            return _without(name, _EMPTY.get(name, "people and the model share no pair"))
        leaning: Leaning = (
            mean_over_clusters(found.values, found.documents)
            if found.against is None
            else slope_over_clusters(found.against, found.values, found.documents)
        )
    except InputError as error:
        return _without(name, str(error))
    return LeaningRow(
        leaning=name,
        estimate=leaning.estimate,
        ci_low=leaning.low,
        ci_high=leaning.high,
        n=leaning.n,
        reason=leaning.reason,
    )


def _without(name: str, reason: str) -> LeaningRow:
    return LeaningRow(leaning=name, estimate=None, ci_low=None, ci_high=None, n=0, reason=reason)


_ONE_DRAW = "each question was asked once; it takes 2 draws or more, at a temperature above 0"
_NO_EQUAL = "no pair that people and the model rated has equal texts"
_EMPTY: Mapping[str, str] = {
    "position": "no pair has an answer in both orders",
    "equal texts": _NO_EQUAL,
    "equal texts, people": _NO_EQUAL,
    "drift": _ONE_DRAW,
    "spread of draws": _ONE_DRAW,
}


def _position(table: ModelTable) -> _Values:
    _require_answers(table)
    judged = [one for one in pool_answers(table.answers) if one.first is not None and one.second is not None]
    return _Values(
        [(one.first or 0) - (one.second or 0) for one in judged], [one.pair.doc_id for one in judged]
    )


def _require_answers(table: ModelTable) -> None:
    if not table.knows_answers:
        raise InputError(NO_ANSWERS)


def _questions(table: ModelTable) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """The document and the readable (draw, rating) of each question that has two or more."""
    _require_answers(table)
    found: dict[tuple[RatedPair, str], list[tuple[int, int]]] = defaultdict(list)
    for answer in table.answers:
        if answer.rating is not None and answer.draw is not None:
            found[answer.pair, answer.order or ORDERS[0]].append((answer.draw, answer.rating))
    yield from ((pair.doc_id, draws) for (pair, _), draws in found.items() if len(draws) > 1)


def _drift(table: ModelTable) -> _Values:
    """The slope over the draws of each question, by least squares."""
    found = [(name, np.array(draws, dtype=np.float64)) for name, draws in _questions(table)]
    slopes = [float(np.polyfit(draws[:, 0], draws[:, 1], 1)[0]) for _, draws in found]
    return _Values(slopes, [name for name, _ in found])


def _spread(table: ModelTable) -> _Values:
    found = [(name, [rating for _, rating in draws]) for name, draws in _questions(table)]
    return _Values([float(np.std(draws, ddof=1)) for _, draws in found], [name for name, _ in found])


def _against_length(
    more: Mapping[RatedPair, float], lengths: Lengths, of: Callable[[int, int], float]
) -> _Values:
    """Over the pairs of which both texts have words."""
    pairs = [pair for pair in more if min(lengths.get(pair, (0, 0))) > 0]
    return _Values(
        [more[pair] for pair in pairs],
        [pair.doc_id for pair in pairs],
        [of(*lengths[pair]) for pair in pairs],
    )


def _of_people(equal: list[RatedPair], by_pair: Mapping[RatedPair, list[float]], alike: int) -> _Values:
    found = [(pair.doc_id, value) for pair in equal for value in by_pair[pair]]
    return _Values([float(value != alike) for _, value in found], [name for name, _ in found])


def _texts(pair: RatedPair, documents: Documents) -> tuple[str, str]:
    document = documents[pair.doc_id]
    texts = document.references if pair.system == GOLD else document.summaries.get(pair.system, {})
    return texts.get(pair.reader_a, ""), texts.get(pair.reader_b, "")


def _are_equal(pair: RatedPair, documents: Documents) -> bool:
    first, second = (text.split() for text in _texts(pair, documents))
    return bool(first) and first == second


def _lengths(pairs: Mapping[RatedPair, float], corpus: Corpus, documents: Documents) -> Lengths:
    """Words of both texts, by what measures over words take in the languages of the corpus."""
    languages = words_of(corpus.languages)
    splitter = find_tokenizer(languages.tokeniser if languages else "auto").splitter
    texts = [text for pair in pairs for text in _texts(pair, documents)]
    if not texts:
        return {}
    counts = splitter.number(texts).lengths.tolist()
    return dict(zip(pairs, zip(counts[::2], counts[1::2], strict=True), strict=True))
