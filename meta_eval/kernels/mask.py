"""Masked copies: which word piece of which text is masked where, in an order that packs without padding."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from meta_eval.kernels.tokens import BoolArray, FloatArray, IntArray, Ragged, Windows, offsets_of, take_rows


@dataclass(frozen=True, slots=True)
class MaskedTexts:
    """Windows of texts and their masked copies, one copy for each word piece that is masked.

    Windows are sorted by length, then by number of copies, window number and text; copies by window. Per
    window: `ragged`, `text`, `number`, `copies`. Per copy: `row` its window, `position` the masked one, and
    `weight`, which sums to 1 over all copies of a text.
    """

    ragged: Ragged
    text: IntArray
    number: IntArray
    copies: IntArray
    row: IntArray
    position: IntArray
    weight: FloatArray

    @property
    def copy_lengths(self) -> IntArray:
        """Word pieces of each copy, shape (copies,), ascending."""
        return self.ragged.lengths[self.row]

    def parts(self, most: int) -> Iterator["MaskedTexts"]:
        """The same in parts of at most `most` copies, a window never split."""
        ends = np.cumsum(self.copies)
        start = 0
        while start < len(self.copies):
            done = int(ends[start - 1]) if start else 0
            stop = max(start + 1, int(np.searchsorted(ends, done + most, side="right")))
            yield self._windows(start, stop, done, int(ends[stop - 1]))
            start = stop

    def _windows(self, start: int, stop: int, first: int, last: int) -> "MaskedTexts":
        offsets = self.ragged.offsets[start : stop + 1]
        return MaskedTexts(
            Ragged(self.ragged.ids[offsets[0] : offsets[-1]], offsets - offsets[0]),
            self.text[start:stop],
            self.number[start:stop],
            self.copies[start:stop],
            self.row[first:last] - start,
            self.position[first:last],
            self.weight[first:last],
        )


def plan_copies(windows: Windows, kept: BoolArray, weights: FloatArray | None = None) -> MaskedTexts:
    """Which copies are needed: one for each word piece that is kept and owned by its window.

    `kept` (tokens,) marks the word pieces that count, `weights` (tokens,) their weights (None: all equal). A
    text whose weights sum to 0 weighs all its word pieces alike. Texts without any are left out.
    """
    masked = kept & windows.owned
    copies = np.bincount(windows.ragged.rows()[masked], minlength=len(windows.text))
    lengths = windows.ragged.lengths
    order = np.lexsort((windows.text, windows.number, copies, lengths))
    order = order[copies[order] > 0]
    ragged, source = take_rows(windows.ragged, order)
    chosen = np.flatnonzero(masked[source])
    row = ragged.rows()[chosen]
    text = windows.text[order]
    weight = np.ones(len(chosen)) if weights is None else weights[source][chosen].astype(np.float64)
    return MaskedTexts(
        ragged,
        text,
        windows.number[order],
        copies[order],
        row,
        chosen - ragged.offsets[row],
        _normalise_weights(weight, text[row]),
    )


def _normalise_weights(weight: np.ndarray, text: IntArray) -> FloatArray:
    """Weights that sum to 1 over each text."""
    total = np.bincount(text, weight)
    even = total[text] <= 0
    weight = np.where(even, 1.0, weight)
    normalised = weight / np.bincount(text, weight)[text]
    return normalised.astype(np.float32)


def masked_copies(ids: Tensor, positions: Tensor, mask: int) -> Tensor:
    """One copy of a text for each position, with that position masked: (T,), (copies,) -> (copies, T)."""
    copies = ids.expand(len(positions), -1).clone()  # (T,) -> (copies, T)
    copies[torch.arange(len(positions), device=ids.device), positions] = mask
    return copies


def equal_runs(*keys: IntArray) -> Iterator[slice]:
    """Runs of neighbours that agree in every key, each of shape (n,)."""
    changes = np.zeros(max(len(keys[0]) - 1, 0), dtype=bool)
    for key in keys:
        changes |= np.diff(key) != 0
    edges = offsets_of(np.diff([-1, *np.flatnonzero(changes), len(keys[0]) - 1]))
    yield from (slice(start, stop) for start, stop in pairwise(edges.tolist()))
