"""The other studies of the PerSEval paper, on this corpus, as tables of the PDF."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from meta_eval.publish.figures.rows import StabilityRow, stability_rows
from meta_eval.report.answer import measure_title
from meta_eval.report.cells import Report, Row, inference_of
from meta_eval.report.view import COEFFICIENTS, View


@dataclass(frozen=True, slots=True)
class Study:
    """One table: its title, what it shows, and text for every cell."""

    title: str
    note: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


def studies(report: Report, view: View) -> Iterator[Study]:
    """Stability, paradox and aggregation; the last with measure and surrogate of the view."""
    for kind in ("perseval", "degress"):
        yield _stability(report, replace(view, kind=kind))
    yield _paradox(inference_of(report).get("paradox") or ())
    yield _aggregation(report, view)


def _stability(report: Report, view: View) -> Study:
    rows = stability_rows(report, view)
    shares = rows[0].shares if rows else ()
    return Study(
        f"Stability of {view.title}",
        "Kendall’s τ-b of the ranking by samples of the documents with the full ranking: mean (lowest to "
        "highest). Delta: the larger of the greatest bias and variance of a system.",
        ["Measure", *(f"{share['share']:.0%} ({share['documents']})" for share in shares), "Delta"],
        [_stability_line(row) for row in rows],
    )


def _stability_line(row: StabilityRow) -> list[str]:
    delta = "none" if row.delta is None else f"{row.delta:.2g}"
    return [row.measure, *map(_spread, row.shares), delta]


def _spread(share: Row) -> str:
    if share["mean"] is None:
        return "none"
    return f"{share['mean']:.2f} ({share['minimum']:.2f} to {share['maximum']:.2f})"


def _paradox(found: Sequence[Row]) -> Study:
    coefficients = list(dict.fromkeys(row["coefficient"] for row in found))
    by_measure: dict[str, dict[str, Row]] = {}
    for row in found:
        by_measure.setdefault(row["measure"], {})[row["coefficient"]] = row
    return Study(
        "Paradox: DEGRESS against PerSEval",
        "How alike both rank the systems by a measure; below 1 the penalty for accuracy changes ranks.",
        ["Measure", *(COEFFICIENTS[name] for name in coefficients)],
        [
            [measure_title(measure), *(_number(own[name], "estimate") for name in coefficients)]
            for measure, own in by_measure.items()
        ],
    )


def _aggregation(report: Report, view: View) -> Study:
    found = [
        row
        for row in inference_of(report).get("aggregation") or ()
        if (row["measure"], row["surrogate"], row["coefficient"]) == (view.measure, view.surrogate, "kendall")
    ]
    return Study(
        f"Aggregation: PerSEval by {view.measure_title} with an accuracy measure",
        f"Kendall’s τ-b with PerSEval-HJ by {view.surrogate_title}: of each alone, and of both together "
        "(Borda-Kendall).",
        ["Accuracy by", "PerSEval alone", "Accuracy alone", "Together"],
        [[measure_title(row["accuracy"]), *(_number(row, name) for name in _JOINED)] for row in found],
    )


_JOINED = ("metric", "accuracy_alone", "combined")


def _number(row: Mapping[str, float | None], name: str) -> str:
    value = row[name]
    return "none" if value is None else f"{value:.2f}"
