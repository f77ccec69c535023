"""Tables as Parquet, row by row, with the cells as texts like those of any other table."""

from collections.abc import Iterator
from datetime import datetime
from os import PathLike
from typing import Any

from meta_eval.errors import Fault, InputError
from meta_eval.files.headers import HeaderProblem, require_header
from meta_eval.files.kinds import NO_KINDS, Kinds, cell_text
from meta_eval.files.reading import Faults
from meta_eval.files.tables import TableRow

_BEGINS = b"PAR1"
_ROWS = 1_000
"""Read at a time: a file of a few kilobytes may name one long text a million times."""


def is_parquet(source: object) -> bool:
    """Whether the file at a path is a Parquet table, by how it begins.

    Parameters
    ----------
    source : anything; what is no path is no such table

    Returns
    -------
    bool

    Examples
    --------
    >>> is_parquet("no such file.parquet")
    False
    """
    if not isinstance(source, str | PathLike):
        return False
    try:
        with open(source, "rb") as stream:
            return stream.read(len(_BEGINS)) == _BEGINS
    except OSError:
        return False


def parquet_rows(
    path: Any, name: str, faults: Faults, header_problem: HeaderProblem, kinds: Kinds = NO_KINDS
) -> Iterator[TableRow]:
    """The rows of a Parquet file as `read_table` gives those of a CSV, numbered from 1.

    Parameters
    ----------
    path : of the file
    name : what messages call it
    faults : gathers what is wrong with single rows
    header_problem : says what is wrong with the names of the columns, None where nothing is
    kinds : which columns hold texts and names

    Yields
    ------
    (number of the row, dict of texts by column); a time stands as ISO 8601, what is missing as nothing

    Raises
    ------
    InputError : for a file that cannot be read, and for columns that `header_problem` finds fault with

    Examples
    --------
    >>> import pyarrow, tempfile
    >>> from pyarrow import parquet
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     parquet.write_table(pyarrow.table({"rater": ["p"], "rating": [5]}), f"{folder}/r.parquet")
    ...     list(parquet_rows(f"{folder}/r.parquet", "r", Faults(9), lambda columns: None))
    [(1, {'rater': 'p', 'rating': '5'})]
    """
    import pyarrow as pa  # loaded where somebody has such a file
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path, pre_buffer=False) as table:
            columns = [column.strip() for column in table.schema_arrow.names]
            require_header(columns, None, name, faults, header_problem)
            number = 0
            for batch in table.iter_batches(batch_size=_ROWS, use_threads=False):
                for cells in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                    number += 1
                    for problem in kinds.problems(dict(zip(columns, cells, strict=True))):
                        faults.add(name, number, problem)
                    yield number, dict(zip(columns, map(_text, cells), strict=True))
    except (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError) as error:
        raise InputError([Fault(name, None, f"cannot be read as a Parquet file: {error}")]) from error


def _text(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else cell_text(value)
