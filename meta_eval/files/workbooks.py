"""Tables as people bring them: CSV, Parquet, the first sheet of an Excel or OpenDocument file, a frame."""

import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, zip_longest
from os import PathLike
from typing import TYPE_CHECKING, Any

from meta_eval.errors import Fault, InputError
from meta_eval.files.frames import cell_text, frame_rows, is_frame
from meta_eval.files.parquet import is_parquet, parquet_rows
from meta_eval.files.reading import Faults, Source, TableRow, read_lines, read_table, require_header

if TYPE_CHECKING:
    from pandas import DataFrame

_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
"""How .xlsx, .xlsb and .ods begin, and how .xls does."""
_LARGEST = 512 << 20
NEEDED = "to read an Excel file, run `pip install python-calamine`; or save the sheet as CSV"


def read_rows(
    source: "Source | DataFrame",
    name: str,
    faults: Faults,
    header_problem: Callable[[Sequence[str]], str | None],
) -> Iterator[TableRow]:
    """The rows of a table, whatever it comes as; each with its number, and its cells as texts by column.

    Parameters
    ----------
    source : path or binary stream of a CSV table, path of a workbook or Parquet file, or a data frame
    name : what messages call it
    faults : gathers what is wrong with single rows
    header_problem : says what is wrong with the names of the columns, None where nothing is

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
        return frame_rows(source, name, faults, header_problem)
    if is_workbook(source):
        return _sheet_rows(source, name, faults, header_problem)
    if is_parquet(source):
        return parquet_rows(source, name, faults, header_problem)
    return read_table(source, name, faults, header_problem)  # type: ignore[arg-type]  # no frame


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
        rows = workbook_cells(path, str(path))
        return [cell_text(cell).strip() for cell in rows[0]] if rows else []
    faults = Faults(1)
    _, line = next(read_lines(path, str(path), faults, alone=False), (1, ""))
    return [cell.strip().strip('"') for cell in re.split("[,;\t]", line)]


def workbook_cells(path: Any, name: str) -> list[list[Any]]:
    """The cells of the first sheet, row by row. Raises `InputError` where it cannot be read."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError as error:
        raise InputError([Fault(name, None, NEEDED)]) from error
    _require_small(path, name)
    try:
        with CalamineWorkbook.from_path(path) as book:
            return book.get_sheet_by_index(0).to_python(skip_empty_area=False)
    except (CalamineError, OSError, IndexError) as error:
        raise InputError([Fault(name, None, f"cannot be read as an Excel file: {error}")]) from error


def _require_small(path: Any, name: str) -> None:
    """A few bytes may unpack to more than memory holds."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > _LARGEST:
                raise InputError([Fault(name, None, f"unpacks to more than {_LARGEST >> 20} MB")])


def _sheet_rows(
    path: Any, name: str, faults: Faults, header_problem: Callable[[Sequence[str]], str | None]
) -> Iterator[TableRow]:
    rows = [[cell_text(cell) for cell in row] for row in workbook_cells(path, name)]
    columns = [cell.strip() for cell in rows[0]] if rows else []
    require_header(columns, 1, name, faults, header_problem)
    for number, cells in enumerate(rows[1:], start=2):
        if any(cells):
            yield number, dict(zip_longest(columns, islice(cells, len(columns)), fillvalue=""))
