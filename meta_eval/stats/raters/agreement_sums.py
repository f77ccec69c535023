"""What each unit adds to the sums that coefficients of raters' agreement are made of, and the coefficients.

A sum over units is one matrix product, so a resample of units, or of the documents they belong to, is a row
of it. Only the categories that were given have sums, so that a scale of a thousand points takes no more
memory than its ratings do.
"""

from collections.abc import Hashable, Iterator, Sequence

import numpy as np
from scipy.sparse import csr_array, hstack

from meta_eval.arrays import BoolArray, FloatArray, IntArray
from meta_eval.errors import InputError
from meta_eval.stats.resampling.samples import DEFAULT_BATCH

ALPHA = "krippendorff_ordinal"
"""The coefficient that a report and the monitor judge agreement by."""
NARROW = 11
"""Scales of so many points have a sum for each of them, given or not, in arrays without gaps."""
FIFTH = 0.2
"""The share of the range that one point of 1 to 6 is."""
_LARGEST_BATCH = 4_000_000
"""Numbers that sums of a batch of resamples hold at most."""


class UnitSums:
    """What each unit adds: `features` (U, F), sparse.

    For a unit with n_c ratings of category c, m in all: coincidences (n_c n_k - [c = k] n_c) / (m - 1) of
    each cell (c, k), the same over m, shares n_c / m, and the sums of a one-way analysis of variance. Cells
    are those of all categories on a narrow scale, and those that some unit has on a wide one.

    `scale` (q,) are the values of all categories, `given` the numbers of those that have sums.
    """

    def __init__(self, counts: csr_array, scale: FloatArray) -> None:
        self.scale = scale
        self.narrow = len(scale) <= NARROW
        self.given: IntArray = (
            np.arange(len(scale)) if self.narrow else np.unique(counts.indices[counts.data > 0])
        )
        self._values = scale[self.given]
        squares = (scale[:, None] - scale[None, :]) ** 2
        self._farthest = squares.max() if squares.size else 0.0
        self._weights = float((1.0 - squares / self._farthest).sum())
        self.features = self._of_units(counts[:, self.given])

    def _of_units(self, counts: csr_array) -> csr_array:
        size = counts.sum(axis=1)
        paired = size > 1
        m = np.where(paired, size, 2.0)
        total, raw = counts @ self._values, counts @ self._values**2
        variance = np.stack([np.ones_like(m), m, m**2, total, total**2 / m, raw], axis=1)
        coincidences = self._coincidences(counts, paired, m)
        units, _ = coincidences.nonzero()
        by_size = coincidences.copy()
        by_size.data = coincidences.data / m[units]
        shares = counts.astype(np.float64)
        shares.data = shares.data / np.repeat(size, np.diff(shares.indptr))
        rest = np.concatenate(
            [(size > 0)[:, None].astype(np.float64), np.where(paired[:, None], variance, 0.0)], axis=1
        )
        return csr_array(hstack([coincidences, by_size, shares, csr_array(rest)], format="csr"))

    def _coincidences(self, counts: csr_array, paired: BoolArray, m: FloatArray) -> csr_array:
        """(U, cells), and the cells themselves: `_rows` and `_columns` (cells,), row by row."""
        kinds = np.where(paired, np.diff(counts.indptr), 0)
        units = np.repeat(np.arange(counts.shape[0]), kinds**2)
        pair = np.arange(len(units)) - np.repeat(np.cumsum(kinds**2) - kinds**2, kinds**2)
        first = counts.indptr[units] + pair // kinds[units]
        second = counts.indptr[units] + pair % kinds[units]
        ordered = counts.data[first] * counts.data[second] - counts.data[first] * (first == second)
        units, first, second, ordered = (one[ordered > 0] for one in (units, first, second, ordered))
        c = len(self.given)
        codes = counts.indices[first].astype(np.int64) * c + counts.indices[second]
        cells = np.arange(c * c) if self.narrow else np.unique(codes)
        self._rows, self._columns = cells // max(c, 1), cells % max(c, 1)
        self._starts = np.flatnonzero(np.diff(self._rows, prepend=-1))
        return csr_array(
            (ordered / (m - 1)[units], (units, np.searchsorted(cells, codes))),
            shape=(counts.shape[0], len(cells)),
        )

    @property
    def table(self) -> FloatArray:
        """(given, given): coincidences of all units."""
        table = np.zeros((len(self.given), len(self.given)))
        table[self._rows, self._columns] = self.features[:, : len(self._rows)].sum(axis=0)
        return table

    def by_cluster(self, clusters: Sequence[Hashable] | None) -> "ClusterSums":
        """Sums of the units that are resampled together; each unit by itself without clusters."""
        if clusters is None:
            return ClusterSums(self, self.features)
        if len(clusters) != self.features.shape[0]:
            raise InputError(f"{len(clusters)} clusters cannot be those of {self.features.shape[0]} units")
        numbers = {name: number for number, name in enumerate(dict.fromkeys(clusters))}
        rows = [numbers[name] for name in clusters]
        places = (np.ones(len(rows)), (rows, np.arange(len(rows))))
        members = csr_array(places, shape=(len(numbers), len(rows)))
        return ClusterSums(self, members @ self.features)

    def coefficients(self, sums: FloatArray) -> dict[str, FloatArray]:
        """All coefficients (R,) from sums of features (R, F); NaN where one is undefined."""
        cells, c = len(self._rows), len(self.given)
        ends = np.cumsum([cells, cells, c, 1])
        coincidences, agreements, shares, units, variance = np.split(sums, ends, axis=1)
        agreements = _ratio(agreements, variance[:, :1])
        apart = np.abs(self._values[self._rows] - self._values[self._columns])
        weights = 1.0 - apart**2 / self._farthest
        single, mean = _intraclass(variance)
        margins = self._margins(coincidences)
        there = self._values[self._rows[self._starts]]
        middle = np.cumsum(margins, axis=1) - margins / 2
        kappa = self._kappa(coincidences, margins, there[None, :])
        total = coincidences.sum(axis=1)
        fifth = FIFTH * (self.scale[-1] - self.scale[0])
        return {
            ALPHA: _alpha(self._kappa(coincidences, margins, middle), total),
            "krippendorff_interval": _alpha(kappa, total),
            "kappa_quadratic": kappa,
            "icc_1_1": single,
            "icc_1_k": mean,
            "gwet_ac2": self._gwet(agreements, _ratio(shares, units), weights),
            "within_one": _ratio((coincidences * (apart <= 1.0)).sum(axis=1), total),
            "within_fifth": _ratio((coincidences * (apart <= fifth)).sum(axis=1), total),
        }

    def _margins(self, coincidences: FloatArray) -> FloatArray:
        """(R, categories with a cell)."""
        if self.narrow:
            c = len(self.given)
            square: FloatArray = coincidences.reshape(-1, c, c).sum(axis=2)
            return square
        if not len(self._starts):
            return np.zeros((len(coincidences), 0))
        rows: FloatArray = np.add.reduceat(coincidences, self._starts, axis=1)
        return rows

    def _kappa(self, coincidences: FloatArray, margins: FloatArray, at: FloatArray) -> FloatArray:
        """1 - D_o / D_e of the table in both orders, D_e from its margins with replacement.

        `at` (R or 1, categories with a margin) is where each category lies: two are as far apart as the
        square of the difference.
        """
        number = np.zeros(len(self.given), dtype=np.int64)
        number[self._rows[self._starts]] = np.arange(len(self._starts))
        squares = (at[:, number[self._rows]] - at[:, number[self._columns]]) ** 2
        observed = (coincidences * squares).sum(axis=1) * margins.sum(axis=1)
        return 1.0 - _ratio(observed, self._expected(margins, at))

    def _expected(self, margins: FloatArray, at: FloatArray) -> FloatArray:
        """(R,): sum over all pairs of categories of the product of their margins times their distance."""
        if self.narrow:
            squares = (at[:, :, None] - at[:, None, :]) ** 2
            expected = margins[:, :, None] * margins[:, None, :]
            found: FloatArray = (expected * squares).sum(axis=(1, 2))
            return found
        total = margins.sum(axis=1, keepdims=True)  # the same around the mean, where no pair is needed
        mean = _ratio((margins * at).sum(axis=1, keepdims=True), total)
        around: FloatArray = 2.0 * total[:, 0] * (margins * (at - mean) ** 2).sum(axis=1)
        return around

    def _gwet(self, agreements: FloatArray, shares: FloatArray, weights: FloatArray) -> FloatArray:
        """AC2 (Gwet 2014, section 4.4): chance agreement T_w / (q (q - 1)) sum pi (1 - pi).

        q counts every category of the scale, given or not.
        """
        q = len(self.scale)
        observed = (agreements * weights).sum(axis=1)
        chance = self._weights / (q * (q - 1)) * (shares * (1.0 - shares)).sum(axis=1)
        return _ratio(observed - chance, 1.0 - chance)


class ClusterSums:
    """Sums of features by what is resampled together: dense on a narrow scale, sparse on a wide one."""

    def __init__(self, sums: UnitSums, features: csr_array) -> None:
        self._sums = sums
        self._features = features.toarray() if sums.narrow else features
        self.clusters, self._width = features.shape
        self._total = np.asarray(self._features.sum(axis=0)).reshape(1, -1)

    @property
    def batch(self) -> int:
        """How many resamples are summed at a time."""
        return max(1, min(DEFAULT_BATCH, _LARGEST_BATCH // self._width))

    def observed(self) -> dict[str, FloatArray]:
        return self._sums.coefficients(self._total)

    def resampled(self, weights: FloatArray) -> dict[str, FloatArray]:
        """Under weights (R, clusters): how often each cluster was drawn."""
        return self._sums.coefficients(weights @ self._features)

    def left_out(self) -> dict[str, FloatArray]:
        """Without each cluster, (clusters,)."""
        return join(self._without(start) for start in range(0, self.clusters, self.batch))

    def _without(self, start: int) -> dict[str, FloatArray]:
        some = self._features[start : start + self.batch]
        dense = some if isinstance(some, np.ndarray) else some.toarray()
        return self._sums.coefficients(self._total - dense)


def join(parts: Iterator[dict[str, FloatArray]]) -> dict[str, FloatArray]:
    """Coefficients of batches, one after the other."""
    kept = list(parts)
    return {name: np.concatenate([part[name] for part in kept]) for name in kept[0]}


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """NaN where nothing is below, rounding included."""
    below = np.broadcast_to(below, above.shape)
    ratio: FloatArray = np.divide(above, below, out=np.full(above.shape, np.nan), where=np.abs(below) > 1e-12)
    return ratio


def _alpha(kappa: FloatArray, total: FloatArray) -> FloatArray:
    """1 - D_o / D_e of Krippendorff (2011), D_e without replacement, from kappa, which has it with."""
    alpha: FloatArray = 1.0 - (1.0 - kappa) * _ratio(total - 1.0, total)
    return alpha


def _intraclass(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
    """ICC(1,1) and ICC(1,k) of a one-way analysis of variance (Shrout and Fleiss 1979).

    `sums` (R, 6) over units of m ratings: of 1, m, m^2, the total, total^2 / m and the squared ratings. For
    unequal m, k is the usual mean of them, k_0.
    """
    units, n, squares, total, means, raw = sums.T
    between = _ratio(means - _ratio(total**2, n), units - 1.0)
    within = _ratio(raw - means, n - units)
    k = _ratio(n - _ratio(squares, n), units - 1.0)
    return (
        _ratio(between - within, between + (k - 1.0) * within),
        _ratio(between - within, between),
    )
