"""Tables as people bring them: CSV, Parquet, the first sheet of an Excel or OpenDocument file, a frame."""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from os import PathLike
from typing import TYPE_CHECKING, Any

from meta_eval.files.frames import frame_rows, is_frame
from meta_eval.files.headers import HeaderProblem, named, require_header
from meta_eval.files.kinds import HELP, NO_KINDS, Kinds, cell_text
from meta_eval.files.parquet import is_parquet, parquet_rows
from meta_eval.files.reading import Faults, Source, read_lines
from meta_eval.files.sheets import Sheet, address, read_sheet
from meta_eval.files.tables import TableRow, read_table

if TYPE_CHECKING:
    from pandas import DataFrame

_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
"""How .xlsx, .xlsb and .ods begin, and how .xls does."""
_LOOKED_AT = 11
"""Rows in which the names of columns are looked for."""


def read_rows(
    source: "Source | DataFrame",
    name: str,
    faults: Faults,
    header_problem: HeaderProblem,
    kinds: Kinds = NO_KINDS,
    *,
    marked: bool = False,
) -> Iterator[TableRow]:
    """The rows of a table, whatever it comes as; each with its number, and its cells as texts by column.

    Parameters
    ----------
    source : path or binary stream of a CSV table, path of a workbook or Parquet file, or a data frame
    name : what messages call it
    faults : gathers what is wrong with single rows
    header_problem : says what is wrong with the names of the columns, None where nothing is
    kinds : which columns hold texts and names: a date, a formula or an error among them is a fault
    marked : whether the apostrophe is taken away that CSV files of ours put before a text like a formula

    Yields
    ------
    (number of the row, dict of texts by column)

    Raises
    ------
    InputError : for what is no table, and for columns that `header_problem` finds fault with

    Examples
    --------
    >>> import pandas
    >>> frame = pandas.DataFrame({"rater": ["p"], "rating": [5]})
    >>> list(read_rows(frame, "ratings", Faults(9), lambda columns: None))
    [(1, {'rater': 'p', 'rating': '5'})]
    """
    if is_frame(source):
        return frame_rows(source, name, faults, header_problem, kinds)
    if is_workbook(source):
        return _sheet_rows(source, name, faults, header_problem, kinds)
    if is_parquet(source):
        return parquet_rows(source, name, faults, header_problem, kinds)
    return read_table(source, name, faults, header_problem, kinds=kinds, marked=marked)  # type: ignore[arg-type]


def is_workbook(source: object) -> bool:
    """Whether the file at a path is an Excel or OpenDocument workbook, by how it begins.

    Parameters
    ----------
    source : anything; what is no path is no workbook

    Returns
    -------
    bool

    Examples
    --------
    >>> is_workbook("no such file.xlsx")
    False
    """
    if not isinstance(source, str | PathLike):
        return False
    try:
        with open(source, "rb") as stream:
            return stream.read(4) in (_ZIP, _OLE)
    except OSError:
        return False


def first_cells(path: str | PathLike[str]) -> list[str]:
    """The cells of a table's first row, whatever separates them; one cell for a file that is no table.

    Raises `InputError` for a file that cannot be read.
    """
    if is_workbook(path):
        rows = read_sheet(path, str(path)).rows
        return [cell_text(cell).strip() for cell in rows[0]] if rows else []
    faults = Faults(1)
    _, line = next(read_lines(path, str(path), faults, alone=False), (1, ""))
    return [cell.strip().strip('"') for cell in re.split("[,;\t]", line)]


def _sheet_rows(
    path: Any, name: str, faults: Faults, header_problem: HeaderProblem, kinds: Kinds
) -> Iterator[TableRow]:
    sheet = read_sheet(path, name)
    columns = [cell_text(cell).strip() for cell in sheet.rows[0]] if sheet.rows else []
    columns = named(columns)
    _require_columns(sheet, columns, name, faults, header_problem)
    for line, place in _merged_places(sheet, columns):
        faults.add(name, line, f"the cells {place} are merged: part them, and fill each of them")
    for row, cells in enumerate(sheet.rows[1:], start=1):
        if any(map(_is_filled, cells)) or any(
            address(row, column) in sheet.odd for column in range(len(columns))
        ):
            for problem in _problems(sheet, columns, row, cells, kinds):
                faults.add(name, row + 1, problem)
            yield row + 1, dict(zip_longest(columns, map(cell_text, cells[: len(columns)]), fillvalue=""))


def _is_filled(cell: Any) -> bool:
    return bool(cell_text(cell).strip())


def _problems(
    sheet: Sheet, columns: Sequence[str], row: int, cells: Sequence[Any], kinds: Kinds
) -> Iterator[str]:
    """What is wrong with the cells of a row, by their addresses."""
    for number, (column, cell) in enumerate(zip_longest(columns, cells, fillvalue="")):
        place = address(row, number)
        if number >= len(columns):
            if _is_filled(cell):
                yield f"{place} is filled, and its column has no name in the first row"
        elif (odd := sheet.odd.get(place)) and (column in kinds.texts or not odd.endswith("formula")):
            if column in kinds.texts or column in kinds.names:
                yield f"{place} is {odd} where a text must stand: {HELP}"
        elif problem := kinds.problem(column, cell, place):
            yield problem


def _require_columns(
    sheet: Sheet, columns: Sequence[str], name: str, faults: Faults, header_problem: HeaderProblem
) -> None:
    """Raises `InputError` for a header that cannot be used; says where a right one stands."""
    if header_problem(columns):
        later = {f"in row {number}": cells for number, cells in enumerate(sheet.rows[1:_LOOKED_AT], start=2)}
        others = {f"in the sheet {other!r}": cells for other, cells in sheet.others.items()}
        for place, cells in (*later.items(), *others.items()):
            if header_problem([cell_text(cell).strip() for cell in cells]) is None:
                remedy = "delete the rows above" if place in later else "put that sheet first"
                told = (
                    f"the first row of the sheet {sheet.name!r} does not name the columns; they stand {place}"
                )
                faults.add(name, 1, f"{told}: {remedy}")
                faults.raise_if_any()
    require_header(columns, 1, name, faults, header_problem)


def _merged_places(sheet: Sheet, columns: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The ranges of cells that are one with their first rows, below the header and in its columns."""
    for (top, left), (bottom, right) in sheet.merged:
        if bottom > 0 and left < len(columns):
            yield top + 1, f"{address(top, left)}:{address(bottom, right)}"
