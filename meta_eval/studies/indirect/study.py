"""Rated summaries as a corpus: annotators stand for readers, repetition for what they think of a summary."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Literal

from meta_eval.corpus.documents import GOLD, Corpus, Document
from meta_eval.errors import InputError
from meta_eval.files.values import is_number
from meta_eval.ratings.divergences import HumanDivergences
from meta_eval.ratings.rating import RatedPair
from meta_eval.studies.indirect.reading import RatedDocument

LOWEST_STEP = 1.0
"""Where the paper's scale begins."""

Form = Literal["ours", "paper"]
FORMS: Mapping[Form, str] = {
    "ours": "Golds differ as the ratings of their summaries do; accuracy is the surrogate's.",
    "paper": "Golds differ as their mean ratings do; accuracy is a rating less that mean (PerSEval 8.1).",
}
"""What human divergences of golds and the accuracy distances of the penalty are."""

LARGEST = 1000.0
"""A summary stands for an annotator up to r_max times in a text."""


@dataclass(frozen=True, kw_only=True, slots=True)
class IndirectOptions:
    """Ratings from `lowest` to `highest` are taken onto 1 to `r_max`; gold lies above `gold_above` there.

    The paper's scale is 1 to 7, its gold above 6: the defaults, which leave ratings from 1 to 7 as they are.
    `form` is one of `FORMS`.
    """

    lowest: float = 1.0
    highest: float = 7.0
    r_max: float = 7.0
    gold_above: float = 6.0
    form: Form = "ours"

    def __post_init__(self) -> None:
        for name in ("lowest", "highest", "r_max", "gold_above"):
            value = getattr(self, name)
            if not (is_number(value) and abs(value) <= LARGEST):
                raise InputError(f"{name} must be a number from {-LARGEST:g} to {LARGEST:g}, not {value!r}")
        if self.form not in FORMS:
            raise InputError(f"form is {' or '.join(FORMS)}, not {self.form!r}")
        if not self.lowest < self.highest:
            raise InputError(f"ratings need a range: lowest {self.lowest:g} is not below {self.highest:g}")
        if not LOWEST_STEP <= self.gold_above < self.r_max:
            raise InputError(
                f"gold_above must be at least 1 and below r_max ({self.r_max:g}), not {self.gold_above:g}"
            )

    def step(self, rating: float) -> float:
        """A rating on the scale from 1 to r_max."""
        share = (rating - self.lowest) / (self.highest - self.lowest)
        return LOWEST_STEP + (self.r_max - LOWEST_STEP) * share

    def is_gold(self, rating: float) -> bool:
        return self.step(rating) > self.gold_above

    def repeats(self, golds: int, rating: float) -> int:
        """k + (r_max - r), to the nearest whole number (halves up)."""
        return golds + math.floor(self.r_max - self.step(rating) + 0.5)


@dataclass(frozen=True, slots=True)
class IndirectStudy:
    """`corpus` with annotators as readers, `divergences` from their ratings; `counts` says who qualified.

    Counts: how many `documents`, `annotators` and `cases` (an annotator and a document) there were; left out
    are `cases_without_gold` (nothing rated above the threshold), `documents_without_case` and
    `documents_with_one_case` (nobody to be paired with); used are `documents_used`, `cases_used` and
    `annotators_used`. Of the `gold_pairs` whose golds both have a divergence, `gold_pairs_alike` have 0.
    `accuracy` has, in the paper's form, the accuracy distance of each policy's surrogate and annotator by
    (document, policy, annotator); None where the surrogate measure gives them.
    """

    corpus: Corpus
    divergences: HumanDivergences
    counts: Mapping[str, int]
    accuracy: Mapping[tuple[str, str, str], float] | None = None


def prepare_study(
    documents: Sequence[RatedDocument], options: IndirectOptions | None = None
) -> IndirectStudy:
    """Gold, surrogates and human divergences of the annotators with gold, where two of them share a document.

    Gold: the summaries that the annotator rated above the threshold, in the order of the policies, one after
    the other (k of them). A policy's surrogate for that annotator: its summary k + (r_max - r) times. Human
    divergence of two surrogates: the difference of the two ratings over the range of the scale; of two golds:
    its mean over the summaries in either that both annotators rated. In the paper's form that of two golds is
    the difference of the mean ratings of their summaries, and a surrogate's accuracy distance is that of its
    rating and its annotator's mean.

    Parameters
    ----------
    documents : sequence of RatedDocument
    options : IndirectOptions, optional

    Returns
    -------
    IndirectStudy

    Raises
    ------
    InputError
        If nothing is left.

    References
    ----------
    PerSEval, sections 6.1 and 8.1; protocol 9.

    Examples
    --------
    >>> import json
    >>> from io import BytesIO
    >>> from meta_eval.studies.indirect.reading import read_rated_summaries
    >>> scores = {("ann", "A"): 7, ("ann", "B"): 4, ("bob", "A"): 7, ("bob", "B"): 2}
    >>> ratings = [{"annotator": who, "system": name, "overall": one} for (who, name), one in scores.items()]
    >>> texts = {"A": "Rain in the north.", "B": "Sun."}
    >>> line = {"doc_id": "d", "doc_text": "Rain and sun.", "systems": texts, "ratings": ratings}
    >>> source = BytesIO(json.dumps(line).encode())
    >>> prepare_study(read_rated_summaries(source)).corpus.readers
    ('ann', 'bob')
    """
    options = options or IndirectOptions()
    golds = {document.id: dict(_golds(document, options)) for document in documents}
    used = [document for document in documents if len(golds[document.id]) > 1]
    counts = _count(documents, golds)
    if not used:
        raise InputError(
            f"no document has two annotators with gold: {counts['cases_without_gold']} of {counts['cases']} "
            "cases rate nothing above the threshold; lower it, or check the ends of the scale"
        )
    pairs = dict(pair for document in used for pair in _divergences(document, golds[document.id], options))
    divergences = HumanDivergences(
        divergences=pairs,
        scale="dissimilarity",
        ratings=sum(len(document.ratings[one]) for document in used for one in golds[document.id]),
        full=1,
        min_ratings=1,
        below_full=0,
        too_few=0,
    )
    corpus = Corpus(tuple(_as_document(document, golds[document.id], options) for document in used))
    counts |= _count_golds(pairs)
    accuracy = None
    if options.form == "paper":
        accuracy = {
            key: distance
            for document in used
            for key, distance in _accuracies(document, golds[document.id], options)
        }
    return IndirectStudy(corpus, divergences, counts, accuracy)


Golds = Mapping[str, Sequence[str]]
"""By annotator: the policies whose summaries are gold."""


def _golds(document: RatedDocument, options: IndirectOptions) -> Iterator[tuple[str, list[str]]]:
    """Annotators with gold, in order of name, so that the order of ratings changes nothing."""
    for annotator, given in sorted(document.ratings.items()):
        gold = [name for name in document.summaries if name in given and options.is_gold(given[name])]
        if gold:
            yield annotator, gold


def _as_document(document: RatedDocument, golds: Golds, options: IndirectOptions) -> Document:
    return Document(
        document.id,
        document.title,
        document.body,
        {one: " ".join(document.summaries[name] for name in gold) for one, gold in golds.items()},
        {
            policy: {
                one: " ".join([text] * options.repeats(len(gold), document.ratings[one][policy]))
                for one, gold in golds.items()
                if policy in document.ratings[one]
            }
            for policy, text in document.summaries.items()
        },
    )


def _divergences(
    document: RatedDocument, golds: Golds, options: IndirectOptions
) -> Iterator[tuple[RatedPair, float]]:
    for a, b in combinations(golds, 2):
        both = set(document.ratings[a]) & set(document.ratings[b])
        shared = [name for name in document.summaries if name in both]
        apart = {name: _difference(document, name, a, b, options) for name in shared}
        for policy, value in apart.items():
            yield RatedPair(document.id, policy, a, b), value
        of_gold = [apart[name] for name in shared if name in {*golds[a], *golds[b]}]
        if options.form == "paper":
            means = _mean_rating(document, a, golds), _mean_rating(document, b, golds)
            yield RatedPair(document.id, GOLD, a, b), _apart(*means, options)
        elif of_gold:
            yield RatedPair(document.id, GOLD, a, b), fmean(of_gold)


def _accuracies(
    document: RatedDocument, golds: Golds, options: IndirectOptions
) -> Iterator[tuple[tuple[str, str, str], float]]:
    for one in golds:
        mean = _mean_rating(document, one, golds)
        for policy, rating in document.ratings[one].items():
            yield (document.id, policy, one), _apart(rating, mean, options)


def _mean_rating(document: RatedDocument, annotator: str, golds: Golds) -> float:
    """What an annotator gave, on average, to the summaries of the own gold."""
    return fmean(document.ratings[annotator][name] for name in golds[annotator])


def _difference(document: RatedDocument, policy: str, a: str, b: str, options: IndirectOptions) -> float:
    ratings = document.ratings
    return _apart(ratings[a][policy], ratings[b][policy], options)


def _apart(first: float, second: float, options: IndirectOptions) -> float:
    """Two ratings in [0, 1]: 0 for the same, 1 for the two ends of the scale."""
    return abs(first - second) / (options.highest - options.lowest)


def _count_golds(pairs: Mapping[RatedPair, float]) -> dict[str, int]:
    golds = [value for pair, value in pairs.items() if pair.system == GOLD]
    return {"gold_pairs": len(golds), "gold_pairs_alike": golds.count(0.0)}


def _count(documents: Iterable[RatedDocument], golds: Mapping[str, Golds]) -> dict[str, int]:
    cases = [(document.id, one) for document in documents for one in document.ratings]
    used = {name: found for name, found in golds.items() if len(found) > 1}
    alone = [name for name, found in golds.items() if len(found) == 1]
    return {
        "documents": len(golds),
        "annotators": len({one for _, one in cases}),
        "cases": len(cases),
        "cases_without_gold": len(cases) - sum(map(len, golds.values())),
        "documents_without_case": sum(not found for found in golds.values()),
        "documents_with_one_case": len(alone),
        "documents_used": len(used),
        "cases_used": sum(map(len, used.values())),
        "annotators_used": len({one for found in used.values() for one in found}),
    }
