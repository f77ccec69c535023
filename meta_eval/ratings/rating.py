"""A rater's judgment of a pair of texts, and the divergence it stands for (protocol 6 and 7)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from meta_eval.arrays import Numbers
from meta_eval.errors import InputError

Scale = Literal["similarity", "dissimilarity"]
SCALES: Mapping[Scale, str] = {
    "similarity": "Similarity: 1 is low, 6 is very high",
    "dissimilarity": "Dissimilarity: 1 is very similar, 6 is very dissimilar",
}
"""What the highest rating means (protocol, section 6)."""
LOWEST, HIGHEST = 1, 6
LARGEST_RANGE = 1_000


@dataclass(frozen=True, slots=True)
class Ends:
    """The lowest and the highest rating that could be given, whole numbers; 1 and 6 as the papers ask.

    Raises `InputError` where the one does not lie below the other, or more than 1,000 below.

    Examples
    --------
    >>> Ends(1, 5).steps
    range(1, 6)
    """

    lowest: int = LOWEST
    highest: int = HIGHEST

    def __post_init__(self) -> None:
        if not 0 < self.highest - self.lowest <= LARGEST_RANGE:
            raise InputError(
                f"the highest rating, {self.highest}, must lie above the lowest, {self.lowest}, by at most "
                f"{LARGEST_RANGE:,}"
            )

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Ends":
        """Of a record that names them where they are not 1 and 6."""
        return cls(record.get("lowest", LOWEST), record.get("highest", HIGHEST))

    @property
    def record(self) -> dict[str, int]:
        """Nothing where they are 1 and 6, as records were before there were others."""
        return {} if self == SIX_POINTS else {"lowest": self.lowest, "highest": self.highest}

    @property
    def steps(self) -> range:
        """Every rating that could be given."""
        return range(self.lowest, self.highest + 1)


SIX_POINTS = Ends()


@dataclass(frozen=True, slots=True)
class Rating:
    """One rater's judgment of the pair of texts that `system` (or `GOLD`) wrote for two readers.

    `rating` is a whole number from 1 to 6, or within other `Ends`.
    """

    doc_id: str
    system: str
    reader_a: str
    reader_b: str
    rater: str
    rating: int

    @property
    def pair(self) -> "RatedPair":
        return rated_pair(self.doc_id, self.system, self.reader_a, self.reader_b)


@dataclass(frozen=True, slots=True)
class RatedPair:
    """An unordered reader pair of one document and system; `reader_a` sorts before `reader_b`."""

    doc_id: str
    system: str
    reader_a: str
    reader_b: str


@dataclass(frozen=True, slots=True)
class PairRating:
    """What the raters of one pair said on average, and how many ratings that is."""

    mean: float
    ratings: int


def order_readers(reader_a: str, reader_b: str) -> tuple[str, str]:
    """The two readers of an unordered pair in the one order by which it is known.

    Parameters
    ----------
    reader_a, reader_b : str

    Returns
    -------
    tuple of two str

    Examples
    --------
    >>> order_readers("bob", "ann")
    ('ann', 'bob')
    """
    return (reader_a, reader_b) if reader_a <= reader_b else (reader_b, reader_a)


def rated_pair(doc_id: str, system: str, reader_a: str, reader_b: str) -> RatedPair:
    """The pair of texts that a system wrote for two readers, whichever is named first.

    Parameters
    ----------
    doc_id, system, reader_a, reader_b : str
        `system` is `GOLD` for the readers' own references.

    Returns
    -------
    RatedPair

    Examples
    --------
    >>> rated_pair("d", "A", "bob", "ann")
    RatedPair(doc_id='d', system='A', reader_a='ann', reader_b='bob')
    """
    return RatedPair(doc_id, system, *order_readers(reader_a, reader_b))


def check_scale(scale: str) -> Scale:
    """The scale's direction.

    Parameters
    ----------
    scale : str
        "similarity" (6 is most alike) or "dissimilarity" (6 is least alike).

    Returns
    -------
    str
        The same.

    Raises
    ------
    InputError
        For anything but the two.

    Examples
    --------
    >>> check_scale("similarity")
    'similarity'
    """
    if scale in get_args(Scale):
        return cast(Scale, scale)
    raise InputError(f"scale is {' or '.join(get_args(Scale))}, not {scale!r}")


def check_ratings(ratings: Iterable[Rating], ends: Ends = SIX_POINTS) -> None:
    """Raises `InputError` that names the first rating that is no whole number on the scale, and its place.

    Examples
    --------
    >>> check_ratings([Rating("d", "A", "ann", "bob", "p", 6)])
    """
    for one in ratings:
        if one.rating not in ends.steps:
            raise InputError(
                f"rating {one.rating!r} by {one.rater!r}, of system {one.system!r}, document {one.doc_id!r}, "
                f"is not a whole number from {ends.lowest} to {ends.highest}; if the scale has other ends, "
                "say so with `ends` (`lowest` and `highest` of `read_ratings`)"
            )


def human_divergence(mean_rating: Numbers, scale: Scale, ends: Ends = SIX_POINTS) -> Numbers:
    """sigma in [0, 1] from a mean rating: (6 - r) / 5 of a similarity, (r - 1) / 5 of a dissimilarity.

    With other ends (highest - r) / (highest - lowest) and (r - lowest) / (highest - lowest).

    Parameters
    ----------
    mean_rating : float or array
        From 1 to 6, or from the lowest to the highest of `ends`; NaN where there is none.
    scale : {"similarity", "dissimilarity"}
    ends : Ends, optional

    Returns
    -------
    float or array
        Of the same shape.

    Raises
    ------
    InputError
        For a single number that is not on the scale.

    References
    ----------
    PerSEval, section 7.1; protocol 7.

    Examples
    --------
    >>> human_divergence(2.5, "similarity"), human_divergence(2.5, "dissimilarity")
    (0.7, 0.3)
    >>> human_divergence(75, "similarity", Ends(0, 100))
    0.25
    """
    if isinstance(mean_rating, int | float) and (mean_rating < ends.lowest or mean_rating > ends.highest):
        raise InputError(f"a mean rating is from {ends.lowest} to {ends.highest}, not {mean_rating}")
    span = ends.highest - ends.lowest
    distance = ends.highest - mean_rating if scale == "similarity" else mean_rating - ends.lowest
    return distance / span


def number_raters(raters: Iterable[str]) -> dict[str, int]:
    """A number from 1 for each rater, the same wherever results speak of the same raters: none is named.

    Examples
    --------
    >>> number_raters(["bob", "ann", "bob"])
    {'ann': 1, 'bob': 2}
    """
    return {name: number for number, name in enumerate(sorted(set(raters)), start=1)}


def pool_ratings(ratings: Iterable[Rating]) -> dict[RatedPair, PairRating]:
    """All ratings of each pair, averaged; a gold pair pools those of both its questionnaires.

    Parameters
    ----------
    ratings : iterable of Rating

    Returns
    -------
    dict of RatedPair to PairRating
        The mean and the number of each pair's ratings.

    References
    ----------
    Protocol 7.

    Examples
    --------
    >>> ratings = [Rating("d", "A", "ann", "bob", "p", 2), Rating("d", "A", "bob", "ann", "q", 5)]
    >>> list(pool_ratings(ratings).values())
    [PairRating(mean=3.5, ratings=2)]
    """
    values: dict[RatedPair, list[int]] = defaultdict(list)
    for rating in ratings:
        values[rating.pair].append(rating.rating)
    return {pair: PairRating(sum(given) / len(given), len(given)) for pair, given in values.items()}
