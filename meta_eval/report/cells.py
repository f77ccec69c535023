"""The coefficients of a report with all that is known of each."""

from collections.abc import Mapping
from typing import Any

Row = Mapping[str, Any]
Report = Mapping[str, Any]


def inference_of(report: Report) -> Mapping[str, Any]:
    """Empty for reports that were made without one."""
    inference: Mapping[str, Any] = report.get("inference") or {}
    return inference


def coefficients_of_score(report: Report, kind: str) -> list[Row]:
    """The correlations of a score, last those with the bare ratings, whose surrogate is ""."""
    bare = [{**cell, "surrogate": ""} for cell in inference_of(report).get("bare", [])]
    return [row for row in (*report["correlations"], *bare) if row["automatic"] == kind]


class Certainties:
    """The cells of an inference by the coefficient that they are about."""

    def __init__(self, inference: Mapping[str, Any]) -> None:
        self._cells = {
            _place(cell): cell for cell in (*inference.get("cells", []), *inference.get("bare", []))
        }
        self._alpha = inference["options"]["alpha"] if inference else 0.0

    def of(self, row: Row) -> Row | None:
        return self._cells.get(_place(row))

    def is_significant(self, row: Row) -> bool:
        """Beyond chance after adjustment over the table."""
        cell = self.of(row)
        return cell is not None and cell["p_adjusted"] is not None and cell["p_adjusted"] < self._alpha


def _place(row: Row) -> tuple[str, str, str, str]:
    return row["automatic"], row["surrogate"] or "", row["measure"], row["coefficient"]
