"""What the templates of one report are given."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from meta_eval.publish.figures import rows
from meta_eval.publish.figures.drawing import FIGURES
from meta_eval.report import robustness
from meta_eval.report.answer import measure_title
from meta_eval.report.beside import lay_out
from meta_eval.report.cells import inference_of
from meta_eval.report.certainty import ABOUT
from meta_eval.report.view import KINDS, View, choose_view, measures_of
from meta_eval.stats.raters.agreement import CATEGORIES
from survey_site.reports import certainty
from survey_site.reports.models import Report
from survey_site.reports.presentation import coefficients_of, list_signatures
from survey_site.reports.queries import list_parts
from survey_site.reports.tables import build_accuracies, build_heat_tables, build_leaderboard, digits_for

WAITING_LONG = timedelta(seconds=20)
PAGE_FIGURES = ("scatter", "forest", "stability", "ablation")
"""Of the figures those that the page draws; its heat maps are tables."""


def running_page(report: Report, *, now: datetime) -> dict[str, Any]:
    """A report that waits, is at work, or failed."""
    parts = list_parts(report)
    share = (sum(part.share for part in parts) + report.inference_share) / (len(parts) + 1)
    return {
        "report": report,
        "parts": parts,
        "percent": int(100 * share),
        "waits_long": report.is_waiting and now - report.waits_since > WAITING_LONG,
    }


def finished_page(report: Report, query: Mapping[str, str]) -> dict[str, Any]:
    """The report as its reader wants to see it: `query` chooses score, measure, surrogate and order."""
    result: dict[str, Any] = report.result or {}
    view = choose_view(result, query)
    tables, notes = build_heat_tables(result, view.kind)
    points = rows.scatter_points(result, view)
    human_title, automatic_title = rows.scatter_titles(view)
    return {
        "report": report,
        "result": result,
        "withdrawn_since": report.rating_set.withdrawn,
        "view": view,
        "kinds": KINDS.items(),
        "measures": [(measure, measure_title(measure)) for measure in measures_of(result, "automatic")],
        "surrogates": [(measure, measure_title(measure)) for measure in measures_of(result, "human")],
        "leaderboard": build_leaderboard(result, view.kind, sort=view.sort),
        "accuracies": build_accuracies(result),
        "heat_tables": tables,
        "heat_notes": notes,
        "has_shared": any(cell.shared for table in tables for row in table.rows for cell in row.cells),
        "has_significant": any(
            cell.significant for table in tables for row in table.rows for cell in row.cells
        ),
        "heat_steps": range(11),
        "points": points,
        "digits": digits_for(value for point in points for value in (point.human, point.automatic)),
        "human_title": human_title,
        "automatic_title": automatic_title,
        "coefficients": coefficients_of(result, view),
        "signatures": list_signatures(result),
        "published": [part for table in result.get("published", []) for part in lay_out(table)],
        "left_out": [row for row in result["left_out"] if row["count"]],
        "nothing_left_out": [row for row in result["left_out"] if not row["count"]],
        **_inference(result, view),
    }


def _inference(result: dict[str, Any], view: View) -> dict[str, Any]:
    """How sure the numbers are, and what else was asked of them."""
    return {
        "inference": inference_of(result),
        "rating_steps": CATEGORIES,
        "measure_title": view.measure_title,
        "surrogate_title": view.surrogate_title,
        "certainty_rows": certainty.certainty_rows(result, view),
        "resampled_about": ABOUT.get(certainty.resampled_of(result), ""),
        "families": robustness.family_table(result, view),
        "levels": robustness.level_table(result, view),
        "interval_rows": robustness.interval_rows(result, view),
        "left_out_systems": robustness.left_out_table(result, view),
        "forest_rows": rows.forest_rows(result, view),
        "stability_rows": rows.stability_rows(result, view),
        "stability_systems": certainty.stability_systems(result, view),
        "paradox_rows": certainty.paradox_rows(result),
        "aggregation_rows": certainty.aggregation_rows(result, view),
        "ablation_lines": rows.ablation_lines(result, view),
        **{f"{name}_chart": FIGURES[name](result, view) for name in PAGE_FIGURES},
    }
