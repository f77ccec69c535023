"""Tables as text, row by row: with commas, semicolons or tabs between cells, and every fault at its line."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from meta_eval.files.cells import unmark_text
from meta_eval.files.headers import (
    HeaderProblem,
    choose_separator,
    looks_problem,
    marks_problem,
    named,
    require_header,
)
from meta_eval.files.kinds import ERRORS, NO_KINDS, Kinds
from meta_eval.files.reading import MAX_LINE_BYTES, Faults, Source, read_table_lines

TableRow = tuple[int, Mapping[str, str]]
"""Where a row of a table ends in its file (line from 1), and its cells by column, as they are."""

_LOOKED_AT = 10
"""Lines below the first in which the names of columns are looked for."""


def read_table(
    source: Source,
    name: str,
    faults: Faults,
    header_problem: HeaderProblem,
    *,
    delimiter: str | None = None,
    kinds: Kinds = NO_KINDS,
    marked: bool = False,
    strict: bool = True,
) -> Iterator[TableRow]:
    r"""The rows of a table with commas, semicolons or tabs between cells; blank rows are passed over.

    Quoted cells may hold delimiters and line ends, which stay as they are. Outside of quotes a row ends at a
    line feed, a carriage return or both, and so does a line where a fault is placed.

    Columns have no blanks around their names. A row with more or fewer cells than the header is a fault;
    empty cells behind the last column are none, since spreadsheets write them.

    Parameters
    ----------
    source : path or binary stream of UTF-8 text
    name : what messages call it
    faults : gathers what is wrong with single rows
    header_problem : says what is wrong with the names of the columns, None where nothing is
    delimiter : between cells; None for that of the three with which the header is right
    kinds : which columns hold texts and names
    marked : whether the apostrophe is taken away that files of ours have in front of a text like a formula
    strict : whether a quotation mark that opens a cell must close it

    Yields
    ------
    (number of the row's last line, dict of texts by column)

    Raises
    ------
    InputError : for what is no table, for a header that cannot be used, and for a quotation mark that is not
        closed: one fault, since nothing below it can be read

    Examples
    --------
    >>> from io import BytesIO
    >>> list(read_table(BytesIO(b"rater;rating\np;5\n"), "ratings", Faults(9), lambda columns: None))
    [(2, {'rater': 'p', 'rating': '5'})]
    """
    csv.field_size_limit(MAX_LINE_BYTES)
    lines = (text for _, text in read_table_lines(source, name, faults))
    blank, first = _first_line(lines)
    if problem := marks_problem(first):
        faults.add(name, len(blank) + 1, problem)
        faults.raise_if_any()
    separator = delimiter or choose_separator(first, header_problem)
    reader = csv.reader(chain([*blank, first], lines), delimiter=separator, strict=strict)
    rows = _rows(reader, name, faults)
    header = next(rows, [])
    columns = [column.strip() for column in named(header)]
    if not delimiter and header_problem(columns):
        below = islice(lines, _LOOKED_AT)
        if problem := looks_problem(first, below, header_problem):
            faults.add(name, reader.line_num, problem)
            faults.raise_if_any()
    require_header(columns, max(reader.line_num, 1), name, faults, header_problem)
    for cells in rows:
        line = reader.line_num
        if problem := _shape_problem(cells, columns):
            faults.add(name, line, problem)
            continue
        plain = map(unmark_text, cells) if marked else cells
        row = dict(zip(columns, plain, strict=False))
        if kinds is not NO_KINDS and not ERRORS.isdisjoint(map(str.strip, cells)):
            for problem in kinds.problems(row):
                faults.add(name, line, problem)
        yield line, row


def _first_line(lines: Iterator[str]) -> tuple[list[str], str]:
    """The blank lines at the beginning, and the first that is not blank."""
    blank: list[str] = []
    for line in lines:
        if line.strip():
            return blank, line
        blank.append(line)
    return blank, ""


def _rows(reader: Any, name: str, faults: Faults) -> Iterator[list[str]]:
    """The rows in which anything stands. Raises `InputError` where quotes are not as they must be."""
    while True:
        begun = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            faults.add(name, begun, _quotes_problem(error, begun, reader.line_num))
            faults.raise_if_any()
        if any(map(str.strip, cells)):
            yield cells


def _quotes_problem(error: csv.Error, begun: int, ended: int) -> str:
    if "unexpected end" in str(error):
        return "a quotation mark opens a cell in this row, and nothing closes it before the file ends"
    if "expected after" in str(error):
        where = f" on line {ended}" if ended > begun else ""
        return (
            f"a quotation mark opens a cell in this row, and something follows its closing one{where}: "
            'write a quotation mark within a cell twice ("")'
        )
    return f"not a table: {error}"


def _shape_problem(cells: Sequence[str], columns: Sequence[str]) -> str | None:
    """What is wrong with a row that has not one cell for each column; None where it has."""
    if len(cells) < len(columns):
        return f"{len(cells)} columns where the header has {len(columns)}"
    if len(cells) > len(columns) and any(map(str.strip, cells[len(columns) :])):
        return (
            f"{len(named(cells))} columns where the header has {len(columns)}; a text that holds what stands "
            "between cells must be quoted, and a number needs a decimal point"
        )
    is_first_alike = len(columns) > 1 and cells[0].strip().lstrip("\ufeff") == columns[0]
    if is_first_alike and [cell.strip() for cell in cells[1 : len(columns)]] == list(columns[1:]):
        return "the names of the columns stand here again: were two files joined?"
    return None
