"""A coefficient of the registry is everywhere: on the command line, in forms, titles, LaTeX and figures."""

import re
from typing import get_args

import numpy as np
import pytest
from typer.testing import CliRunner

from meta_eval.cli import app
from meta_eval.publish.figures.drawing import FIGURES
from meta_eval.publish.latex import COEFFICIENTS as IN_LATEX
from meta_eval.publish.long_form import EXPORT_COLUMNS
from meta_eval.report.tables.coefficients import heat_step
from meta_eval.report.view import COEFFICIENTS as ON_PAGES
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.coefficients.families import pool_within_families
from meta_eval.stats.coefficients.registry import (
    ALL_COEFFICIENTS,
    AS_SHOWN,
    COEFFICIENTS,
    MORE_COEFFICIENTS,
    REGISTRY,
    Coefficient,
)
from meta_eval.stats.coefficients.rows import correlate_rows
from meta_eval.stats.significance.permutation import correlation_p_value
from meta_eval.stats.table.resampled import INTERVALS
from survey_site.reports.forms import ReportForm


def test_each_coefficient_has_one_row():
    assert get_args(Coefficient) == ALL_COEFFICIENTS == (*COEFFICIENTS, *MORE_COEFFICIENTS)
    assert sorted(AS_SHOWN) == sorted(ALL_COEFFICIENTS)
    for text in ("title", "latex", "plain"):
        assert len({getattr(info, text) for info in REGISTRY.values()}) == len(REGISTRY)
    assert all(REGISTRY[name].explained for name in MORE_COEFFICIENTS)


@pytest.mark.parametrize("command", ["correlate", "compare", "report"])
def test_the_command_line_offers_each_coefficient(command):
    shown = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "300"}).output
    offered = re.search(r"--coefficient <(?:list\[)?([a-z|-]+)", shown)
    assert offered is not None
    assert tuple(offered[1].split("|")) == ALL_COEFFICIENTS


def test_the_form_offers_each_coefficient_that_is_not_in_every_table():
    field = ReportForm.base_fields["coefficients"]
    assert field.choices == [(name, REGISTRY[name].explained) for name in MORE_COEFFICIENTS]
    assert all(REGISTRY[name].title in field.help_text for name in COEFFICIENTS)


def test_pages_latex_figures_and_files_name_each_coefficient():
    assert [*ON_PAGES.items()] == [(name, REGISTRY[name].title) for name in AS_SHOWN]
    assert [*IN_LATEX.items()] == [(name, REGISTRY[name].latex) for name in AS_SHOWN]
    assert {f"heat-map-{name}" for name in ALL_COEFFICIENTS} <= set(FIGURES)
    explained = EXPORT_COLUMNS["correlations.csv"]["coefficient"]
    assert all(name in explained for name in ALL_COEFFICIENTS)
    assert all(set(intervals) == set(ALL_COEFFICIENTS) for intervals in INTERVALS.values())


@pytest.mark.parametrize("coefficient", ALL_COEFFICIENTS)
def test_each_coefficient_lies_in_its_range_and_by_chance_where_it_says(coefficient):
    info, rng = REGISTRY[coefficient], np.random.default_rng(7)
    x, y = rng.standard_normal((2, 2_000, 10))
    by_chance = correlate_rows(x, y, coefficient)
    assert ((by_chance >= info.lowest) & (by_chance <= info.highest)).all()
    assert by_chance.mean() == pytest.approx(info.chance, abs=0.02)
    same, turned = correlate_rows(x[:5], x[:5], coefficient), correlate_rows(x[:5], -x[:5], coefficient)
    np.testing.assert_allclose(same, info.highest, atol=1e-12)
    np.testing.assert_allclose(turned, info.lowest, atol=1e-12)


@pytest.mark.parametrize("coefficient", ALL_COEFFICIENTS)
def test_a_constant_side_has_the_value_that_the_registry_says_wherever_it_is_computed(coefficient):
    human, constant = [1.0, 2.0, 2.0], [0.7, 0.7, 0.7]
    wanted = 1 / 3 if REGISTRY[coefficient].of_constant else None  # people tie one of three pairs, too
    by_row = correlate_rows(np.array([human]), np.array(constant), coefficient).tolist()
    pooled = pool_within_families(human, constant, coefficient, families="aaa").estimate
    found = [
        correlate(human, constant, coefficient).estimate,
        None if np.isnan(by_row[0]) else by_row[0],
        pooled,
    ]
    assert found == [wanted and pytest.approx(wanted)] * 3
    p = correlation_p_value(human, constant, coefficient, rng=np.random.default_rng(0)).p
    assert p == (1.0 if REGISTRY[coefficient].of_constant else None)


@pytest.mark.parametrize("coefficient", ALL_COEFFICIENTS)
def test_heat_maps_run_from_the_lowest_over_chance_to_the_highest(coefficient):
    info = REGISTRY[coefficient]
    assert [heat_step(value, coefficient) for value in (info.lowest, info.chance, info.highest)] == [0, 5, 10]
