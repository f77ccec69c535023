"""What the templates of one report are given."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from meta_eval.agreement import CATEGORIES
from meta_eval.report.answer import measure_title
from meta_eval.report.certainty import ABOUT
from survey_site.reports import certainty, robustness
from survey_site.reports.charts import scatter_svg
from survey_site.reports.models import Report
from survey_site.reports.plots import forest_svg, lines_svg
from survey_site.reports.presentation import (
    KINDS,
    View,
    choose_view,
    coefficients_of,
    list_signatures,
    measures_of,
    scatter_points,
)
from survey_site.reports.queries import list_parts
from survey_site.reports.tables import build_accuracies, build_heat_tables, build_leaderboard, digits_for

WAITING_LONG = timedelta(seconds=20)


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
    points = scatter_points(result, view)
    human_title, automatic_title = axis_titles(view)
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
        "chart": scatter_svg(points, human_title, automatic_title) if points else "",
        "human_title": human_title,
        "automatic_title": automatic_title,
        "coefficients": coefficients_of(result, view),
        "signatures": list_signatures(result),
        "published": result.get("published", []),
        "left_out": [row for row in result["left_out"] if row["count"]],
        "nothing_left_out": [row for row in result["left_out"] if not row["count"]],
        **_inference(result, view),
    }


def _inference(result: dict[str, Any], view: View) -> dict[str, Any]:
    """How sure the numbers are, and what else was asked of them."""
    return {
        "inference": certainty.inference_of(result),
        "rating_steps": CATEGORIES,
        "measure_title": measure_title(view.measure),
        "surrogate_title": measure_title(view.surrogate),
        "certainty_rows": certainty.certainty_rows(result, view),
        "resampled_about": ABOUT.get(certainty.resampled_of(result), ""),
        "families": robustness.family_table(result, view),
        "levels": robustness.level_table(result, view),
        "interval_rows": robustness.interval_rows(result, view),
        "left_out_systems": robustness.left_out_table(result, view),
        "forest_rows": certainty.forest_rows(result, view),
        "stability_rows": certainty.stability_rows(result, view),
        "stability_systems": certainty.stability_systems(result, view),
        "paradox_rows": certainty.paradox_rows(result),
        "aggregation_rows": certainty.aggregation_rows(result, view),
        "ablation_lines": certainty.ablation_lines(result, view),
        **{f"{name}_chart": draw(result, view) for name, draw in FIGURES.items()},
    }


def draw_forest(result: dict[str, Any], view: View) -> str:
    title = f"Kendall’s τ-b of {view.title} with {view.title}-HJ by {measure_title(view.surrogate)}"
    return forest_svg(certainty.forest_rows(result, view), title)


def draw_stability(result: dict[str, Any], view: View) -> str:
    lines = [
        (row.measure, [(share["share"], share["mean"]) for share in row.shares])
        for row in certainty.stability_rows(result, view)
    ]
    return lines_svg(lines, "Share of the documents", "Mean τ-b with the full ranking", "%")


def draw_ablation(result: dict[str, Any], view: View) -> str:
    title = f"τ-b with PerSEval-HJ by {measure_title(view.surrogate)}"
    return lines_svg(certainty.ablation_lines(result, view), "Beta", title, ".1f")


FIGURES: dict[str, Callable[[dict[str, Any], View], str]] = {
    "forest": draw_forest,
    "stability": draw_stability,
    "ablation": draw_ablation,
}
"""The figures that rest on the inference, by name."""


def axis_titles(view: View) -> tuple[str, str]:
    """What the axes of the scatter plot show, human first."""
    better = "lower" if view.kind == "egises" else "higher"
    return (
        f"Raters: {view.title}-HJ with {measure_title(view.surrogate)} ({better} is better)",
        f"Automatic: {view.title} by {measure_title(view.measure)} ({better} is better)",
    )
