"""The divergences and distances between distributions that InfoLM may take, all pairs of a group at once.

A function takes distributions, (g, V) float64 with rows that sum to 1 and no zero, and gives D[a, b] of
candidate a, p, and reference b, q: (g, g). D is at least 0 but for rounding.
"""

import math
from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from meta_eval.kernels.divergence import compare_groups
from meta_eval.kernels.tokens import IntArray

LARGEST: Mapping[str, float] = {
    "fisher-rao": math.pi,
    "total-variation": 1.0,
    "l1": 2.0,
    "l2": math.sqrt(2.0),
    "l-infinity": 1.0,
}
"""The most that each bounded one can be; the others are not bounded."""
_LEAST = torch.finfo(torch.float32).tiny


@torch.no_grad()
def divergences(
    distributions: Tensor, first: IntArray, second: IntArray, name: str, *, alpha: float, beta: float
) -> Tensor:
    """D of candidates `first` and references `second`: (texts, V) and (pairs,) x 2 -> (pairs,) float64."""

    def compare(rows: Tensor) -> Tensor:
        filled = rows.clamp_min(_LEAST)
        return _FUNCTIONS[name](filled / filled.sum(dim=1, keepdim=True), alpha, beta)

    return compare_groups(distributions, first, second, compare).clamp_min(0.0)


def as_distance(divergence: Tensor, name: str) -> Tensor:
    """In [0, 1]: a share of the most it can be, or 1 - exp(-D) of one that is not bounded."""
    return divergence / LARGEST[name] if name in LARGEST else -torch.expm1(-divergence)


def _affinity(rows: Tensor, of_candidate: float, of_reference: float) -> Tensor:
    """Sums of p^of_candidate q^of_reference over the vocabulary: (g, V) -> (g, g)."""
    return rows.pow(of_candidate) @ rows.pow(of_reference).T  # (g, V) (V, g) -> (g, g)


def _ab(rows: Tensor, alpha: float, beta: float) -> Tensor:
    both = alpha + beta
    sums = rows.pow(both).sum(dim=1).log()  # (g, V) -> (g,)
    shared = _affinity(rows, beta, alpha).log() / (alpha * beta)
    return sums[None, :] / (beta * both) + sums[:, None] / (alpha * both) - shared


def _alpha(rows: Tensor, alpha: float, _beta: float) -> Tensor:
    return (_affinity(rows, 1 - alpha, alpha) - 1) / (alpha * (alpha - 1))


def _beta(rows: Tensor, _alpha: float, beta: float) -> Tensor:
    return _ab(rows, 1.0, beta)


def _renyi(rows: Tensor, alpha: float, _beta: float) -> Tensor:
    return _affinity(rows, 1 - alpha, alpha).log() / (alpha - 1)


def _kl(rows: Tensor, _alpha: float, _beta: float) -> Tensor:
    logarithms = rows.log()
    return (rows * logarithms).sum(dim=1)[None, :] - logarithms @ rows.T  # (g, V) (V, g) -> (g, g)


def _fisher_rao(rows: Tensor, _alpha: float, _beta: float) -> Tensor:
    return 2 * _affinity(rows, 0.5, 0.5).clamp(0.0, 1.0).acos()


def _norm(power: float, scale: float = 1.0) -> Callable[[Tensor, float, float], Tensor]:
    def compare(rows: Tensor, _alpha: float, _beta: float) -> Tensor:
        return scale * torch.cdist(rows, rows, p=power, compute_mode="donot_use_mm_for_euclid_dist")

    return compare


_FUNCTIONS: Mapping[str, Callable[[Tensor, float, float], Tensor]] = {
    "ab": _ab,
    "alpha": _alpha,
    "beta": _beta,
    "renyi": _renyi,
    "kl": _kl,
    "fisher-rao": _fisher_rao,
    "total-variation": _norm(1.0, 0.5),
    "l1": _norm(1.0),
    "l2": _norm(2.0),
    "l-infinity": _norm(math.inf),
}
