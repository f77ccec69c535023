"""Texts in CSV files that people open in a spreadsheet, which would take some of them for formulas."""

import csv
from collections.abc import Iterable, Sequence
from types import SimpleNamespace
from typing import Any

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula (OWASP, CSV injection)."""
_MARK = "'"
_ENDS = "\r\n"


def mark_text(value: Any) -> Any:
    """The text with an apostrophe in front if a spreadsheet would compute it; all other values as they are.

    Numbers stay numbers, as texts too. What already has the mark gets another one, so that `unmark_text`
    gives back every text.

    Examples
    --------
    >>> [mark_text(value) for value in ("=1+1", "'=1+1", "'quoted'", "-0.5", -0.5)]
    ["'=1+1", "''=1+1", "'quoted'", '-0.5', -0.5]
    """
    return f"{_MARK}{value}" if isinstance(value, str) and _is_formula(value.lstrip(_MARK)) else value


def unmark_text(cell: str) -> str:
    """The text that `mark_text` was given.

    Examples
    --------
    >>> [unmark_text(cell) for cell in ("'=1+1", "''=1+1", "'quoted'", "-0.5")]
    ['=1+1', "'=1+1", "'quoted'", '-0.5']
    """
    return cell[1:] if cell.startswith(_MARK) and _is_formula(cell.lstrip(_MARK)) else cell


def _is_formula(text: str) -> bool:
    if not text.startswith(FORMULA_STARTS):
        return False
    try:
        float(text)
    except ValueError:
        return True
    return False


def csv_text(lines: Iterable[Sequence[Any]]) -> str:
    """Lines of cells as CSV, each text marked where it needs to be.

    Lines end in a line feed. A cell with a line end of any kind is quoted, as Python's writer does only for
    the kind that it ends its own lines with.
    """
    written: list[str] = []
    rows = SimpleNamespace(write=lambda row: written.append(f"{row.removesuffix(_ENDS)}\n"))
    csv.writer(rows, lineterminator=_ENDS).writerows(map(mark_text, cells) for cells in lines)
    return "".join(written)
