"""BERTScore's greedy matching (Zhang et al., ICLR 2020) for many pairs of texts at once."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from meta_eval.kernels.encode import TokenVectors
from meta_eval.kernels.tokens import IntArray

# From this many word pieces on, one text is matched with all its partners in one product, without copying it.
_LONG = 96
_ROUND = 4


@dataclass(frozen=True)
class MatchedTexts:
    """Unit vectors of all word pieces, and what each weighs: `weights` (tokens,)."""

    vectors: TokenVectors
    weights: Tensor


def weigh(vectors: TokenVectors, weights: NDArray[np.float32]) -> MatchedTexts:
    """The vectors with weights (tokens,) on the same device."""
    return MatchedTexts(vectors, torch.from_numpy(weights).to(vectors.vectors.device))


@dataclass(frozen=True)
class Scores:
    """Precision, recall and F1 of each pair, each (pairs,) float32 on the CPU."""

    precision: Tensor
    recall: Tensor
    f1: Tensor


@torch.no_grad()
def match_pairs(
    texts: TokenVectors, weights: Tensor, first: IntArray, second: IntArray, *, elements: int = 1 << 26
) -> Scores:
    """Scores of candidates `first` against references `second`, both (pairs,).

    `weights` (tokens,) weighs the word pieces; all of them may be matched, those of weight 0 too. Every text
    must have a positive weight in total. `elements` bounds the numbers in one block of similarities or
    vectors.
    """
    lengths = np.diff(texts.offsets)
    swap = lengths[first] > lengths[second]
    short, long = np.where(swap, second, first), np.where(swap, first, second)
    own, other = (torch.empty(len(first)) for _ in range(2))
    for pairs, shared in _blocks(lengths, short, long, elements, texts.vectors.shape[1]):
        block_own, block_other = _match_block(texts, weights, short[pairs], long[pairs], shared=shared)
        at = torch.from_numpy(pairs)
        own[at], other[at] = block_own.cpu(), block_other.cpu()
    swapped = torch.from_numpy(swap)
    precision, recall = torch.where(swapped, other, own), torch.where(swapped, own, other)
    return Scores(precision, recall, 2 * precision * recall / (precision + recall))


def _blocks(
    lengths: IntArray, short: IntArray, long: IntArray, elements: int, hidden: int
) -> Iterator[tuple[IntArray, bool]]:
    """Indices of pairs to match together, and whether they all share their longer text."""
    shared = lengths[long] >= _LONG
    rows, columns = (-(-lengths[side] // _ROUND) * _ROUND for side in (short, long))
    alone = np.flatnonzero(~shared)
    order = alone[np.lexsort((rows[alone], columns[alone]))]
    yield from ((block, False) for block in _cut(order, elements, hidden, rows, columns))
    together = np.flatnonzero(shared)
    order = together[np.lexsort((lengths[short[together]], long[together]))]
    for run in np.split(order, np.flatnonzero(np.diff(long[order])) + 1):
        yield from ((block, True) for block in _cut(run, elements, hidden, rows, columns))


def _cut(
    order: IntArray, elements: int, hidden: int, rows: IntArray, columns: IntArray
) -> Iterator[IntArray]:
    """Pieces of `order` that padded to their longest texts keep within `elements`."""
    start = 0
    while start < len(order):
        size = max(1, elements // int((columns[order[start]] + rows[order[start]]) * hidden))
        piece = order[start : start + size]
        same = (columns[piece] == columns[piece[0]]) & (rows[piece] <= 2 * rows[piece[0]])
        stop = len(piece) if same.all() else int(np.argmin(same))
        yield piece[:stop]
        start += stop


def _match_block(
    texts: TokenVectors, weights: Tensor, short: IntArray, long: IntArray, *, shared: bool
) -> tuple[Tensor, Tensor]:
    """Weighted best matches of the shorter texts' word pieces and of the longer texts', each (pairs,)."""
    a, a_present = _gather(texts, short)  # (P, A), (P, A)
    b, b_present = _gather(texts, long[:1] if shared else long)  # (P or 1, B), (P or 1, B)
    vectors_a, vectors_b = texts.vectors[a], texts.vectors[b]  # (P, A, d), (P or 1, B, d)
    if shared:
        similarity = (vectors_a.flatten(0, 1) @ vectors_b[0].T).view(*a.shape, -1)  # (P A, B) -> (P, A, B)
    else:
        similarity = torch.bmm(vectors_a, vectors_b.transpose(1, 2))  # (P, A, d) (P, d, B) -> (P, A, B)
    best_a = similarity.masked_fill(~b_present[:, None, :], -torch.inf).amax(dim=2)  # (P, A, B) -> (P, A)
    best_b = similarity.masked_fill(~a_present[:, :, None], -torch.inf).amax(dim=1)  # (P, A, B) -> (P, B)
    return _mean(best_a, weights[a], a_present), _mean(best_b, weights[b], b_present)


def _gather(texts: TokenVectors, rows: IntArray) -> tuple[Tensor, Tensor]:
    """Indices of the word pieces of texts, padded with some valid index, and which are real: (P, L) each."""
    device = texts.vectors.device
    start = torch.from_numpy(texts.offsets[rows]).to(device)[:, None]
    length = torch.from_numpy(np.diff(texts.offsets)[rows]).to(device)[:, None]
    within = torch.arange(int(np.diff(texts.offsets)[rows].max()), device=device)[None, :]
    present = within < length  # (1, L) (P, 1) -> (P, L)
    return start + torch.minimum(within, length - 1), present


def _mean(best: Tensor, weight: Tensor, present: Tensor) -> Tensor:
    """Weighted mean over the real word pieces: (P, L) -> (P,)."""
    weight = weight * present
    return (best.masked_fill(~present, 0) * weight).sum(dim=1) / weight.sum(dim=1)
