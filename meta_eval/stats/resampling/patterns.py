"""Draws that are alike within a group of units.

Few raters rate a document, so thousands of draws of them are few different ones: what a draw does to a
document is computed once for each of these, whatever the number of draws.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from meta_eval.arrays import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class DrawPatterns:
    """The different draws of G groups of units.

    `weights` (K, U): row k has the k-th draw of each group, any of its draws where it has fewer than K.
    `at` (R, G): the row that has what each draw drew in each group.
    """

    weights: FloatArray
    at: IntArray


def find_patterns(weights: FloatArray, groups: IntArray) -> DrawPatterns:
    """The different draws among R draws `weights` (R, U), whole numbers, of units in `groups` (U,).

    Groups are numbered from 0, each with a unit at least.
    """
    whole = weights.astype(np.int64)
    base = int(whole.max(initial=0)) + 1
    at = np.zeros((len(weights), int(groups.max()) + 1), dtype=np.int64)
    for units in _in_turn(groups):
        at[:, groups[units]] = _number_densely(at[:, groups[units]] * base + whole[:, units])
    drawn_as = np.zeros((int(at.max(initial=0)) + 1, at.shape[1]), dtype=np.int64)
    drawn_as[at, np.arange(at.shape[1])] = np.arange(len(weights))[:, None]
    return DrawPatterns(weights[drawn_as[:, groups], np.arange(len(groups))], at)


def _in_turn(groups: IntArray) -> Iterator[IntArray]:
    """The first unit of each group, then the second of each that has one, and so on."""
    order = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups)
    turn_of = np.arange(len(groups)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    for turn in range(int(sizes.max())):
        yield order[turn_of == turn]


def _number_densely(codes: IntArray) -> IntArray:
    """(R, G) codes from 0 to their ranks among the different codes of their column: these stay small."""
    columns = np.arange(codes.shape[1])
    seen = np.zeros((len(columns), int(codes.max(initial=0)) + 1), dtype=np.bool_)
    seen[columns, codes] = True
    ranks: IntArray = (np.cumsum(seen, axis=1) - 1)[columns, codes]
    return ranks
