"""How sure the coefficients of a report are, for its page: rows of tables and of the forest plot."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from meta_eval.report.answer import measure_title
from survey_site.reports.plots import ForestRow
from survey_site.reports.presentation import View
from survey_site.reports.tables import COEFFICIENTS, Certainties, Result

Cell = Mapping[str, Any]
STUDIED = {"perseval": "perseval", "degress": "degress", "egises": "degress"}
"""EGISES is 1 - DEGRESS: both are equally stable."""


@dataclass(frozen=True)
class CertaintyRow:
    """One coefficient in the paper's scope and, where there is one, in the matched scope."""

    measure: str
    surrogate: str
    coefficient: str
    paper: Cell
    matched: Cell | None
    significant: bool


def inference_of(result: Result) -> Mapping[str, Any]:
    """Empty for reports that were made without one."""
    inference: Mapping[str, Any] = result.get("inference") or {}
    return inference


def resampled_of(result: Result) -> str:
    """What was drawn again and again; empty without an inference."""
    resampled: str = inference_of(result).get("options", {}).get("resampled", "")
    return resampled


def certainty_rows(result: Result, view: View) -> list[CertaintyRow]:
    """All coefficients of the score in view, those without a surrogate last."""
    inference = inference_of(result)
    matched = {_place(cell): cell for cell in inference.get("matched", [])}
    cells = [*inference.get("cells", []), *inference.get("bare", [])]
    known = Certainties(inference)
    return [
        CertaintyRow(
            measure_title(cell["measure"]),
            "none" if cell["surrogate"] is None else measure_title(cell["surrogate"]),
            COEFFICIENTS[cell["coefficient"]],
            cell,
            matched.get(_place(cell)),
            known.is_significant(cell),
        )
        for cell in cells
        if cell["automatic"] == view.kind
    ]


def forest_rows(result: Result, view: View) -> list[ForestRow]:
    """Tau-b of each measure with the surrogate in view, best first."""
    cells = [
        cell
        for cell in inference_of(result).get("cells", [])
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


def ablation_lines(result: Result, view: View) -> list[tuple[str, list[tuple[float, float | None]]]]:
    """Tau-b against beta for each measure, with the surrogate in view; beta is PerSEval's alone."""
    lines: dict[str, list[tuple[float, float | None]]] = {}
    for row in inference_of(result).get("ablation", []):
        if (row["surrogate"], row["coefficient"]) == (view.surrogate, "kendall"):
            lines.setdefault(measure_title(row["measure"]), []).append((row["beta"], row["estimate"]))
    return list(lines.items())


@dataclass(frozen=True)
class StabilityRow:
    """One measure: tau-b of samples of the documents with the full ranking, by share; and delta."""

    measure: str
    delta: float | None
    shares: tuple[Cell, ...]


def stability_rows(result: Result, view: View) -> list[StabilityRow]:
    return [
        StabilityRow(
            measure_title(row["measure"]),
            row["delta"],
            tuple(share for share in row["shares"] if share["coefficient"] == "kendall"),
        )
        for row in inference_of(result).get("stability", [])
        if row["score"] == STUDIED[view.kind]
    ]


def stability_systems(result: Result, view: View) -> list[Cell]:
    """Bias and variance of each system under the measure in view."""
    for row in inference_of(result).get("stability", []):
        if (row["score"], row["measure"]) == (STUDIED[view.kind], view.measure):
            systems: list[Cell] = row["systems"]
            return systems
    return []


@dataclass(frozen=True)
class StudyRow:
    """One line of a small table: what it is of, and its coefficients."""

    title: str
    values: tuple[Cell, ...]


def paradox_rows(result: Result) -> list[StudyRow]:
    rows = inference_of(result).get("paradox", [])
    return [StudyRow(measure_title(measure), tuple(own)) for measure, own in _by(rows, "measure")]


def aggregation_rows(result: Result, view: View) -> list[StudyRow]:
    """PerSEval by the measure in view with each accuracy measure, against the surrogate in view."""
    rows = [
        row
        for row in inference_of(result).get("aggregation", [])
        if (row["measure"], row["surrogate"]) == (view.measure, view.surrogate)
    ]
    return [StudyRow(measure_title(measure), tuple(own)) for measure, own in _by(rows, "accuracy")]


def _by(rows: Iterable[Cell], key: str) -> Sequence[tuple[str, list[Cell]]]:
    found: dict[str, list[Cell]] = {}
    for row in rows:
        found.setdefault(row[key], []).append(row)
    return list(found.items())


def _place(cell: Cell) -> tuple[str, str, str, str]:
    return cell["human"], cell["surrogate"], cell["measure"], cell["coefficient"]
