"""Each table of the papers in its own layout: which there are, and a grid as CSV, plain text and LaTeX."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from meta_eval.publish.latex import escape_latex, latex_grid
from meta_eval.publish.latex_article import latex_article
from meta_eval.publish.latex_lines import latex_lines
from meta_eval.publish.long_form import rows_csv
from meta_eval.publish.pdf_text import grid_texts
from meta_eval.report.numbers import PDF
from meta_eval.report.schema import Report
from meta_eval.report.tables.grid import Cell, Grid
from meta_eval.report.tables.papers import perseval, perseval_studies, thesis
from meta_eval.report.view import View
from meta_eval.studies.icopernicus import tables as prompt_tables
from meta_eval.studies.icopernicus.tables import PromptStudy, prompt_study_of

LayOut = Callable[[Report, View], Grid]
PaperForm = Literal["latex", "csv", "text"]
FIGURE_3 = "perseval-figure-3"


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table of a paper: its name, where it stands there, what it holds, and what lays ours out so."""

    name: str
    place: str
    about: str
    lay_out: LayOut

    def caption(self, grid: Grid) -> str:
        """What stands over ours."""
        return f"As {self.place}: {grid.title}."


def _of_prompts(lay_out: Callable[[PromptStudy], Grid]) -> LayOut:
    return lambda report, view: lay_out(prompt_study_of(report, view))


PROMPT_TABLES: Mapping[str, Callable[[PromptStudy], Grid]] = {
    "icopernicus-table-3": prompt_tables.lay_out_table_3,
    "icopernicus-table-4": prompt_tables.lay_out_table_4,
    "icopernicus-table-5": prompt_tables.lay_out_table_5,
    "icopernicus-table-9": prompt_tables.lay_out_table_9,
}
"""Those that EGISES by prompt style is enough for."""

_PROMPTS_ABOUT = {
    "icopernicus-table-3": "EGISES of each model by prompt style",
    "icopernicus-table-4": "which richer prompts do no better, by model",
    "icopernicus-table-5": "the five best models with their paradoxes, and baselines",
    "icopernicus-table-9": "EGISES-HJ of each model by prompt style, paradoxes of both sides",
}

_TABLES = (
    PaperTable(
        "perseval-table-1",
        "PerSEval Table 1",
        "PerSEval: systems by family, measures across",
        perseval.lay_out_table_1,
    ),
    PaperTable(
        "perseval-table-2",
        "PerSEval Table 2",
        "agreement with people: a block for each surrogate, measures across",
        perseval.lay_out_table_2,
    ),
    PaperTable(
        "perseval-table-3",
        "PerSEval Table 3",
        "paradox: the rankings by EGISES and PerSEval",
        perseval_studies.lay_out_table_3,
    ),
    PaperTable(
        "perseval-table-4",
        "PerSEval Table 4",
        "PerSEval of each system from fewer documents, bias and variance",
        perseval_studies.lay_out_table_4,
    ),
    PaperTable(
        "perseval-table-5",
        "PerSEval Table 5",
        "aggregation: PerSEval, accuracy, and both together",
        perseval_studies.lay_out_table_5,
    ),
    PaperTable(
        "perseval-table-6",
        "PerSEval Table 6",
        "stability by measure: bias, variance, delta, epsilon",
        perseval_studies.lay_out_table_6,
    ),
    PaperTable(
        "perseval-table-7",
        "PerSEval Table 7",
        "EGISES: systems by family, measures across",
        perseval.lay_out_table_7,
    ),
    PaperTable(
        "perseval-table-8",
        "PerSEval Table 8",
        "P-Acc: systems by family, measures across",
        perseval.lay_out_table_8,
    ),
    PaperTable(
        FIGURE_3,
        "PerSEval figure 3",
        "agreement with people by beta, three coefficients",
        perseval_studies.lay_out_figure_3,
    ),
    PaperTable(
        "thesis-table-5.4",
        "Table 5.4 of the EGISES thesis",
        "EGISES beside ROUGE in percent",
        thesis.lay_out_table_5_4,
    ),
    *(
        PaperTable(name, f"iCOPERNICUS Table {name[-1]}", _PROMPTS_ABOUT[name], _of_prompts(lay_out))
        for name, lay_out in PROMPT_TABLES.items()
    ),
)

PAPER_TABLES: Mapping[str, PaperTable] = {table.name: table for table in _TABLES}
"""Every table of a paper by its name, in the order in which they are shown."""


def render_paper(table: PaperTable, grid: Grid, form: PaperForm) -> str:
    """One table in one form; as CSV one without lines is empty.

    Parameters
    ----------
    table : PaperTable
        One of `PAPER_TABLES`.
    grid : Grid
        What it holds.
    form : {"csv", "latex", "text"}

    Returns
    -------
    str

    Examples
    --------
    >>> from meta_eval.report.tables.grid import Cell, Column, Grid, Line
    >>> line = Line(heads=("A",), cells=(Cell(value=0.25),))
    >>> grid = Grid(name="scores", columns=(Column(title="EGISES"),), lines=(line,))
    >>> print(render_paper(next(iter(PAPER_TABLES.values())), grid, "csv"), end="")
    ,EGISES
    A,0.25
    """
    if form == "csv":
        return paper_csv(grid)
    return _latex(table, grid) if form == "latex" else _text(table, grid)


def _latex(table: PaperTable, grid: Grid) -> str:
    """A table environment; of the figure a figure environment too, with its numbers in the table after it."""
    chart = latex_lines(grid, x_title="Beta", y_title="Coefficient") if table.name == FIGURE_3 else ""
    if not chart:
        return latex_grid(grid, table.caption(grid))
    caption = escape_latex(" ".join(filter(None, (table.caption(grid), grid.note, *grid.remarks))))
    numbers = latex_grid(replace(grid, note="", remarks=()), f"The numbers behind {table.place}.")
    return (
        f"\\begin{{figure}}[htbp]\n\\centering\n{chart}\\caption{{{caption}}}\n"
        f"\\label{{fig:{table.name}}}\n\\end{{figure}}\n\n{numbers}"
    )


def paper_csv(grid: Grid) -> str:
    """The lines as the published tables are kept: nothing rounded, what is missing empty; no marks.

    What the `published` option of a report reads, it reads of ours, too. Empty without lines.
    """
    if not grid.lines:
        return ""
    heads = [head.lower() for head in grid.heads]
    columns = [column.key or column.title for column in grid.columns]
    rows = (
        dict(zip([*heads, *columns], [*(line.ids or line.heads), *map(_value, line.cells)], strict=True))
        for line in grid.lines
    )
    return rows_csv([*heads, *columns], rows)


def _value(cell: Cell | str | None) -> float | str | None:
    return cell.value if isinstance(cell, Cell) else cell


def _text(table: PaperTable, grid: Grid) -> str:
    """Columns below each other, a rule where families or surrogates part, what must be known around them."""
    if not grid.lines:
        return f"{table.caption(grid)}\n{grid.missing}\n"
    texts = [[cell.replace("\n", ", ") for cell in row] for row in grid_texts(grid)]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    rows = [_aligned(row, widths, len(grid.heads)) for row in texts]
    rule = "-" * len(rows[0])
    ruled = [False, True, *(line.rule for line in grid.lines[1:]), *(not at for at in range(len(grid.foot)))]
    body = [line for row, above in zip(rows, ruled, strict=True) for line in ([rule] * above + [row])]
    undefined = f"{PDF.none}: undefined." if any(cell.value is None for cell in grid.cells) else ""
    around = filter(None, (grid.note, undefined, *grid.remarks))
    return "\n".join([table.caption(grid), *(line.rstrip() for line in body), *around]) + "\n"


def _aligned(row: list[str], widths: list[int], heads: int) -> str:
    """Headings to the left, numbers to the right."""
    cells = zip(row, widths, strict=True)
    return "  ".join(
        text.ljust(width) if at < heads else text.rjust(width) for at, (text, width) in enumerate(cells)
    )


def papers_latex(report: Report, view: View) -> str:
    """Every table of the papers that the report can fill as a document that compiles by itself."""
    title = escape_latex(f"As in the papers: {report.subject.get('batch', '')}")
    grids = ((table, table.lay_out(report, view)) for table in PAPER_TABLES.values())
    tables = "\n".join(_latex(table, grid) for table, grid in grids)
    return latex_article(title, tables)
