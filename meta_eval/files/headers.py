"""The first line of a table: whether it names the columns that are wanted, and if not, what it looks like."""

import csv
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence

from meta_eval.files.names import code_points, is_unseen
from meta_eval.files.reading import Faults

HeaderProblem = Callable[[Sequence[str]], str | None]
"""Says what is wrong with the names of the columns; None where nothing is."""

SEPARATORS = (",", ";", "\t")
"""What may stand between cells; which of them, the first line says."""
_MARK = "\ufeff"
_SEPARATOR_LINE = re.compile(r'\s*"?sep\s*=.?"?[,;\t]*\s*', re.IGNORECASE)
_OTHER_SEPARATORS = ("|", "^", "~", ":")


def header_cells(line: str, separator: str) -> list[str]:
    """The names in a line, without blanks around them and without those behind the last that is one."""
    try:
        cells = [cell.strip() for cell in next(csv.reader([line], delimiter=separator, strict=True), [])]
    except csv.Error:
        return []
    return named(cells)


def named(cells: Sequence[str]) -> list[str]:
    """The cells up to the last that is not empty: programs write empty cells at the end of a row."""
    last = max((place for place, cell in enumerate(cells, 1) if cell.strip()), default=0)
    return list(cells[:last])


def choose_separator(line: str, header_problem: HeaderProblem) -> str:
    """The separator with which a header is right; else that which finds most names, a comma first."""

    def rank(separator: str) -> tuple[bool, int]:
        columns = header_cells(line, separator)
        return header_problem(columns) is None, len(columns) or line.count(separator)

    return max(SEPARATORS, key=rank)


def require_header(
    columns: Sequence[str],
    line: int | None,
    name: str,
    faults: Faults,
    header_problem: HeaderProblem,
) -> None:
    """Raises `InputError` for columns with which the rows of a table cannot be read."""
    if problem := header_problem(columns) or _repeated_columns(columns):
        faults.add(name, line, problem)
        faults.raise_if_any()


def looks_problem(line: str, below: Iterable[str], header_problem: HeaderProblem) -> str | None:
    """What a first line that does not name the wanted columns looks like, and what to do; None if unknown.

    below: the lines after it.
    """
    if _SEPARATOR_LINE.fullmatch(line):
        return f"the first line, {line.strip()!r}, tells Excel what stands between cells: delete that line"
    for number, later in enumerate(below, start=2):
        if any(header_problem(header_cells(later, one)) is None for one in SEPARATORS):
            return f"the names of the columns stand on line {number}: delete the lines above them"
    for separator in _OTHER_SEPARATORS:
        if header_problem([cell.strip() for cell in line.split(separator)]) is None:
            return (
                f"the columns stand between {separator!r}; save the table with commas, semicolons or tabs "
                "between them"
            )
    return None


def marks_problem(line: str) -> str | None:
    """What is wrong with a first line, one byte order mark already taken away."""
    if not line.startswith(_MARK):
        return None
    return (
        "begins with two byte order marks, which cannot be seen: were two files joined? "
        "Save it as UTF-8 with one mark, or with none"
    )


def lacking_columns(header: Sequence[str], wanted: Sequence[str], known: Sequence[str] = ()) -> str | None:
    """What is wrong with a header that has not all columns that are wanted; None if it has.

    A name that only looks like that of a wanted column, or of one that is `known`, is a fault of its own:
    the column would be passed over.

    Examples
    --------
    >>> lacking_columns(["doc_id", "text"], ["doc_id", "rater"])
    'the header lacks the columns rater'
    >>> lacking_columns(["Doc_ID", "rater"], ["doc_id", "rater"])
    "the header says 'Doc_ID' where doc_id is meant: names of columns are compared letter by letter"
    """
    names = {_look(name): name for name in (*known, *wanted)}
    for column in header:
        meant = names.get(_look(column))
        if meant and meant not in header:
            return _other_spelling(column, meant)
    missing = [column for column in wanted if column not in header]
    return f"the header lacks the columns {', '.join(missing)}" if missing else None


def _look(column: str) -> str:
    """What is left of a name for somebody who looks at it briefly."""
    folded = unicodedata.normalize("NFKC", column).casefold()
    return "".join(one for one in folded if one.isalnum())


def _other_spelling(column: str, meant: str) -> str:
    unseen = [one for one in dict.fromkeys(column) if is_unseen(one)]
    if unseen:
        return (
            f"the name of the column {meant} holds a character that cannot be seen, {code_points(unseen)}: "
            "type the name anew"
        )
    return (
        f"the header says {column!r} where {meant} is meant: names of columns are compared letter by letter"
    )


def _repeated_columns(columns: Sequence[str]) -> str | None:
    repeated = sorted({column for column in columns if column and columns.count(column) > 1})
    return f"the header names {', '.join(repeated)} twice" if repeated else None
