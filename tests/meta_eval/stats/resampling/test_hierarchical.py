import numpy as np
import pytest

from meta_eval.stats.resampling.hierarchical import LEAST_SYSTEMS, _inverse_of_more, draw_true_scores

SYSTEMS = 8
NOISE = np.array([[0.30, 0.06], [0.06, 0.15]])
OBSERVED = np.array(
    [[1.9, -0.4, 0.8, -1.3, 0.1, -1.0, 0.6, -0.7], [1.2, 0.3, 0.9, -1.1, -0.8, -0.6, 0.4, -0.3]]
)
OBSERVED = OBSERVED - OBSERVED.mean(axis=1, keepdims=True)


def noisy(resamples: int, noise: np.ndarray = NOISE) -> tuple[np.ndarray, np.ndarray]:
    """Resamples whose covariance is exactly `noise` times (systems - 1) / systems, as centring has it."""
    errors = np.random.default_rng(1).standard_normal((2, resamples, SYSTEMS))
    errors -= errors.mean(axis=2, keepdims=True)
    errors -= errors.mean(axis=1, keepdims=True)
    found = np.einsum("irk,jrk->ij", errors, errors) / (resamples * (SYSTEMS - 1))
    root = np.linalg.cholesky(noise) @ np.linalg.inv(np.linalg.cholesky(found))
    first, second = OBSERVED[:, None] + np.einsum("ij,jrk->irk", root, errors)
    return first, second


ANGLES = (np.arange(90) + 0.5) / 90 * np.pi - np.pi / 2


def posterior_by_grid() -> tuple[np.ndarray, np.ndarray]:
    """Mean (2, k) and variance (2, k) of the true scores: the population's covariance on a fine grid.

    Standard deviations s, t and the angle of the correlation r are the grid's: dS = 4 s^2 t^2 ds dt dr.
    """
    s, t, r = np.meshgrid(np.linspace(0.01, 8.0, 90), np.linspace(0.01, 8.0, 90), np.sin(ANGLES))
    population = np.stack([s**2, r * s * t, r * s * t, t**2], axis=-1).reshape(-1, 2, 2)
    total = population + NOISE
    inverse = np.linalg.inv(total)
    fit = np.einsum("nij,ji->n", inverse, OBSERVED @ OBSERVED.T)
    log = (
        -(SYSTEMS - 1) / 2 * np.log(np.linalg.det(total))
        - fit / 2
        - 0.5 * np.log(np.linalg.det(population))
        + (2 * np.log(s * t) + np.log(np.sqrt(1 - r**2))).ravel()
    )
    weight = np.exp(log - log.max())
    weight /= weight.sum()
    shrink = NOISE @ inverse
    means = OBSERVED - np.einsum("nij,jk->nik", shrink, OBSERVED)
    mean = np.einsum("n,nik->ik", weight, means)
    own = NOISE - np.einsum("nij,jl->nil", shrink, NOISE)
    variance = np.einsum("n,nii->i", weight, own)[:, None] * (1 - 1 / SYSTEMS)
    return mean, variance + np.einsum("n,nik->ik", weight, (means - mean) ** 2)


def test_draws_are_those_of_the_posterior():
    drawn = draw_true_scores(*OBSERVED, noisy(40_000))
    drawn = drawn - drawn.mean(axis=2, keepdims=True)
    mean, variance = posterior_by_grid()
    np.testing.assert_allclose(drawn.mean(axis=1), mean, atol=0.02)
    np.testing.assert_allclose(drawn.var(axis=1), variance, rtol=0.06)
    assert np.abs(mean - OBSERVED).max() > 0.2  # there is something to shrink


def test_scores_without_noise_are_the_true_ones_ties_and_all():
    tied = np.array([1.0, 1.0, 2.0, 5.0, 4.0, 3.0, 7.0, 6.0])
    drawn = draw_true_scores(OBSERVED[0], tied, (noisy(300)[0], np.tile(tied, (300, 1))))
    np.testing.assert_allclose(drawn[1], np.tile(tied - tied.mean(), (300, 1)), atol=1e-12)
    assert (drawn[1, :, 0] == drawn[1, :, 1]).all()
    assert drawn[0].std(axis=0).min() > 0.1


def test_where_noise_is_small_the_draws_are_the_resamples_turned_about_the_scores():
    resampled = noisy(400, NOISE / 1e6)
    drawn = draw_true_scores(*OBSERVED, resampled)
    np.testing.assert_allclose(drawn, 2 * OBSERVED[:, None] - np.stack(resampled), atol=1e-5)


def test_units_and_levels_of_the_scores_do_not_matter():
    first, second = noisy(200)
    drawn = draw_true_scores(*OBSERVED, (first, second))
    other = draw_true_scores(1_000 * OBSERVED[0] + 5, OBSERVED[1], (1_000 * first + 5, second))
    np.testing.assert_allclose(other[0], 1_000 * drawn[0], rtol=1e-9)
    np.testing.assert_allclose(other[1], drawn[1], rtol=1e-9)


@pytest.mark.parametrize("systems", [LEAST_SYSTEMS, 4, 5])
@pytest.mark.parametrize("size", [1e-9, 0.1, 100.0])
def test_few_systems_and_any_noise_give_finite_draws(systems, size):
    first, second = (
        scores[:systems] + size * (side[:, :systems] - scores[:systems])
        for scores, side in zip(OBSERVED, noisy(300), strict=True)
    )
    drawn = draw_true_scores(OBSERVED[0, :systems], OBSERVED[1, :systems], (first, second))
    assert np.isfinite(drawn).all()
    assert (drawn.std(axis=2) > 0).all()


def test_sides_that_are_one_and_the_same_agree_in_every_draw():
    first, _ = noisy(200)
    drawn = draw_true_scores(OBSERVED[0], OBSERVED[0], (first, first))
    np.testing.assert_allclose(drawn[0], drawn[1], atol=1e-3)


@pytest.mark.parametrize("size", [1.0, 1e4])
def test_a_population_along_one_line_has_an_inverse_that_no_rounding_loses(size):
    """(I + v v')^-1 = I - v v' / (1 + v'v) (Sherman and Morrison): both sides of a table may vary as one."""
    v = size * np.random.default_rng(1).standard_normal((2, 200))
    whole = np.stack([v[0] ** 2, v[0] * v[1], v[1] ** 2])
    expected = np.array([[1.0], [0.0], [1.0]]) - whole / (1.0 + whole[0] + whole[2])
    np.testing.assert_allclose(_inverse_of_more(whole), expected, rtol=0, atol=1e-6)
    far = _inverse_of_more(1e18 * whole)
    assert ((far[0] >= 0) & (far[0] <= 1) & (far[2] >= 0) & (far[2] <= 1)).all()
