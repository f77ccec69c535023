"""What a section of a report's page is, and what several of them need."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from meta_eval.report.schema import Report
from meta_eval.report.tables.grid import Cell
from meta_eval.stats.table.resampled import RESAMPLED

SMALL = 0.005


@dataclass(frozen=True)
class Section:
    """One section: `anchor` is its address on the page, `title` its name in the page's navigation."""

    anchor: ClassVar[str]
    title: ClassVar[str] = ""

    @property
    def template(self) -> str:
        return f"reports/sections/{self.anchor.replace('-', '_')}.html"


def digits_for(values: Iterable[float | None]) -> int:
    """Decimals of a table of scores: three, or four where three would leave little of a small one."""
    return 4 if any(value is not None and 0 < abs(value) < SMALL for value in values) else 3


def footnotes(cells: Iterable[Cell]) -> dict[str, str]:
    """A letter for each reason why a cell has no number, in the order in which they are met."""
    reasons = dict.fromkeys(cell.reason for cell in cells if cell.value is None and cell.reason)
    return {reason: chr(ord("a") + number) for number, reason in enumerate(reasons)}


def about_intervals(report: Report) -> str:
    """What the intervals are about; empty without an inference."""
    return RESAMPLED[report.inference.options.resampled].about if report.inference else ""
