"""Ratings by what they vary with: systems, documents, items, raters, pages; and how far to trust their means.

A page is what one rater saw at once: the systems' texts for two readers of one document. Whoever is severe,
or was so on that page, lowers all systems there alike; a system's mean is fair where that is taken out.
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations

from meta_eval.corpus.documents import GOLD
from meta_eval.errors import InputError
from meta_eval.ratings.rating import Rating
from meta_eval.stats.raters.components import RESIDUAL, Component, estimate_effects, variance_components

LEAST_RATINGS = 20
"""Fewer ratings than this say nothing about five variances."""


@dataclass(frozen=True, slots=True)
class AdjustedMean:
    """A system's mean rating or a rater's severity: `plain`, and as the model has it, over `ratings`."""

    name: str
    plain: float
    estimate: float
    ratings: int


@dataclass(frozen=True, slots=True)
class Dependability:
    """How dependable systems' mean ratings are, with so many documents and raters of each.

    relative : for which system is better; absolute : for the mean itself. Both from 0 to 1.
    """

    documents: int
    raters: int
    relative: float
    absolute: float


@dataclass(frozen=True, slots=True)
class RatingModel:
    """The components of the ratings, each system's mean, each rater's severity, and dependability.

    Severity is by how much a rater's ratings lie below those of others on the same texts: positive is lower.
    """

    components: tuple[Component, ...]
    systems: tuple[AdjustedMean, ...]
    raters: tuple[AdjustedMean, ...]
    ratings: int
    documents: int
    dependability: tuple[Dependability, ...]


def model_ratings(ratings: Sequence[Rating]) -> RatingModel:
    """Take ratings apart into systems, documents, items, raters, pages and what is left.

    All are random for the variance components (a G study); for the means of systems these are fixed. Gold
    pairs are left out: readers' own texts are no system.

    Parameters
    ----------
    ratings : sequence of Rating

    Returns
    -------
    RatingModel : `dependability` (a D study) of half, as many and twice the documents, with 1 to 4 raters, on
        pages that hold as many of the systems as these do

    Raises
    ------
    InputError : for fewer than `LEAST_RATINGS` ratings of systems, or of one system or one rater alone

    References
    ----------
    Brennan (2001), "Generalizability Theory".

    Examples
    --------
    >>> given = {"A": ("3434", "5656"), "B": ("2232", "4355"), "C": ("1121", "3432")}
    >>> ratings = [
    ...     Rating(f"d{document}", system, "ann", "bob", rater, int(rating))
    ...     for system, by_rater in given.items()
    ...     for rater, row in zip("xy", by_rater)
    ...     for document, rating in enumerate(row)
    ... ]
    >>> model = model_ratings(ratings)
    >>> [(one.name, round(one.plain, 2), round(one.estimate, 2)) for one in model.raters]
    [('x', 0.96, 0.95), ('y', -0.96, -0.95)]
    """
    used = [rating for rating in ratings if rating.system != GOLD]
    raters = {rating.rater for rating in used}
    systems = {rating.system for rating in used}
    if len(used) < LEAST_RATINGS or min(len(raters), len(systems)) < 2:
        raise InputError(
            f"{len(used)} ratings of {len(systems)} systems by {len(raters)} raters do not tell raters "
            f"apart: at least {LEAST_RATINGS} of two systems by two raters are needed"
        )
    values = [float(rating.rating) for rating in used]
    factors: dict[str, list[Hashable]] = {
        "system": [rating.system for rating in used],
        "rater": [rating.rater for rating in used],
        "document": [rating.doc_id for rating in used],
        "item": [rating.pair for rating in used],
        "page": [(one.rater, one.doc_id, one.pair.reader_a, one.pair.reader_b) for one in used],
    }
    components = variance_components(values, factors)
    random = {name: levels for name, levels in factors.items() if name != "system"}
    means, effects = estimate_effects(values, factors["system"], random, components)
    middle = sum(values) / len(values)
    documents = len(set(factors["document"]))
    together = share_of_pages(used)
    return RatingModel(
        components=components,
        systems=_estimates(values, factors["system"], means),
        raters=tuple(
            AdjustedMean(one.name, middle - one.plain, -one.estimate, one.ratings)
            for one in _estimates(values, factors["rater"], effects["rater"])
        ),
        ratings=len(used),
        documents=documents,
        dependability=tuple(
            dependability(components, documents=number, raters=count, together=together)
            for number in dict.fromkeys((max(1, documents // 2), documents, 2 * documents))
            for count in range(1, 5)
        ),
    )


def share_of_pages(ratings: Sequence[Rating]) -> float:
    """How often two systems whose texts of one document and two readers were rated stood on one page.

    1 where each rater saw all of them; less where a page holds some, as where 5 of 10 stand on each.

    Examples
    --------
    >>> pages = {"p": "AB", "q": "CD"}
    >>> ratings = [Rating("d", name, "ann", "bob", rater, 3) for rater in pages for name in pages[rater]]
    >>> round(share_of_pages(ratings), 3)
    0.333
    """
    raters: dict[Hashable, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for one in ratings:
        pair = one.pair
        raters[pair.doc_id, pair.reader_a, pair.reader_b][one.system].add(one.rater)
    common = each = 0.0
    for by_system in raters.values():
        for first, second in combinations(by_system.values(), 2):
            common += len(first & second)
            each += (len(first) + len(second)) / 2.0
    return common / each if each else 1.0


def dependability(
    components: Sequence[Component], *, documents: int, raters: int, together: float = 1.0
) -> Dependability:
    """How dependable a system's mean over so many documents and raters of each would be.

    Every document has raters of its own. What a document does to all systems, and severity and page where
    two systems stand on one page, moves no system past another (relative), but moves its mean (absolute).
    Two systems are `together` on a page so often (`share_of_pages`), 1 for always: else the severity and the
    page of different raters move them past each other, too.

    Examples
    --------
    >>> parts = [Component("system", 0.3, None, 5), Component("item", 1.0, None, 50)]
    >>> found = dependability([*parts, Component("residual", 2.0, None, 100)], documents=10, raters=2)
    >>> round(found.relative, 2), round(found.absolute, 2)
    (0.6, 0.6)
    """
    if min(documents, raters) < 1:
        raise InputError(f"{raters} raters of {documents} documents give no mean")
    variance = {component.factor: component.variance or 0.0 for component in components}
    system = variance.get("system", 0.0)
    pages = documents * raters
    of_page = (variance.get("rater", 0.0) + variance.get("page", 0.0)) / pages
    relative = variance.get("item", 0.0) / documents + variance.get(RESIDUAL, 0.0) / pages
    relative += (1.0 - together) * of_page
    shared = variance.get("document", 0.0) / documents + together * of_page
    return Dependability(documents, raters, _share(system, relative), _share(system, relative + shared))


def _share(system: float, error: float) -> float:
    return system / (system + error) if system > 0.0 else 0.0


def _estimates(
    values: Sequence[float], levels: Sequence[Hashable], estimates: dict[Hashable, float]
) -> tuple[AdjustedMean, ...]:
    given: dict[Hashable, list[float]] = defaultdict(list)
    for value, level in zip(values, levels, strict=True):
        given[level].append(value)
    return tuple(
        AdjustedMean(str(name), sum(given[name]) / len(given[name]), estimates[name], len(given[name]))
        for name in sorted(given, key=str)
    )
