"""The tables that ask whether a coefficient holds: every number in its place, with reasons."""

import html

import pytest
from django.urls import reverse

from meta_eval.report.robustness import family_table, interval_rows, left_out_table, level_table
from meta_eval.report.tables.grid import Cell
from meta_eval.report.view import choose_view
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


def in_view(report, part, view):
    return [
        row
        for row in report.result["inference"][part]
        if (row["automatic"], row["surrogate"]) == (view.kind, view.surrogate)
    ]


def test_families_stand_beside_all_systems(report):
    view = choose_view(report.result, {"score": "degress", "surrogate": "jsd"})
    table = family_table(report.result, view)
    assert table.columns == ("All systems", "the first", "other systems")
    names = list(report.batch.systems.order_by("position").values_list("name", flat=True))
    assert table.members == {"the first": names[:1], "other systems": names[1:]}
    assert [table.count(column) for column in range(3)] == [str(len(names)), "1", str(len(names) - 1)]
    pooled, within = in_view(report, "cells", view), in_view(report, "families", view)
    assert [row.cells[0]["estimate"] for row in table.rows] == [cell["estimate"] for cell in pooled]
    assert [cell for row in table.rows for cell in row.cells[1:]] == [
        cell
        for one in pooled
        for cell in within
        if (cell["measure"], cell["coefficient"]) == (one["measure"], one["coefficient"])
    ]
    assert {cell["reason"] for cell in within if cell["family"] == "the first"} == {
        "1 system of this family, at least 3 are needed"
    }


def test_levels_stand_side_by_side(report):
    view = choose_view(report.result, {"score": "egises"})
    table = level_table(report.result, view)
    rows = in_view(report, "levels", view)
    assert table.columns == ("Systems", "Within documents", "Reader pairs")
    assert [cell for row in table.rows for cell in row.cells if cell] == rows
    assert [row.cells[2] for row in table.rows if row.coefficient == "Pairwise accuracy"] == [None, None]


def test_both_intervals_stand_beside_the_one_used(report):
    view = choose_view(report.result, {"score": "degress"})
    rows = interval_rows(report.result, view)
    assert [row.cells[0] for row in rows] == in_view(report, "cells", view)
    assert [row.cells[1] for row in rows] == in_view(report, "interval_methods", view)


def test_every_system_is_left_out_in_a_column_of_its_own(report):
    view = choose_view(report.result, {"score": "degress"})
    table = left_out_table(report.result, view)
    rows = in_view(report, "left_out_systems", view)
    assert table.columns == ("All", *(one["system"] for one in rows[0]["systems"]))
    assert [list(row.cells) for row in table.rows] == [[row, *row["systems"]] for row in rows]


def test_the_page_shows_them_and_says_what_intervals_are_about(report, researcher_client):
    response = researcher_client.get(reverse("reports:detail", args=[report.pk]) + "?score=degress")
    text = html.unescape(response.content.decode())
    for title in (
        "Within families of systems",
        "By system, document and reader pair",
        "Percentile beside BCa",
        "Without each system",
    ):
        assert title in text
    assert "Intervals: about other documents of this kind, with the same systems." in text
    assert "1 system of this family, at least 3 are needed" in text


@pytest.mark.parametrize("resampled", ["systems", "raters", "raters within documents"])
def test_a_report_may_resample_systems_or_raters(resampled, researcher_client):
    report = make_report(resampled=resampled)
    assert report.result["inference"]["problems"] == []
    assert {cell["ci_over"] for cell in report.result["inference"]["cells"]} == {resampled}
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
    report.save()
    response = researcher_client.get(reverse("reports:detail", args=[report.pk]))
    text = html.unescape(response.content.decode())
    assert ("intervals of Spearman’s ρ and Kendall’s τ may be too narrow" in text) == narrow
    assert ("so one of noisy scores may lie at the lower end of its interval" in text) == narrow
    assert ("these intervals are a little too wide" in text) == wide
    assert ("intervals of Pearson’s r are a little too narrow" in text) == (resampled == "raters")
    assert ("intervals of Spearman’s ρ are too narrow" in text) == (resampled == "systems")


def test_a_report_without_an_inference_has_none_of_them(report):
    view = choose_view(report.result, {})
    bare = {**report.result, "inference": None}
    assert (family_table(bare, view).rows, level_table(bare, view).rows) == ((), ())
    assert (interval_rows(bare, view), left_out_table(bare, view).rows) == ([], ())


def test_the_pairwise_accuracy_is_the_last_heat_table(report, researcher_client):
    text = researcher_client.get(
        reverse("reports:detail", args=[report.pk]) + "?score=degress"
    ).content.decode()
    assert text.rindex('id="heat-pairwise-accuracy"') > text.rindex('id="heat-pearson"')


def test_intervals_are_named_in_words():
    assert interval_method("hierarchical") == "hierarchical model"
    assert interval_method("percentile") == "percentile"
    assert interval(Cell(kind="interval", low=-0.5, high=0.25)) == "−0.50 to 0.25"
