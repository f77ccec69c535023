"""Raters as rows of the table of measures: each against the others, and where a measure stands among them.

A measure that agrees with people as a rater does can take a rater's place; how well that is shows only beside
what raters themselves reach on the same texts.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.corpus.documents import GOLD
from meta_eval.errors import InputError
from meta_eval.ratings.rating import RatedPair, Rating, Scale
from meta_eval.stats.coefficients.grouped import coefficients_by_group

LEAST_PAGES = 5
"""Pages that a rater must share with others: a coefficient of fewer jumps."""
Page = tuple[str, str, str]
"""A document and two readers."""


@dataclass(frozen=True, slots=True)
class RaterAsMeasure:
    """A rater's agreement with the mean of the other raters, and that of each measure on the same pages.

    Both are Kendall's tau-b of the systems on a page, meant over `pages`. A measure without a defined page
    has none. Two raters who shared pages with each other alone are one comparison, not two: `partner` is the
    second of them, and the measures' agreement is the mean of that with either.
    """

    rater: str
    estimate: float
    measures: Mapping[str, float | None]
    pages: int
    partner: str | None = None


def raters_as_measures(
    ratings: Sequence[Rating],
    distances: Mapping[str, Mapping[RatedPair, float]],
    *,
    scale: Scale,
    least_pages: int = LEAST_PAGES,
) -> tuple[RaterAsMeasure, ...]:
    """Each rater with enough pages, and every measure, against the mean of the other raters.

    A page is the systems' texts for two readers of one document. Severity of a rater or of a page plays no
    part, as only systems of one page are compared. A page counts where the rater and the others order its
    systems at all. Gold pairs are left out.

    Parameters
    ----------
    ratings : sequence of Rating
    distances : by measure, the distance of each rated pair
    scale : "similarity" or "dissimilarity", what a rating of 6 means
    least_pages : how many pages a rater needs

    Returns
    -------
    tuple of RaterAsMeasure : best first

    Raises
    ------
    InputError : where no rater shares so many pages with others

    References
    ----------
    Calderon, Reichart and Dror (2025), "The Alternative Annotator Test for LLM-as-a-Judge", for judging a
    measure and a rater by the other raters.

    Examples
    --------
    >>> given = {"x": "123", "y": "123", "z": "132"}
    >>> ratings = [
    ...     Rating(f"d{number}", system, "ann", "bob", rater, int(rating))
    ...     for number in range(5)
    ...     for rater, row in given.items()
    ...     for system, rating in zip("ABC", row)
    ... ]
    >>> sizes = {"A": 0.2, "B": 0.5, "C": 0.6}
    >>> distances = {"size": {rating.pair: sizes[rating.system] for rating in ratings}}
    >>> for row in raters_as_measures(ratings, distances, scale="dissimilarity"):
    ...     print(row.rater, round(row.estimate, 2), round(row.measures["size"], 2))
    x 0.82 0.82
    y 0.82 0.82
    z 0.33 1.0
    """
    rated = _by_page(ratings, scale)
    others = _others_of(rated)
    found = {}
    for rater in sorted(others):
        pages = [own for page in sorted(rated) if (own := _against_others(rater, rated[page])) is not None]
        if len(pages) >= least_pages:
            found[rater] = _judge(rater, pages, distances)
    if not found:
        raise InputError(f"no rater shares {least_pages} pages with others on which systems differ")
    rows = _couples_once(found, others)
    return tuple(sorted(rows, key=lambda row: -row.estimate))


def _others_of(rated: "Mapping[Page, Mapping[RatedPair, Mapping[str, float]]]") -> dict[str, set[str]]:
    """By rater, all who rated an item that they rated."""
    others: dict[str, set[str]] = defaultdict(set)
    for page in rated.values():
        for given in page.values():
            for rater in given:
                others[rater] |= given.keys() - {rater}
    return others


def _couples_once(
    found: Mapping[str, RaterAsMeasure], others: Mapping[str, set[str]]
) -> Iterator[RaterAsMeasure]:
    """Each row, and one for two raters of whom each rated with the other alone."""
    for rater, row in found.items():
        partner = next(iter(others[rater])) if len(others[rater]) == 1 else None
        if partner is None or others[partner] != {rater} or partner not in found:
            yield row
        elif rater < partner:
            second = found[partner].measures
            means = {name: _mean(one, second[name]) for name, one in row.measures.items()}
            yield replace(row, measures=means, partner=partner)


def _mean(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else (first + second) / 2


Shared = Sequence[tuple[RatedPair, float, float]]
"""Items of a page with the rater's rating and the mean of the others'."""


def _by_page(
    ratings: Sequence[Rating], scale: Scale
) -> Mapping[Page, Mapping[RatedPair, Mapping[str, float]]]:
    """By page and item, each rater's rating, higher for farther apart; the first one of an item counts."""
    pages: dict[Page, dict[RatedPair, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for rating in ratings:
        if rating.system != GOLD:
            pair = rating.pair
            page = pages[pair.doc_id, pair.reader_a, pair.reader_b]
            page[pair].setdefault(
                rating.rater, float(rating.rating if scale == "dissimilarity" else -rating.rating)
            )
    return pages


def _against_others(rater: str, page: Mapping[RatedPair, Mapping[str, float]]) -> Shared | None:
    """What the rater shares with others on a page; None where one side orders nothing."""
    shared = []
    for pair, given in page.items():
        others = [value for name, value in given.items() if name != rater]
        if rater in given and others:
            shared.append((pair, given[rater], sum(others) / len(others)))
    sides = zip(*((own, by_others) for _, own, by_others in shared), strict=True)
    apart = [len({round(value, 9) for value in side}) > 1 for side in sides]
    return shared if apart and all(apart) else None


def _judge(
    rater: str, pages: Sequence[Shared], distances: Mapping[str, Mapping[RatedPair, float]]
) -> RaterAsMeasure:
    others = _padded([[other for _, _, other in page] for page in pages])
    measured = {
        name: _padded([[of.get(pair, np.nan) for pair, _, _ in page] for page in pages])
        for name, of in distances.items()
    }
    own = _mean_tau(others, _padded([[value for _, value, _ in page] for page in pages]))
    if own is None:
        raise InputError(f"rater {rater} and the others order no page")
    return RaterAsMeasure(
        rater, own, {name: _mean_tau(others, values) for name, values in measured.items()}, len(pages)
    )


def _padded(pages: Sequence[Sequence[float]]) -> FloatArray:
    """(systems, pages) with NaN where a page has fewer systems than another."""
    longest = max(map(len, pages))
    return np.array([[*page, *[np.nan] * (longest - len(page))] for page in pages]).T


def _mean_tau(others: FloatArray, values: FloatArray) -> float | None:
    taus = coefficients_by_group(others, values, "tau-b", "item")
    defined = taus[np.isfinite(taus)]
    return float(defined.mean()) if defined.size else None
