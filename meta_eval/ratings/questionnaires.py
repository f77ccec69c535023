"""Questionnaires derived from bare ratings: which stood on one page, and which pages show the same items.

A questionnaire is one document, one reader pair and a set of systems (protocol 6). So of one document and
reader pair, raters who rated the same set of items share a questionnaire, and those who rated another set
had another one.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from meta_eval.corpus.documents import GOLD
from meta_eval.ratings.rating import Rating


@dataclass(frozen=True, slots=True)
class RatedPage:
    """What one rater rated of one questionnaire: `indices` into the ratings, in their order."""

    rater: str
    indices: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RatedQuestionnaire:
    """One questionnaire with the pages of its raters; the readers stand as in its first rating.

    `systems` names gold too, each once, in the order of the ratings.
    """

    number: str
    document: str
    reader_a: str
    reader_b: str
    systems: tuple[str, ...]
    pages: tuple[RatedPage, ...]


def group_ratings(
    ratings: Sequence[Rating], numbers: Sequence[str] | None = None
) -> list[RatedQuestionnaire]:
    """The questionnaires of ratings, in the order of their first rating.

    Without `numbers`, raters who rated the same set of items of a document and reader pair share a
    questionnaire; a rater's second rating of the gold pair is a page of its own, since it stood in another
    questionnaire of that document.

    Parameters
    ----------
    ratings : sequence of Rating
    numbers : sequence of str, optional
        Of each rating, the questionnaire to which it belongs.

    Returns
    -------
    list of RatedQuestionnaire
        Under the given numbers where each means one questionnaire, else under "1", "2", ...

    References
    ----------
    Protocol 6.

    Examples
    --------
    >>> rated = {"p": ["user", "A"], "q": ["user", "B"], "r": ["A", "user"]}
    >>> ratings = [Rating("d", name, "ann", "bob", rater, 3) for rater in rated for name in rated[rater]]
    >>> [(group.systems, [page.rater for page in group.pages]) for group in group_ratings(ratings)]
    [(('user', 'A'), ['p', 'r']), (('user', 'B'), ['q'])]
    """
    groups: dict[tuple[Hashable, ...], list[RatedPage]] = {}
    for (pair, rater, part), indices in _pages(ratings, numbers).items():
        page = RatedPage(rater, tuple(indices))
        items = None if numbers else frozenset(_systems(ratings, indices))
        groups.setdefault((pair, part, items), []).append(page)
    given = [str(part) for _pair, part, _items in groups]
    unique = numbers is not None and len(set(given)) == len(given)
    return [
        _questionnaire(given[index] if unique else str(index + 1), ratings, pages)
        for index, pages in enumerate(groups.values())
    ]


def _pages(
    ratings: Sequence[Rating], numbers: Sequence[str] | None
) -> dict[tuple[Hashable, str, Hashable], list[int]]:
    """Indices of the ratings on one page: by document and readers, rater, and part of the pair's items."""
    pages: dict[tuple[Hashable, str, Hashable], list[int]] = {}
    golds: Counter[Hashable] = Counter()
    for index, rating in enumerate(ratings):
        pair = (rating.pair.doc_id, rating.pair.reader_a, rating.pair.reader_b)
        part: Hashable = numbers[index] if numbers else 0
        if not numbers and rating.system == GOLD:
            part = golds[pair, rating.rater]
            golds[pair, rating.rater] += 1
        pages.setdefault((pair, rating.rater, part), []).append(index)
    return pages


def _systems(ratings: Sequence[Rating], indices: Iterable[int]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(ratings[index].system for index in indices))


def _questionnaire(number: str, ratings: Sequence[Rating], pages: Sequence[RatedPage]) -> RatedQuestionnaire:
    indices = sorted(index for page in pages for index in page.indices)
    first, systems = ratings[indices[0]], _systems(ratings, indices)
    return RatedQuestionnaire(number, first.doc_id, first.reader_a, first.reader_b, systems, tuple(pages))
