"""Variance components by restricted likelihood, and effects by the mixed-model equations."""

import numpy as np
import pytest

from meta_eval.errors import InputError
from meta_eval.stats.raters import components
from meta_eval.stats.raters.components import Component, estimate_effects, variance_components


def crossed(rows, columns):
    """Levels of a full table, one value a cell."""
    return np.repeat(np.arange(rows), columns), np.tile(np.arange(columns), rows)


def by_name(components):
    return {one.factor: one.variance for one in components}


@pytest.mark.parametrize("seed", range(3))
def test_of_a_full_table_they_are_those_of_the_analysis_of_variance(seed):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(7, 5)) + np.arange(7)[:, None] + 2 * rng.normal(size=5)
    row, column = crossed(7, 5)
    found = by_name(variance_components(table.ravel(), {"row": row, "column": column}))
    by_row = 5 * table.mean(axis=1).var(ddof=1)
    by_column = 7 * table.mean(axis=0).var(ddof=1)
    left = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    error = np.sum(left**2) / (6 * 4)
    wanted = {"row": (by_row - error) / 5, "column": (by_column - error) / 7, "residual": error}
    assert min(wanted.values()) > 0
    assert found == pytest.approx(wanted, rel=1e-3)


def restricted(variances, levels, values):
    """Minus twice the restricted log likelihood, from dense matrices."""
    n = len(values)
    v = variances["residual"] * np.eye(n)
    for name, of in levels.items():
        z = (np.array(of)[:, None] == np.unique(of)).astype(float)
        v += variances[name] * z @ z.T
    inverse, ones = np.linalg.inv(v), np.ones(n)
    information = ones @ inverse @ ones
    about = values - (ones @ inverse @ values) / information
    return np.linalg.slogdet(v)[1] + np.log(information) + about @ inverse @ about


@pytest.mark.parametrize("seed", range(3))
def test_no_other_variances_are_likelier(seed):
    """Two crossed factors and one nested in both, 60 % of the cells missing."""
    rng = np.random.default_rng(seed)
    row, column = (np.repeat(side, 2) for side in crossed(8, 9))
    kept = rng.random(len(row)) < 0.4
    levels = {
        name: of[kept].tolist()
        for name, of in {"row": row, "column": column, "cell": row * 9 + column}.items()
    }
    values = rng.normal(size=8)[row[kept]] + rng.normal(size=9)[column[kept]] + rng.normal(size=kept.sum())
    found = by_name(variance_components(values, levels))
    least = restricted(found, levels, values)
    for name in found:
        for factor in (0.8, 0.98, 1.02, 1.2):
            assert restricted(found | {name: found[name] * factor}, levels, values) >= least - 1e-6
        assert restricted(found | {name: found[name] + 0.02}, levels, values) > least
    assert restricted(found, levels, values + 5) == pytest.approx(least, abs=1e-6)


def test_neither_adding_a_constant_nor_renaming_levels_changes_them():
    rng = np.random.default_rng(3)
    values, row = rng.normal(size=20), rng.integers(4, size=20)
    first = by_name(variance_components(values, {"row": row.tolist()}))
    second = by_name(variance_components(values + 1000, {"row": [f"r{9 - one}" for one in row]}))
    assert first == pytest.approx(second, abs=1e-4)
    doubled = by_name(variance_components(2 * values, {"row": row.tolist()}))
    assert doubled == pytest.approx({name: 4 * value for name, value in first.items()}, abs=1e-4)


def test_a_factor_that_tells_no_more_than_another_is_left_out_with_a_reason():
    row = crossed(4, 3)[0]
    found = variance_components(
        np.arange(12.0) ** 1.5, {"row": row.tolist(), "again": (row + 5).tolist(), "each": list(range(12))}
    )
    again, each = found[1], found[2]
    for one in (again, each):
        assert (one.variance, one.share) == (None, None)
        assert one.reason == "it cannot be told apart from the other factors"
    assert [one.levels for one in found] == [4, 4, 12, 12]
    assert sum(one.share for one in found if one.share is not None) == pytest.approx(1.0)


def test_a_factor_that_adds_nothing_has_no_variance():
    found = variance_components([1.0, 2.0, 2.0, 1.0], {"row": [0, 0, 1, 1]})
    assert (found[0].variance, found[0].share) == (0.0, 0.0)
    assert found[1].variance == pytest.approx(1 / 3)


def test_without_factors_all_is_residual():
    (found,) = variance_components([1.0, 2.0, 4.0], {})
    assert (found.factor, found.variance, found.share) == ("residual", pytest.approx(7 / 3), 1.0)


def test_effects_solve_the_generalised_least_squares_of_dense_matrices():
    rng = np.random.default_rng(5)
    system, rater = rng.integers(3, size=40), rng.integers(6, size=40)
    page = rater * 10 + rng.integers(3, size=40)
    y = rng.normal(size=40)
    parts = [
        Component("rater", 0.7, None, 6),
        Component("page", 0.2, None, 9),
        Component("residual", 0.5, None, 40),
    ]
    means, effects = estimate_effects(
        y, system.tolist(), {"rater": rater.tolist(), "page": page.tolist()}, parts
    )

    x = (system[:, None] == np.arange(3)).astype(float)
    z = (rater[:, None] == np.arange(6)).astype(float)
    pages = (page[:, None] == np.unique(page)).astype(float)
    inverse = np.linalg.inv(0.7 * z @ z.T + 0.2 * pages @ pages.T + 0.5 * np.eye(40))
    beta = np.linalg.solve(x.T @ inverse @ x, x.T @ inverse @ y)
    predicted = 0.7 * z.T @ inverse @ (y - x @ beta)
    assert [means[at] for at in range(3)] == pytest.approx(beta.tolist(), abs=1e-7)
    assert [effects["rater"][at] for at in range(6)] == pytest.approx(predicted.tolist(), abs=1e-7)


def test_a_factor_without_variance_has_no_effects():
    parts = [Component("rater", 0.0, 0.0, 2), Component("residual", 1.0, 1.0, 4)]
    means, effects = estimate_effects([1.0, 2.0, 3.0, 4.0], "aabb", {"rater": "xyxy"}, parts)
    assert means == pytest.approx({"a": 1.5, "b": 3.5})
    assert effects == {"rater": {"x": 0.0, "y": 0.0}}


def test_what_cannot_be_estimated_is_refused(monkeypatch):
    with pytest.raises(InputError, match="fewer than two values have no variance"):
        variance_components([1.0], {})
    with pytest.raises(InputError, match="1 levels cannot be those of 2 values"):
        variance_components([1.0, 2.0], {"row": [0]})
    monkeypatch.setattr(components, "MOST_LEVELS", 2)
    with pytest.raises(InputError, match="3 levels of factors are too many; up to 2 are taken apart"):
        variance_components(np.arange(9.0), {"row": list("aaabbbccc"), "column": list("xyzxyzxyz")})
    with pytest.raises(InputError, match="nothing is left for the residual"):
        estimate_effects([1.0, 2.0], "ab", {}, [Component("residual", 0.0, 0.0, 2)])
