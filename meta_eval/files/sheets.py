"""The first sheet of an Excel or OpenDocument file: its cells, and what its reader does not show of them."""

import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any
from xml.etree import ElementTree

from meta_eval.errors import Fault, InputError

LARGEST = 512 << 20
NEEDED = "to read an Excel file, run `pip install python-calamine`; or save the sheet as CSV"
_CELL = re.compile(rb"<(?:\w+:)?c\b([^>]*)(?<!/)>(.*?)</(?:\w+:)?c>", re.DOTALL)
_ADDRESS = re.compile(rb'\br="([A-Z]{1,3}[0-9]{1,7})"')
_TYPE = re.compile(rb'\bt="(\w+)"')
_FORMULA = re.compile(rb"<(?:\w+:)?f\b")
_VALUE = re.compile(rb"<(?:\w+:)?v\b[^>]*>([^<]+)<")
_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


@dataclass(frozen=True, slots=True)
class Sheet:
    """name: of the sheet; rows: its cells; others: by name the first row of each other sheet.

    odd: by address (`D4`) what a cell is that the rows do not show: an error, or a formula. merged: which
    cells are one, as first and last row and column, from 0.
    """

    name: str
    rows: list[list[Any]]
    others: Mapping[str, list[Any]] = field(default_factory=dict)
    odd: Mapping[str, str] = field(default_factory=dict)
    merged: Sequence[tuple[tuple[int, int], tuple[int, int]]] = ()


def address(row: int, column: int) -> str:
    """What a spreadsheet calls a cell, from its row and column, counted from 0.

    Examples
    --------
    >>> address(3, 3), address(0, 26)
    ('D4', 'AA1')
    """
    letters, left = "", column + 1
    while left:
        left, letter = divmod(left - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"{letters}{row + 1}"


def read_sheet(path: Any, name: str) -> Sheet:
    """The first sheet. Raises `InputError` where it cannot be read."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError as error:
        raise InputError([Fault(name, None, NEEDED)]) from error
    _require_small(path, name)
    try:
        with CalamineWorkbook.from_path(path) as book:
            names = book.sheet_names
            first = book.get_sheet_by_index(0)
            others = {one: _first_row(book, one) for one in names[1:]}
            merged = getattr(first, "merged_cell_ranges", None) or ()
            return Sheet(names[0], first.to_python(skip_empty_area=False), others, _odd_cells(path), merged)
    except (CalamineError, OSError, IndexError) as error:
        raise InputError([Fault(name, None, f"cannot be read as an Excel file: {error}")]) from error


def workbook_cells(path: Any, name: str) -> list[list[Any]]:
    """The cells of the first sheet, row by row. Raises `InputError` where it cannot be read."""
    return read_sheet(path, name).rows


def _first_row(book: Any, sheet: str) -> list[Any]:
    from python_calamine import CalamineError

    try:
        return next(iter(book.get_sheet_by_name(sheet).to_python(skip_empty_area=False, nrows=1)), [])
    except CalamineError:  # a sheet of a chart, say
        return []


def _require_small(path: Any, name: str) -> None:
    """A few bytes may unpack to more than memory holds."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > LARGEST:
                raise InputError([Fault(name, None, f"unpacks to more than {LARGEST >> 20} MB")])


def _odd_cells(path: Any) -> dict[str, str]:
    """By address the cells of .xlsx with an error or a formula, which calamine gives as empty or as text."""
    if not zipfile.is_zipfile(path):
        return {}
    with zipfile.ZipFile(path) as archive:
        member = _first_sheet_member(archive)
        content = archive.read(member) if member else b""
    if b't="e"' not in content and not _FORMULA.search(content):
        return {}
    return dict(_odd(content))


def _odd(content: bytes) -> Iterator[tuple[str, str]]:
    for cell in _CELL.finditer(content):
        place, kind, value = _ADDRESS.search(cell[1]), _TYPE.search(cell[1]), _VALUE.search(cell[2])
        if not place:
            continue
        if kind and kind[1] == b"e":
            said = value[1].decode("utf-8", "replace") if value else "of a formula"
            yield place[1].decode(), f"the error {said}"
        elif _FORMULA.search(cell[2]):
            computed = value or (kind and kind[1] == b"str")
            yield place[1].decode(), "a formula" if computed else "a formula that was never computed"


def _first_sheet_member(archive: zipfile.ZipFile) -> str | None:
    """The name of the first sheet's file in .xlsx; None in other formats."""
    names = set(archive.namelist())
    if not {"xl/workbook.xml", "xl/_rels/workbook.xml.rels"} <= names:
        return None
    try:
        book = ElementTree.fromstring(archive.read("xl/workbook.xml"))  # noqa: S314 - no entities are fetched
        links = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))  # noqa: S314
    except ElementTree.ParseError:
        return None
    first = next((one for one in book.iter() if one.tag.endswith("}sheet")), None)
    wanted = first.get(_ID) if first is not None else None
    target = next((one.get("Target", "") for one in links.iter() if one.get("Id") == wanted), "")
    member = target.lstrip("/") if target.startswith("/") else str(PurePosixPath("xl", target))
    return member if member in names else None
