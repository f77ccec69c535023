"""What of a report each figure shows, as plain values; nothing here draws."""

from collections.abc import Sequence
from dataclasses import dataclass

from meta_eval.report.answer import measure_title
from meta_eval.report.cells import Certainties, Report, Row, coefficients_of_score, inference_of
from meta_eval.report.view import View
from meta_eval.scores.names import SCORES

Line = tuple[str, Sequence[tuple[float, float | None]]]
"""A title, and (x, y) with y None where there is no value."""

NO_SURROGATE = "no surrogate"


@dataclass(frozen=True)
class Point:
    """One system: its human score and its automatic one."""

    system: str
    human: float
    automatic: float


def scatter_points(report: Report, view: View) -> list[Point]:
    """The systems that have both scores."""
    human = _values(report, "human", view.surrogate, view.human)
    automatic = _values(report, "automatic", view.measure, view.kind)
    return [Point(system, human[system], automatic[system]) for system in human if system in automatic]


def _values(report: Report, side: str, measure: str, score: str) -> dict[str, float]:
    return {
        row["system"]: row["value"]
        for row in report["leaderboard"]
        if (row["side"], row["measure"], row["score"]) == (side, measure, score) and row["value"] is not None
    }


def scatter_titles(view: View) -> tuple[str, str]:
    """What the axes of the scatter plot show, human first."""
    better = "higher" if SCORES[view.kind].higher_is_better else "lower"
    return (
        f"Raters: {view.title}-HJ with {view.surrogate_title} ({better} is better)",
        f"Automatic: {view.title} by {view.measure_title} ({better} is better)",
    )


@dataclass(frozen=True)
class HeatSquare:
    """One coefficient of the heat map; `mark` stands behind its digits, a missing value is a dash."""

    measure: str
    surrogate: str
    value: float | None
    mark: str

    @property
    def text(self) -> str:
        return "–" if self.value is None else f"{self.value:.2f}{self.mark}".replace("-", "−")


def heat_squares(report: Report, view: View, coefficient: str) -> list[HeatSquare]:
    """Each measure with each surrogate, last with none; * beyond chance, † shared distances."""
    known = Certainties(inference_of(report))
    return [
        HeatSquare(
            measure_title(row["measure"]),
            measure_title(row["surrogate"]) if row["surrogate"] else NO_SURROGATE,
            row["estimate"],
            "*" * known.is_significant(row) + "†" * row["shared_input"],
        )
        for row in coefficients_of_score(report, view.kind)
        if row["coefficient"] == coefficient
    ]


@dataclass(frozen=True)
class ForestRow:
    """One coefficient with its interval, ceiling and adjusted p."""

    title: str
    estimate: float
    low: float | None
    high: float | None
    ceiling: float | None
    p_adjusted: float | None


def forest_rows(report: Report, view: View) -> list[ForestRow]:
    """Tau-b of each measure with the surrogate in view, best first."""
    cells = [
        cell
        for cell in inference_of(report).get("cells", [])
        if (cell["automatic"], cell["surrogate"], cell["coefficient"])
        == (view.kind, view.surrogate, "kendall")
        and cell["estimate"] is not None
    ]
    return [
        ForestRow(
            f"{measure_title(cell['measure'])}{'†' if cell['shared_input'] else ''}",
            cell["estimate"],
            cell["ci_low"],
            cell["ci_high"],
            cell["ceiling"],
            cell["p_adjusted"],
        )
        for cell in sorted(cells, key=lambda cell: -cell["estimate"])
    ]


@dataclass(frozen=True)
class StabilityRow:
    """One measure: tau-b of samples of the documents with the full ranking, by share; and delta."""

    measure: str
    delta: float | None
    shares: tuple[Row, ...]


def stability_rows(report: Report, view: View) -> list[StabilityRow]:
    return [
        StabilityRow(
            measure_title(row["measure"]),
            row["delta"],
            tuple(share for share in row["shares"] if share["coefficient"] == "kendall"),
        )
        for row in inference_of(report).get("stability", [])
        if row["score"] == SCORES[view.kind].studied
    ]


def stability_lines(report: Report, view: View) -> list[Line]:
    """Mean tau-b against the share of the documents, for each measure."""
    return [
        (row.measure, [(share["share"], share["mean"]) for share in row.shares])
        for row in stability_rows(report, view)
    ]


def ablation_lines(report: Report, view: View) -> list[Line]:
    """Tau-b against beta for each measure, with the surrogate in view; beta is PerSEval's alone."""
    lines: dict[str, list[tuple[float, float | None]]] = {}
    for row in inference_of(report).get("ablation", []):
        if (row["surrogate"], row["coefficient"]) == (view.surrogate, "kendall"):
            lines.setdefault(measure_title(row["measure"]), []).append((row["beta"], row["estimate"]))
    return list(lines.items())
