"""How sure the coefficients of a report are, for its page: rows of its tables."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from meta_eval.report.answer import measure_title
from meta_eval.report.cells import Certainties, inference_of
from meta_eval.report.view import COEFFICIENTS, View
from meta_eval.scores.names import SCORES
from survey_site.reports.tables import Result

Cell = Mapping[str, Any]


@dataclass(frozen=True)
class CertaintyRow:
    """One coefficient in the paper's scope and, where there is one, in the matched scope."""

    measure: str
    surrogate: str
    coefficient: str
    paper: Cell
    matched: Cell | None
    significant: bool


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


def stability_systems(result: Result, view: View) -> list[Cell]:
    """Bias and variance of each system under the measure in view."""
    for row in inference_of(result).get("stability", []):
        if (row["score"], row["measure"]) == (SCORES[view.kind].studied, view.measure):
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
