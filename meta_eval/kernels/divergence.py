"""Many pairs of rows compared by one matrix product: cosines, and the AB-divergence with alpha = beta = 1."""

from collections.abc import Callable, Iterator

import numpy as np
import torch
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from torch import Tensor

from meta_eval.kernels.tokens import IntArray

# Texts in one Gram matrix; a document with its references and summaries is far smaller.
_MOST_TEXTS = 512


@torch.no_grad()
def cosines(distributions: Tensor, first: IntArray, second: IntArray) -> Tensor:
    """The cosines of pairs of rows, accumulated in float64.

    Parameters
    ----------
    distributions : tensor (texts, V')
    first, second : (pairs,) arrays, the rows of each pair

    Returns
    -------
    tensor (pairs,) of float64 on the CPU

    Examples
    --------
    >>> cosines(torch.tensor([[1.0, 0.0], [0.0, 1.0]]), np.array([0, 0]), np.array([0, 1])).tolist()
    [1.0, 0.0]
    """
    return compare_groups(distributions, first, second, _cosine_matrix)


def _cosine_matrix(rows: Tensor) -> Tensor:
    gram = (rows @ rows.T).cpu()  # (g, V') (V', g) -> (g, g)
    norm = gram.diagonal().sqrt()
    return gram / (norm[:, None] * norm[None, :])


def compare_groups(
    rows: Tensor, first: IntArray, second: IntArray, compare: Callable[[Tensor], Tensor]
) -> Tensor:
    """What `compare` says of pairs of rows: (texts, d) and (pairs,) x 2 -> (pairs,) float64 on the CPU.

    Pairs are grouped by what they connect (the texts of a document), and `compare` is handed the rows of a
    group in float64: (g, d) -> (g, g), of which the entry [a, b] is that of first a and second b.
    """
    result = torch.empty(len(first), dtype=torch.float64)
    for pairs in _groups(first, second):
        texts, local = np.unique(np.concatenate([first[pairs], second[pairs]]), return_inverse=True)
        matrix = compare(rows[torch.from_numpy(texts).to(rows.device)].double()).cpu()  # (g, d) -> (g, g)
        a, b = torch.from_numpy(local[: len(pairs)]), torch.from_numpy(local[len(pairs) :])
        result[torch.from_numpy(pairs)] = matrix[a, b]
    return result


def _groups(first: IntArray, second: IntArray) -> Iterator[IntArray]:
    """Indices of pairs, those that share texts together, each group over at most `_MOST_TEXTS` texts."""
    if not len(first):
        return
    texts = int(max(first.max(), second.max())) + 1
    graph = coo_array((np.ones(len(first), dtype=np.int8), (first, second)), shape=(texts, texts))
    _, component = connected_components(graph, directed=False)
    order = np.lexsort((second, first, component[first]))
    for group in np.split(order, np.flatnonzero(np.diff(component[first][order])) + 1):
        sides = np.unique(np.concatenate([first[group], second[group]]))
        pieces = 1 if len(sides) <= _MOST_TEXTS else -(-2 * len(group) // _MOST_TEXTS)
        yield from np.array_split(group, pieces)


def ab_divergence(cosine: Tensor, *, raw: bool) -> Tensor:
    """The AB divergence of InfoLM, D = -log cos(p, q), or 1 - exp(-D) = 1 - cos(p, q).

    Rounding may put the cosine of equal distributions above 1, which gives 0; raw D is at most 708, where the
    cosine leaves the range of float64.

    Parameters
    ----------
    cosine : tensor (pairs,)
    raw : whether D itself is wanted

    Returns
    -------
    tensor (pairs,), never negative

    References
    ----------
    Colombo, Clavel and Piantanida (2022). InfoLM. AAAI.

    Examples
    --------
    >>> ab_divergence(torch.tensor([1.0, 0.25], dtype=torch.float64), raw=False).tolist()
    [0.0, 0.75]
    """
    cosine = cosine.clamp(torch.finfo(torch.float64).tiny, 1.0)
    return -cosine.log() if raw else 1.0 - cosine
