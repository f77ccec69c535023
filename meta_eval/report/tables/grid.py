"""What a table is before anything draws it: a grid of typed cells under titled columns."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from meta_eval.report.numbers import UNSUPPORTED, stars

Kind = Literal["coefficient", "score", "spread", "p", "interval", "rank correlation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One number of a table, or `reason` why there is none.

    Parameters
    ----------
    kind : what the number is, which says how it is rounded.
    rank : its rank, where there is one.
    low, high : its interval, or the least and greatest of what it is the mean of.
    p_adjusted, significant : its adjusted p, and whether that is below the report's alpha.
    shared : both sides rest on distances by the same measure.
    unsupported : shuffled ratings reach it too often for the raters to support it.
    p_raters : how often shuffled ratings reach it, for grids that have room below an estimate.
    carries : the coefficient hangs on the system that is left out here.
    heat : its step on the scale of colours, 0 to 10.
    n : how many numbers a rank correlation is over.
    published : the published number beside it.
    row : the row of the report that it is from.
    digits : decimals of a score.
    """

    kind: Kind = "coefficient"
    value: float | None = None
    reason: str | None = None
    rank: int | None = None
    low: float | None = None
    high: float | None = None
    p_adjusted: float | None = None
    significant: bool = False
    shared: bool = False
    unsupported: bool = False
    p_raters: float | None = None
    carries: bool = False
    heat: int | None = None
    n: int | None = None
    published: float | None = None
    row: Any = None
    digits: int = 3

    @property
    def marks(self) -> str:
        """What stands behind an estimate: how strong it is, and what speaks against it."""
        doubts = f"{'†' * self.shared}{UNSUPPORTED * self.unsupported}{'‡' * self.carries}"
        return f"{stars(self.p_adjusted)}{doubts}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column's title; `key` says what it is of, `group` what stands over it and its neighbours.

    `first` where a group begins; `note` is a second line such as "n = 8"; `members` are the systems of a
    column that is of a family.
    """

    title: str
    key: str = ""
    group: str = ""
    first: bool = False
    note: str = ""
    members: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line: what it is of, in a text for each heading of lines, and a cell a column.

    `key` says what it is of, as the report does. A cell is a text, a `Cell`, or None where nothing stands.
    `ids` are the headings as files have them, where these are others. `rule`: a rule stands above the line.
    """

    heads: tuple[str, ...]
    cells: tuple[Cell | str | None, ...]
    key: str = ""
    ids: tuple[str, ...] = ()
    rule: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """One table.

    Parameters
    ----------
    name : as which it is known, such as a file of the report.
    title, note : what it shows, and what must be known to read it.
    heads : headings of the columns that say what a line is of.
    columns, lines : the table itself.
    foot : lines below it, such as ceilings.
    remarks : sentences below it.
    below : intervals and p of raters stand below their estimates, for want of room beside them.
    missing : why there are no lines, and how to get them, in one sentence.
    """

    name: str
    title: str = ""
    note: str = ""
    heads: tuple[str, ...] = ("",)
    columns: tuple[Column, ...] = ()
    lines: tuple[Line, ...] = ()
    foot: tuple[Line, ...] = ()
    remarks: tuple[str, ...] = ()
    below: bool = False
    missing: str = ""

    def keep(self, wanted: Callable[[Column], bool]) -> "Grid":
        """The grid with the wanted columns alone."""
        kept = [at for at, column in enumerate(self.columns) if wanted(column)]
        lines, foot = (
            tuple(replace(line, cells=tuple(line.cells[at] for at in kept)) for line in part)
            for part in (self.lines, self.foot)
        )
        return replace(self, columns=tuple(self.columns[at] for at in kept), lines=lines, foot=foot)

    def of_group(self, group: str) -> "Grid":
        """The grid with the columns of one group alone."""
        return self.keep(lambda column: column.group == group)

    @property
    def cells(self) -> Iterator[Cell]:
        """Every cell that is a number or wants one, line by line."""
        return (cell for line in self.lines for cell in line.cells if isinstance(cell, Cell))
