"""Judges without a model: what a profile's mean, its majority, or a factorisation of all scores foretells."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.errors import InputError
from meta_eval.studies.perse.cases import ComparisonCase, Letter, Review, ReviewCase

Baseline = Literal["reviewer-average", "matrix-factorisation", "no-profile"]
"""`no-profile` is a model that is told nothing of the person; the other two need no model."""


def average_scores(cases: Iterable[ReviewCase]) -> list[float | None]:
    """The mean of each profile's scores: the person's one past score where the profile has one.

    Returns
    -------
    list of float or None
        On the scale 1 to 10, one a case; None for an empty profile.

    Examples
    --------
    >>> past = tuple(Review("ann", item, "", "", score) for item, score in (("a", 4), ("b", 8)))
    >>> average_scores([ReviewCase(Review("ann", "c", "", "", 9), past)])
    [6.0]
    """
    return [mean_score(case.profile) for case in cases]


def mean_score(profile: Sequence[Review]) -> float | None:
    """The mean score of reviews, None of none; rounded once."""
    if not profile:
        return None
    return float(sum((Fraction(one.score) for one in profile), Fraction(0)) / len(profile))


def majority_choices(cases: Iterable[ComparisonCase]) -> list[Letter | Literal["tie"] | None]:
    """The letter that won most often in each profile: that of the one comparison where there is one.

    Returns
    -------
    list of "A", "B", "tie" or None
        A tie counts half; None for an empty profile.
    """
    found: list[Letter | Literal["tie"] | None] = []
    for case in cases:
        counts = Counter(one.choice for one in case.profile)
        if not counts:
            found.append(None)
        elif counts["A"] == counts["B"]:
            found.append("tie")
        else:
            found.append("A" if counts["A"] > counts["B"] else "B")
    return found


@dataclass(frozen=True)
class Factors:
    """y_ui = mu + b_u + b_i + p_u . q_i (Koren, Bell and Volinsky 2009).

    `people` (U, F + 1) and `items` (I, F + 1) hold the bias first, then the factors; `loss` after each round
    is the sum of squared errors plus ridge times the squares of all biases and factors, and never rises.
    """

    mean: float
    people: FloatArray
    items: FloatArray
    person_numbers: dict[str, int]
    item_numbers: dict[str, int]
    loss: tuple[float, ...]

    def score(self, person: str, item: str) -> float | None:
        """The score foretold; None unless both person and item were trained on."""
        if person not in self.person_numbers or item not in self.item_numbers:
            return None
        p, q = self.people[self.person_numbers[person]], self.items[self.item_numbers[item]]
        return float(self.mean + p[0] + q[0] + p[1:] @ q[1:])


def factorise(
    reviews: Sequence[Review], *, factors: int = 8, ridge: float = 1.0, rounds: int = 30, seed: int = 0
) -> Factors:
    """Scores as a mean, a bias a person and an item, and products of factors, by alternating least squares.

    Parameters
    ----------
    reviews : sequence of Review
        What is trained on; never a review that is to be foretold.
    factors : int
        The length of p_u and q_i; 0 leaves the biases alone.
    ridge : float
        Above 0: how much biases and factors are drawn towards 0.
    rounds : int
        How often persons and items are fitted in turn.
    seed : int
        Of the factors at the start.

    Returns
    -------
    Factors

    Raises
    ------
    InputError
        For no reviews.

    References
    ----------
    Koren, Bell and Volinsky 2009. Factors, ridge and rounds are ours: the PerSE paper names none.

    Examples
    --------
    >>> found = factorise([Review("ann", "x", "", "", 8), Review("bob", "x", "", "", 2)], factors=0)
    >>> found.score("ann", "x") > found.score("bob", "x"), found.score("cid", "x")
    (True, None)
    """
    if not reviews:
        raise InputError(
            "matrix factorisation has nothing to train on: no review is left that is not to be foretold"
        )
    persons = {name: at for at, name in enumerate(sorted({one.reviewer for one in reviews}))}
    items = {name: at for at, name in enumerate(sorted({one.item for one in reviews}))}
    u = np.array([persons[one.reviewer] for one in reviews], dtype=np.int64)
    i = np.array([items[one.item] for one in reviews], dtype=np.int64)
    scores = np.array([one.score for one in reviews], dtype=np.float64)
    mean = float(scores.mean())
    rest = scores - mean
    rng = np.random.default_rng(seed)
    p, q = (rng.normal(0.0, 0.1, (len(names), factors + 1)) for names in (persons, items))
    p[:, 0] = q[:, 0] = 0.0
    loss = []
    for _ in range(rounds):
        _fit(p, q, (u, i), rest, ridge=ridge)
        _fit(q, p, (i, u), rest, ridge=ridge)
        errors = rest - p[u, 0] - q[i, 0] - (p[u, 1:] * q[i, 1:]).sum(axis=1)
        loss.append(float((errors**2).sum() + ridge * ((p**2).sum() + (q**2).sum())))
    return Factors(mean, p, q, persons, items, tuple(loss))


def _fit(
    own: FloatArray, other: FloatArray, at: tuple[IntArray, IntArray], rest: FloatArray, *, ridge: float
) -> None:
    """The best bias and factors of each row while those of the columns stay, in place."""
    rows, columns = at
    for row in range(len(own)):
        known = np.flatnonzero(rows == row)
        across = other[columns[known]]
        design = np.column_stack([np.ones(len(known)), across[:, 1:]])
        left = design.T @ design + ridge * np.eye(own.shape[1])
        own[row] = np.linalg.solve(left, design.T @ (rest[known] - across[:, 0]))
