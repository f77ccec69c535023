"""What a cell of a spreadsheet, Parquet table or data frame holds, and where no text can come of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

ERRORS = frozenset(
    (
        *("#NAME?", "#REF!", "#VALUE!", "#DIV/0!", "#NULL!", "#NUM!", "#N/A", "#SPILL!", "#CALC!", "#FIELD!"),
        *("#BLOCKED!", "#UNKNOWN!", "#CONNECT!", "#GETTING_DATA", "#BUSY!", "#EXTERNAL!", "#PYTHON!"),
    )
)
"""What a spreadsheet shows where a formula failed; a text that begins with =, - or + becomes #NAME?."""
_MOST_DIGITS = 1e15
"""From here on a spreadsheet does not keep a number's last digits."""
HELP = "format the column as text and enter it again"


@dataclass(frozen=True, slots=True)
class Kinds:
    """Which columns of a table hold texts, where every cell must be one, and which hold names.

    A name may be a number, which is written without a decimal point where it is whole.
    """

    texts: Sequence[str] = ()
    names: Sequence[str] = ()

    def problem(self, column: str, value: Any, place: str) -> str | None:
        """What is wrong with a cell, and where it stands; None where nothing is, or in other columns."""
        if column not in self.texts and column not in self.names:
            return None
        if isinstance(value, str):
            found = value.strip()
            said = f"the error {found}" if found in ERRORS else ""
        else:
            said = _kind_problem(value, is_text=column in self.texts)
        return f"{place} is {said} where a text must stand: {HELP}" if said else None

    def problems(self, row: Mapping[str, Any]) -> Iterator[str]:
        """What is wrong with the cells of a row, each with its column."""
        for column in (*self.texts, *self.names):
            if column in row and (problem := self.problem(column, row[column], f"column {column}")):
                yield problem


NO_KINDS = Kinds()


def cell_text(value: Any) -> str:
    """A cell of a data frame or spreadsheet as it would stand in a CSV; empty for what is missing.

    Examples
    --------
    >>> [cell_text(value) for value in (3.0, 2.5, "rain", None, float("nan"), True)]
    ['3', '2.5', 'rain', '', '', 'true']
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value
    if is_missing(value):
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def is_missing(value: Any) -> bool:
    """None, pandas' NA, and NaN and NaT, which are not equal to themselves."""
    if value is None or type(value).__name__ == "NAType":
        return True
    return isinstance(value, float | datetime) and value != value  # noqa: PLR0124


def _kind_problem(value: Any, *, is_text: bool) -> str:
    """What a value that is no text is, where it cannot stand; empty where it can."""
    if is_missing(value):
        return ""
    if isinstance(value, date | time | timedelta):
        return f"a date or a time ({value})"
    if type(value).__name__ in {"bool", "bool_"}:
        return f"a truth value ({str(value).upper()})"
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return f"a value of the kind {type(value).__name__}"
    if is_text:
        return f"a number ({cell_text(value)})"
    is_cut = isinstance(value, float) and abs(number) >= _MOST_DIGITS
    return f"a number with more digits than are kept ({cell_text(value)})" if is_cut else ""
