"""The coefficient of the systems' true scores, which documents or raters show with noise.

Noise pulls a coefficient towards 0, and resampling pulls it once more, so percentiles of resamples miss the
truth where documents are few. Here the observed scores of a system, human and automatic, are its true ones
plus noise, whose covariance the resamples tell; the true ones come from a bivariate normal population of
which nothing else is known. Draws of the true scores, given what was observed, give draws of the coefficient:
a normal hierarchical model (Everson and Morris 2000), computed without iteration.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import multigammaln

from meta_eval.arrays import FloatArray, IntArray

LEAST_SYSTEMS = 3
"""Two systems agree or they do not: nothing is left to tell noise from difference."""

EDGE = 0.5
"""The prior of the population's covariance S is |S|^(-EDGE): flat in either variance, the arcsine law in the
correlation. A prior that avoids perfect agreement more would miss it where noise hides it."""

_SIDES = 2
_FLOOR = 1e-10
"""Least variance, relative to that of the observed scores: a side that feels no noise has none."""
_STREAM = 20_001
"""Seed of the numbers that stand for chance in the integral; the resamples carry the seed of the report."""


def draw_true_scores(
    x: FloatArray, y: FloatArray, noisy: tuple[FloatArray, FloatArray], *, stream: int = 0
) -> FloatArray:
    """(2, R, k): draws of the true scores of k systems, given their observed scores x and y (k,).

    `noisy` are both scores in R resamples, (R, k) each, drawn together; every value must be there. The same
    random numbers serve every call of one shape and `stream`, so that draws of several coefficients belong
    together and those of several families do not.
    Scores come about their mean over systems, of which no coefficient knows. Needs `LEAST_SYSTEMS` systems
    that differ on both sides.
    """
    observed = _centre(np.stack([x, y]))  # (2, k)
    errors = _centre(np.stack(noisy))
    errors -= errors.mean(axis=1, keepdims=True)
    _, resamples, systems = errors.shape
    scale = np.sqrt((observed**2).sum(axis=1))[:, None]  # either side in units of its own spread
    observed, errors = observed / scale, errors / scale[:, None]
    noise = np.einsum("irk,jrk->ij", errors, errors) / (resamples * (systems - 1))
    base = _base(resamples, systems, stream)
    shrink = _draw_shrinkage(observed @ observed.T, noise, base)
    seen = observed[:, None] - errors
    drawn = _mix(shrink.kept, seen) + _mix(shrink.own, base.normal)
    known = (
        np.diag(noise)[:, None, None] <= _FLOOR
    )  # a side without noise shows the true scores, ties and all
    true: FloatArray = np.where(known, observed[:, None], drawn) * scale[:, None]
    return true


def _centre(values: FloatArray) -> FloatArray:
    centred: FloatArray = values - values.mean(axis=-1, keepdims=True)
    return centred


def _mix(matrices: FloatArray, values: FloatArray) -> FloatArray:
    """(2, 2, R) matrices times (2, R, k) columns."""
    return np.stack([row[0][:, None] * values[0] + row[1][:, None] * values[1] for row in matrices])


@dataclass(frozen=True, slots=True)
class _Base:
    """Random numbers that know nothing of the data: symmetric 2 x 2 matrices as (3, n): 11, 12, 22.

    `wishart` with `freedom` degrees of freedom; `ratio` of the matrix F distribution with 3 - 2 EDGE and
    `freedom`; `normal` (2, R, k); `order` (R,) in which the draws are laid out before they are drawn again.
    """

    freedom: int
    wishart: FloatArray
    ratio: FloatArray
    normal: FloatArray
    order: IntArray


@lru_cache(maxsize=8)
def _base(resamples: int, systems: int, stream: int) -> _Base:
    rng = np.random.default_rng([_STREAM, resamples, systems, *([stream] if stream else [])])
    # with fewer than five systems the population's tail needs a prior of its own to have an end
    freedom = max(systems - 3, 2)
    half = resamples // 2
    return _Base(
        freedom,
        _draw_wishart(rng, freedom, half),
        _draw_ratio(rng, freedom, resamples - half),
        rng.standard_normal((_SIDES, resamples, systems)),
        rng.permutation(resamples),
    )


def _draw_wishart(rng: np.random.Generator, freedom: float, draws: int) -> FloatArray:
    """Bartlett's decomposition."""
    first, second = np.sqrt(rng.chisquare(freedom, draws)), np.sqrt(rng.chisquare(freedom - 1, draws))
    below = rng.standard_normal(draws)
    return np.stack([first**2, first * below, below**2 + second**2])


def _draw_ratio(rng: np.random.Generator, freedom: float, draws: int) -> FloatArray:
    """(I - U) / U of matrix beta U: A + B = L L', U = L^-1 B L'^-1 (Muirhead 1982, theorem 3.3.1)."""
    part = _draw_wishart(rng, freedom, draws)
    whole = part + _draw_wishart(rng, 3.0 - 2.0 * EDGE, draws)
    first = np.sqrt(whole[0])
    below = whole[1] / first
    second = np.sqrt(whole[2] - below**2)
    roots = np.zeros((_SIDES, _SIDES, draws))
    roots[0, 0], roots[1, 0], roots[1, 1] = 1.0 / first, -below / (first * second), 1.0 / second
    ratio: FloatArray = _inverse(_congruent(roots, part)) - _UNIT
    return ratio


def _congruent(a: FloatArray, matrix: FloatArray) -> FloatArray:
    """A M A' of symmetric M (3, n), for A (2, 2) or (2, 2, n)."""
    m11, m12, m22 = matrix
    left = [(row[0] * m11 + row[1] * m12, row[0] * m12 + row[1] * m22) for row in a]
    (p, q), (r, s) = left
    return np.stack([p * a[0][0] + q * a[0][1], p * a[1][0] + q * a[1][1], r * a[1][0] + s * a[1][1]])


@dataclass(frozen=True, slots=True)
class _Shrinkage:
    """What of the observed scores is `kept`, and what the population's `own` chance adds: (2, 2, R) each."""

    kept: FloatArray
    own: FloatArray


def _draw_shrinkage(scatter: FloatArray, noise: FloatArray, base: _Base) -> _Shrinkage:
    """Draws of I - G and (G - G^2)^(1/2), in units of the noise, G = noise over noise plus population.

    Given scatter and noise (2, 2), G has the density |G|^((f - 3) / 2) |I - G|^(-EDGE) exp(-tr(C G) / 2) on
    0 < G < I, C the scatter in units of the noise. Half the draws come from a Wishart distribution, which is
    nearly this where noise is small, and half from a population drawn about its size by moments, which
    serves wherever a side is noisy; then they are drawn again by weight.
    """
    size = _root(noise)
    inverse = np.linalg.inv(size)
    spread = _root(scatter)
    ratio = (inverse @ spread) @ (inverse @ spread).T
    typical = _typical(ratio, base)
    g = np.concatenate(
        [
            _congruent(size @ np.linalg.inv(spread), base.wishart),
            _inverse_of_more(_congruent(_root(typical), base.ratio)),
        ],
        axis=1,
    )
    large, small, cosine, sine = _eigen(g)
    at = _draw_again(_weigh(g, (large, small), ratio, typical, base.freedom), base.order)
    cosine, sine = cosine[at], sine[at]
    large, small = np.clip(large[at], 0.0, 1.0), np.clip(small[at], 0.0, 1.0)
    kept = _symmetric(1.0 - large, 1.0 - small, cosine, sine)
    own = _symmetric(np.sqrt(large * (1.0 - large)), np.sqrt(small * (1.0 - small)), cosine, sine)
    return _Shrinkage(np.einsum("ij,jlr,lm->imr", size, kept, inverse), np.einsum("ij,jlr->ilr", size, own))


def _root(matrix: FloatArray) -> FloatArray:
    """The symmetric square root, so that neighbouring matrices have neighbouring roots."""
    values, vectors = np.linalg.eigh(matrix)
    root: FloatArray = vectors * np.sqrt(np.maximum(values, _FLOOR)) @ vectors.T
    return root


def _typical(ratio: FloatArray, base: _Base) -> FloatArray:
    """The population's covariance by moments, in units of the noise; the noise's where there is none left."""
    values, vectors = np.linalg.eigh(ratio)
    systems = base.normal.shape[2]
    size = np.maximum(base.freedom / 2.0 * (values / (systems - 1) - 1.0), 1.0)
    typical: FloatArray = vectors * size @ vectors.T
    return typical


def _inverse(matrix: FloatArray) -> FloatArray:
    """Of symmetric matrices (3, n)."""
    determinant = matrix[0] * matrix[2] - matrix[1] ** 2
    inverse: FloatArray = np.stack([matrix[2], -matrix[1], matrix[0]]) / determinant
    return inverse


def _inverse_of_more(matrix: FloatArray) -> FloatArray:
    """Of I + M for positive semidefinite M (3, n): no rounding brings the determinant 1 + tr M + |M| to 0."""
    rest = np.maximum(matrix[0] * matrix[2] - matrix[1] ** 2, 0.0)
    adjugate = np.stack([1.0 + matrix[2], -matrix[1], 1.0 + matrix[0]])
    inverse: FloatArray = adjugate / (1.0 + matrix[0] + matrix[2] + rest)
    return inverse


_UNIT = np.array([[1.0], [0.0], [1.0]])
"""The unit matrix as (3, 1)."""


def _eigen(matrix: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Larger and smaller eigenvalue of symmetric matrices (3, n), cosine and sine of the larger's vector."""
    middle, half = (matrix[0] + matrix[2]) / 2.0, (matrix[0] - matrix[2]) / 2.0
    radius = np.hypot(half, matrix[1])
    angle = np.arctan2(matrix[1], half) / 2.0
    return middle + radius, middle - radius, np.cos(angle), np.sin(angle)


def _symmetric(large: FloatArray, small: FloatArray, cosine: FloatArray, sine: FloatArray) -> FloatArray:
    """(2, 2, R) with these eigenvalues."""
    off = (large - small) * cosine * sine
    return np.array([[large * cosine**2 + small * sine**2, off], [off, large * sine**2 + small * cosine**2]])


def _weigh(
    g: FloatArray,
    eigenvalues: tuple[FloatArray, FloatArray],
    ratio: FloatArray,
    typical: FloatArray,
    freedom: int,
) -> FloatArray:
    """Weights (R,) of draws, half from either distribution: density over the mean of the two densities."""
    shape, rest = freedom / 2.0, 1.5 - EDGE
    inside = eigenvalues[0] < 1.0
    edge = EDGE * np.log(np.where(inside, (1.0 - eigenvalues[0]) * (1.0 - eigenvalues[1]), 1.0))
    wishart = _SIDES * shape * np.log(2.0) + multigammaln(shape, _SIDES) - shape * np.linalg.slogdet(ratio)[1]
    beyond = typical - np.eye(_SIDES)
    larger = 1.0 + _trace(beyond, g) + np.linalg.det(beyond) * eigenvalues[0] * eigenvalues[1]
    beta = multigammaln(shape, _SIDES) + multigammaln(rest, _SIDES) - multigammaln(shape + rest, _SIDES)
    population = (
        shape * np.linalg.slogdet(typical)[1]
        - (shape + rest) * np.log(larger)
        + _trace(ratio, g) / 2.0
        - beta
    )
    log = np.where(inside, -np.logaddexp(edge - wishart, population), -np.inf)
    weight: FloatArray = np.exp(log - log.max())
    return weight


def _trace(matrix: FloatArray, g: FloatArray) -> FloatArray:
    """(n,): of a symmetric matrix times G (3, n)."""
    trace: FloatArray = matrix[0, 0] * g[0] + 2.0 * matrix[0, 1] * g[1] + matrix[1, 1] * g[2]
    return trace


def _draw_again(weight: FloatArray, order: IntArray) -> IntArray:
    """(R,): systematic resampling of R draws by weight, in `order`."""
    heap = np.cumsum(weight[order])
    points = (np.arange(len(order)) + 0.5) / len(order) * heap[-1]
    drawn: IntArray = order[np.minimum(np.searchsorted(heap, points), len(order) - 1)]
    return drawn
