"""The tables that ask whether a coefficient holds: every number in its place, with reasons."""

import html
from dataclasses import replace

import pytest
from django.urls import reverse

from meta_eval.report.shared import NOT_SHUFFLED
from meta_eval.report.tables.grid import Cell
from meta_eval.report.tables.robustness import (
    lay_out_families,
    lay_out_interval_methods,
    lay_out_left_out,
    lay_out_levels,
)
from meta_eval.report.view import choose_view
from survey_site.reports.sections.background import robustness
from survey_site.reports.templatetags.report_numbers import interval, interval_method
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("made_once")]


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(make_robust_report)


def make_robust_report():
    """With a family of systems and a coefficient more."""
    batch = make_rated_batch()
    first = batch.systems.order_by("position").first().name
    return make_report(
        batch=batch,
        surrogates=["rouge-l", "jsd"],
        families=[f"the first = {first}"],
        coefficients=["pairwise-accuracy"],
    )


def in_view(rows, view):
    return [row for row in rows if (row.automatic, row.surrogate) == (view.kind, view.surrogate)]


def rows_of(grid):
    return [cell.row for cell in grid.cells]


def test_families_stand_beside_all_systems(report):
    result = report.read()
    view = choose_view(result, {"score": "degress", "surrogate": "jsd"})
    grid = lay_out_families(result, view)
    assert [column.title for column in grid.columns] == ["All systems", "the first", "other systems"]
    names = tuple(report.batch.systems.order_by("position").values_list("name", flat=True))
    assert [column.members for column in grid.columns] == [(), names[:1], names[1:]]
    assert [column.note for column in grid.columns] == [
        f"n = {len(systems)}" for systems in (names, names[:1], names[1:])
    ]
    pooled, within = in_view(result.correlations, view), in_view(result.inference.families, view)
    assert [line.cells[0].row for line in grid.lines] == pooled
    assert [cell.row for line in grid.lines for cell in line.cells[1:]] == [
        row
        for one in pooled
        for row in within
        if (row.measure, row.coefficient) == (one.measure, one.coefficient)
    ]
    assert {row.reason for row in within if row.family == "the first"} == {
        "1 system of this family, at least 3 are needed"
    }


def test_levels_stand_side_by_side(report):
    result = report.read()
    view = choose_view(result, {"score": "egises"})
    grid = lay_out_levels(result, view)
    assert [column.title for column in grid.columns] == [
        "Systems",
        "Within documents",
        "Within systems",
        "Reader pairs",
    ]
    assert [row for row in rows_of(grid) if row] == in_view(result.inference.levels, view)
    accuracies = [line for line in grid.lines if line.heads[0] == "Pairwise accuracy"]
    assert [line.cells[2].row for line in accuracies] == [None, None]


def test_both_intervals_stand_beside_the_one_used(report):
    result = report.read()
    view = choose_view(result, {"score": "degress"})
    lines = lay_out_interval_methods(result, view).lines
    assert [line.cells[1].row for line in lines] == in_view(result.correlations, view)
    both = in_view(result.inference.interval_methods, view)
    assert [(line.cells[2].row, line.cells[3].row) for line in lines] == [(row, row) for row in both]


def test_every_system_is_left_out_in_a_column_of_its_own(report):
    result = report.read()
    view = choose_view(result, {"score": "degress"})
    grid = lay_out_left_out(result, view)
    rows = in_view(result.inference.left_out_systems, view)
    assert [column.title for column in grid.columns] == ["All", *(one.system for one in rows[0].systems)]
    assert [[cell.row for cell in line.cells] for line in grid.lines] == [[row, *row.systems] for row in rows]


def test_the_page_shows_them_and_says_what_intervals_are_about(report, researcher_client):
    response = researcher_client.get(reverse("reports:detail", args=[report.pk]) + "?score=degress")
    text = html.unescape(response.content.decode())
    for title in (
        "Within families of systems",
        "By system, document and reader pair",
        "Percentile beside BCa",
        "Without each system",
        "Length of the summary",
        "Penalty EDP alone, Jensen-Shannon",
        "Random scores, 95 % quantile",
    ):
        assert title in text
    assert "Intervals: about other documents of this kind, with systems like these." in text
    assert "1 system of this family, at least 3 are needed" in text
    # once below levels and systems left out, once below each further question
    assert text.count(NOT_SHUFFLED) >= 5


@pytest.mark.parametrize("resampled", ["systems", "raters", "raters within documents"])
def test_a_report_may_resample_systems_or_raters(resampled, researcher_client):
    report = make_report(resampled=resampled)
    assert report.result["inference"]["problems"] == []
    assert {cell["ci_over"] for cell in report.result["correlations"]} == {resampled}
    assert researcher_client.get(report.get_absolute_url()).status_code == 200


@pytest.mark.parametrize(
    ("resampled", "narrow", "wide"),
    [
        ("documents", True, False),
        ("raters", True, False),
        ("raters within documents", True, True),
        ("systems", False, False),
        ("documents and systems", False, False),
    ],
)
def test_the_page_says_where_intervals_do_not_hold(resampled, narrow, wide, report, researcher_client):
    report.result["inference"]["options"]["resampled"] = resampled
    report.result["inference"]["limits"] = []  # as an older report, which stored none
    if not narrow:
        for row in report.result["correlations"]:
            row["ci_method"] = "fisher" if resampled == "systems" else "bca"
    report.save()
    response = researcher_client.get(reverse("reports:detail", args=[report.pk]))
    text = html.unescape(response.content.decode())
    assert ("for one set whose true scores nearly tie, those of ranks hold less often" in text) == narrow
    assert ("each family of systems has a mean, a spread and a noise of its own" in text) == narrow
    assert ("so that one of noisy scores may lie at the lower end of its interval" in text) == narrow
    assert ("these intervals are a little too wide" in text) == wide
    assert ("intervals of Pearson's r are a little too narrow" in text) == (resampled == "raters")
    assert ("intervals of Spearman's rho are too narrow" in text) == (resampled == "systems")


def test_a_report_without_an_inference_has_none_of_them(report):
    bare = replace(report.read(), inference=None)
    assert robustness(bare, choose_view(bare, {})) is None


def test_the_pairwise_accuracy_is_the_last_heat_table(report, researcher_client):
    text = researcher_client.get(
        reverse("reports:detail", args=[report.pk]) + "?score=degress"
    ).content.decode()
    assert text.rindex('id="heat-pairwise-accuracy"') > text.rindex('id="heat-pearson"')


def test_intervals_are_named_in_words():
    assert interval_method("hierarchical") == "hierarchical model"
    assert interval_method("percentile") == "percentile"
    assert interval(Cell(kind="interval", low=-0.5, high=0.25)) == "−0.50 to 0.25"
