"""Published tables as typed values: wide CSV files whose columns differ from paper to paper."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from meta_eval.corpus.documents import DEFAULT_FAULT_LIMIT
from meta_eval.errors import Fault, InputError
from meta_eval.files.headers import lacking_columns
from meta_eval.files.names import plain_name
from meta_eval.files.reading import Faults, Source, source_name
from meta_eval.files.tables import read_table
from meta_eval.files.values import read_number


class PublishedValue(NamedTuple):
    """One published number.

    `score` is the score, the coefficient of a correlation, or what a study of stability gives (the share of
    the documents in percent, bias, variance). The others are None where the table does not tell them.
    """

    score: str
    system: str | None
    surrogate: str | None
    measure: str | None
    value: float

    @property
    def address(self) -> tuple[str, str | None, str | None, str | None]:
        """Everything but the value."""
        return self.score, self.system, self.surrogate, self.measure


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """The values of one table; `kind` is a key of `KINDS`, `name` that of its file."""

    kind: str
    name: str
    values: tuple[PublishedValue, ...]

    def as_record(self) -> dict[str, Any]:
        """As plain values, ready for JSON."""
        return {"kind": self.kind, "name": self.name, "values": [list(value) for value in self.values]}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "PublishedTable":
        return cls(record["kind"], record["name"], tuple(PublishedValue(*row) for row in record["values"]))


@dataclass(frozen=True, slots=True)
class PublishedKind:
    """A form of table: its title, the columns that name a row, and what a cell of another column is."""

    title: str
    names: tuple[str, ...]
    value: Callable[[Mapping[str, str], str, float], PublishedValue]


def _score(name: str) -> Callable[[Mapping[str, str], str, float], PublishedValue]:
    return lambda row, column, value: PublishedValue(name, row["system"], None, column, value)


def _correlation(row: Mapping[str, str], column: str, value: float) -> PublishedValue:
    return PublishedValue(row["coefficient"], None, row["surrogate"], column, value)


def _paradox(row: Mapping[str, str], column: str, value: float) -> PublishedValue:
    return PublishedValue(row["coefficient"], None, None, column, value)


def _stability(row: Mapping[str, str], column: str, value: float) -> PublishedValue:
    return PublishedValue(column, row["system"], None, None, value)


_THESIS_COLUMNS = {
    "egises_jsd": ("egises", "jsd-oov", 1.0),
    "rouge1": ("accuracy", "rouge-1", 100.0),
    "rouge2": ("accuracy", "rouge-2", 100.0),
    "rougeL": ("accuracy", "rouge-l", 100.0),
}
"""Score, measure, and what the number is divided by: the thesis gives ROUGE in percent."""


def _thesis(row: Mapping[str, str], column: str, value: float) -> PublishedValue:
    score, measure, unit = _THESIS_COLUMNS.get(column, (column, None, 1.0))
    return PublishedValue(score, row["system"], None, measure, value / unit)


KINDS: Mapping[str, PublishedKind] = {
    "perseval": PublishedKind(
        "PerSEval by system and measure (PerSEval Table 1)", ("system",), _score("perseval")
    ),
    "egises": PublishedKind("EGISES by system and measure (PerSEval Table 7)", ("system",), _score("egises")),
    "degress": PublishedKind("DEGRESS by system and measure", ("system",), _score("degress")),
    "accuracy": PublishedKind("Accuracy by system and measure", ("system",), _score("accuracy")),
    "p_acc": PublishedKind("P-Acc by system and measure (PerSEval Table 8)", ("system",), _score("p_acc")),
    "p_rouge": PublishedKind("P-ROUGE by system and measure", ("system",), _score("p_rouge")),
    "correlations": PublishedKind(
        "PerSEval against PerSEval-HJ (PerSEval Table 2)", ("surrogate", "coefficient"), _correlation
    ),
    "paradox": PublishedKind("DEGRESS against PerSEval (PerSEval Table 3)", ("coefficient",), _paradox),
    "stability": PublishedKind(
        "Mean PerSEval of fewer documents, bias and variance (PerSEval Table 4)", ("system",), _stability
    ),
    "thesis": PublishedKind("EGISES and ROUGE (EGISES thesis, Table 5.4)", ("system",), _thesis),
}
"""Every kind of table that can be read, by the name under which it is given."""


def read_published(
    source: Source, kind: str, *, name: str | None = None, fault_limit: int = DEFAULT_FAULT_LIMIT
) -> PublishedTable:
    """Read a wide CSV table: the columns that name its rows, and a number (or nothing) in each other column.

    Parameters
    ----------
    source : path or binary stream
    kind : str
        One of `KINDS`.
    name : str, optional
        What to call it in messages.
    fault_limit : int
        How many faults are kept; the rest is counted.

    Returns
    -------
    PublishedTable

    Raises
    ------
    InputError
        For a kind that does not exist, and with every fault of the table.

    Examples
    --------
    >>> from io import BytesIO
    >>> try:
    ...     read_published(BytesIO(b""), "no kind")
    ... except InputError as error:
    ...     print(str(error).partition(";")[0])
    there is no kind of published table 'no kind'
    """
    if kind not in KINDS:
        raise InputError(f"there is no kind of published table {kind!r}; there are {', '.join(KINDS)}")
    name = source_name(source, name)
    faults = Faults(fault_limit)
    values = tuple(_read(source, KINDS[kind], name, faults))
    faults.raise_if_any()
    if not values:
        raise InputError([Fault(name, None, "holds no numbers")])
    return PublishedTable(kind, name, values)


def _read(source: Source, kind: PublishedKind, name: str, faults: Faults) -> Iterator[PublishedValue]:
    seen: set[tuple[str, ...]] = set()
    for line, row in read_table(source, name, faults, lambda columns: _header_problem(columns, kind)):
        yield from _read_row(row, kind, seen, partial(faults.add, name, line))


def _header_problem(columns: Sequence[str], kind: PublishedKind) -> str | None:
    return lacking_columns(columns, kind.names)


def _read_row(
    row: Mapping[str, str],
    kind: PublishedKind,
    seen: set[tuple[str, ...]],
    complain: Callable[[str], None],
) -> Iterator[PublishedValue]:
    cells = {column: plain_name(cell).strip() for column, cell in row.items()}
    named = tuple(cells[column] for column in kind.names)
    if not all(named):
        complain(f"column {kind.names[named.index('')]} is empty")
    elif named in seen:
        complain(f"{', '.join(named)} stands in the table before")
    else:
        seen.add(named)
        for column, cell in cells.items():
            if column not in kind.names and cell:
                yield from _read_cell(cells, column, kind, complain)


def _read_cell(
    cells: Mapping[str, str], column: str, kind: PublishedKind, complain: Callable[[str], None]
) -> Iterator[PublishedValue]:
    value = read_number(cells[column])
    if value is None:
        hint = "; decimals stand behind a point" if "," in cells[column] else ""
        complain(f"column {column}: {cells[column]!r} is not a number{hint}")
    else:
        yield kind.value(cells, column, value)
