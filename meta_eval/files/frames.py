"""Tables between here and pandas: a data frame's rows as texts, records as a data frame and as HTML."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from os import PathLike
from textwrap import shorten
from typing import TYPE_CHECKING, Any, ClassVar, TypeGuard

from meta_eval.errors import wrong_type
from meta_eval.files.headers import HeaderProblem, require_header
from meta_eval.files.kinds import NO_KINDS, Kinds, cell_text, is_missing
from meta_eval.files.reading import Faults
from meta_eval.files.tables import TableRow

if TYPE_CHECKING:
    from pandas import DataFrame

Record = Mapping[str, Any]
_NONE = "–"
_WIDTH = 100
"""Letters of a line in which a value says what it holds."""
_SHOWN_AT_MOST = 60
"""Rows of a table in a notebook; what is beyond them is counted."""


def is_frame(value: object) -> "TypeGuard[DataFrame]":
    """Whether it is a pandas data frame; pandas is not loaded to find out.

    Examples
    --------
    >>> is_frame("texts.csv")
    False
    """
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(value, pandas.DataFrame)


def is_readable(value: object) -> bool:
    """Whether readers of tables take it: a data frame, a path, or a stream of bytes.

    Examples
    --------
    >>> is_readable("texts.csv"), is_readable(3)
    (True, False)
    """
    return is_frame(value) or isinstance(value, str | PathLike) or hasattr(value, "read")


def to_frame(records: Sequence[Record]) -> "DataFrame":
    """The records as a pandas data frame, a row each and a column for every field, as `flat` has them.

    Parameters
    ----------
    records : sequence of mapping
        What a record lacks, or has as None, is missing in the frame.

    Returns
    -------
    pandas.DataFrame

    Examples
    --------
    >>> to_frame([{"system": "A", "perseval": 0.5}, {"system": "B", "perseval": None}])["perseval"].tolist()
    [0.5, nan]
    """
    from pandas import DataFrame  # loaded where somebody asks for one

    rows = [flat(record) for record in records]
    return DataFrame(rows, columns=list(dict.fromkeys(name for row in rows for name in row)))


def flat(record: Record) -> dict[str, Any]:
    """The record with a field for each value of its mappings, however deep they lie.

    Examples
    --------
    >>> flat({"system": "A", "left_out": {"empty_texts": 2}})
    {'system': 'A', 'left_out_empty_texts': 2}
    """
    return {
        f"{name}_{inner}" if isinstance(value, Mapping) else name: found
        for name, value in record.items()
        for inner, found in (flat(value).items() if isinstance(value, Mapping) else [("", value)])
    }


def frame_rows(
    frame: "DataFrame", name: str, faults: Faults, header_problem: HeaderProblem, kinds: Kinds = NO_KINDS
) -> Iterator[TableRow]:
    """The rows of a data frame as `read_table` gives those of a CSV, numbered from 1.

    Raises `InputError` for columns that cannot be used.
    """
    columns = [str(column).strip() for column in frame.columns]
    require_header(columns, None, name, faults, header_problem)
    for number, cells in enumerate(frame.itertuples(index=False, name=None), start=1):
        for problem in kinds.problems(dict(zip(columns, cells, strict=True))):
            faults.add(name, number, problem)
        yield number, dict(zip(columns, map(cell_text, cells), strict=True))


class Brief:
    """What says in two lines what it holds, wherever Python shows a value."""

    __slots__ = ()

    def brief(self) -> tuple[str, str]:
        """How much it holds, and what."""
        raise NotImplementedError

    def __repr__(self) -> str:
        first, second = (shorten(line, _WIDTH, placeholder=" ...") for line in self.brief())
        return f"{type(self).__name__}: {first}\n  {second}"


class Tabular(Brief):
    """What has `records()`: shown as a table in a notebook, and given as a data frame."""

    __slots__ = ()
    caption: ClassVar[str]
    shown: ClassVar[Sequence[str]] = ()
    """The fields that a notebook shows; all where none is named."""

    def records(self) -> Sequence[Record]:
        raise NotImplementedError

    def to_frame(self) -> "DataFrame":
        """All fields of `records()` as a pandas data frame, without mappings in its cells."""
        return to_frame(self.records())

    def brief(self) -> tuple[str, str]:
        records = self.records()
        columns = self.shown or list(dict.fromkeys(name for one in records for name in one))
        return f"{self.caption}, {len(records)} rows", f"columns: {', '.join(columns)}"

    def _repr_html_(self) -> str:
        return html_table(self.records(), caption=self.caption, columns=self.shown)


def records_of(table: "Tabular | DataFrame | Iterable[Record]") -> list[Record]:
    """The records of a result, of a data frame (what is missing as None), or as they are given.

    Examples
    --------
    >>> records_of(to_frame([{"system": "A", "perseval": None}]))
    [{'system': 'A', 'perseval': None}]
    """
    if isinstance(table, Tabular):
        return list(table.records())
    if not is_frame(table):
        given: list[Any] = list(table) if isinstance(table, Iterable) else [table]
        if all(isinstance(one, Mapping) for one in given):
            return given
        raise wrong_type("scores", "what score_systems or score_humans returns, or a frame of it", table)
    columns = [str(column) for column in table.columns]
    rows = table.astype(object).itertuples(index=False, name=None)
    return [
        {name: None if is_missing(value) else value for name, value in zip(columns, row, strict=True)}
        for row in rows
    ]


class Records(list[dict[str, Any]], Tabular):
    """A list of records that a notebook shows as a table.

    Examples
    --------
    >>> found = Records([{"measure": "jsd", "estimate": 0.51234}])
    >>> found.to_frame().shape, found == [{"measure": "jsd", "estimate": 0.51234}]
    ((1, 2), True)
    >>> "<td>0.512</td>" in found._repr_html_()
    True
    """

    caption = "Records"
    __repr__ = Brief.__repr__  # a list has its own

    def __init__(
        self, records: Sequence[dict[str, Any]] = (), caption: str = "Records", shown: Sequence[str] = ()
    ) -> None:
        super().__init__(records)
        self.caption, self.shown = caption, shown  # type: ignore[misc]  # a list's own, in place of its class's

    def records(self) -> list[dict[str, Any]]:
        return list(self)


def html_table(records: Sequence[Record], *, caption: str, columns: Sequence[str] = ()) -> str:
    """A plain table with caption and headings; every text escaped, numbers with three decimals.

    Parameters
    ----------
    records : sequence of mapping
        Of more than 60 the first are shown, and the others counted.
    caption : str
        What the table holds; screen readers say it first.
    columns : sequence of str, optional
        The fields shown, in this order; default: all. The first heads its row.

    Returns
    -------
    str
        HTML.

    Examples
    --------
    >>> html_table([{"system": "<A>", "perseval": 1 / 3}], caption="Scores").splitlines()[-2]
    '<tr><th scope="row">&lt;A&gt;</th><td>0.333</td></tr>'
    """
    names = [*columns] or list(dict.fromkeys(name for record in records for name in record))
    more = len(records) - _SHOWN_AT_MOST
    said = f"{caption} ({more} more rows are not shown)" if more > 0 else caption
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    body = [_html_row([record.get(name) for name in names]) for record in records[:_SHOWN_AT_MOST]]
    table = [f"<table><caption>{escape(said)}</caption>", f"<thead><tr>{head}</tr></thead>", "<tbody>"]
    return "\n".join([*table, *body, "</tbody></table>"])


def _html_row(values: Sequence[Any]) -> str:
    first, *others = map(_html_cell, values)
    return f'<tr><th scope="row">{first}</th>{"".join(f"<td>{text}</td>" for text in others)}</tr>'


def _html_cell(value: Any) -> str:
    if isinstance(value, float):
        return _NONE if value != value else f"{value:.3f}"  # noqa: PLR0124
    return _NONE if value is None else escape(str(value))


def html_paragraphs(sentences: Sequence[str]) -> str:
    """Each sentence as a paragraph, escaped.

    Examples
    --------
    >>> html_paragraphs(["p < 0.05"])
    '<p>p &lt; 0.05</p>'
    """
    return "\n".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)
