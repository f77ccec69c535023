r"""A report's tables in LaTeX (booktabs): a snippet to \input, or a document that compiles by itself."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from meta_eval.publish.latex_article import latex_article
from meta_eval.report.limits import limits_of_report
from meta_eval.report.numbers import (
    LATEX,
    LEVELS,
    estimate_text,
    p_text,
    range_text,
    score_text,
    spread_text,
    stars,
)
from meta_eval.report.schema import Report
from meta_eval.report.shared import SAME_MEASURE
from meta_eval.report.tables.coefficients import (
    RATERS_NOTE,
    UNSUPPORTED_NOTE,
    given_note,
    lay_out_coefficients,
    penalty_note,
    with_surrogates,
)
from meta_eval.report.tables.deviations import lay_out_deviations
from meta_eval.report.tables.grid import Cell, Column, Grid, Line
from meta_eval.report.tables.judged import lay_out_judged
from meta_eval.report.tables.primary import lay_out_primary
from meta_eval.report.tables.prompts import lay_out_prompt_orders
from meta_eval.report.tables.robustness import lay_out_robustness
from meta_eval.report.tables.scores import lay_out_leaderboard
from meta_eval.report.tables.sentinels import lay_out_sentinels
from meta_eval.report.tables.stand_in import lay_out_stand_in
from meta_eval.report.view import KINDS, View, choose_view
from meta_eval.scores.names import SCORES
from meta_eval.stats.coefficients.registry import AS_SHOWN, REGISTRY

COEFFICIENTS: Mapping[str, str] = {name: REGISTRY[name].latex for name in AS_SHOWN}
_WIDE, _WIDEST = 8, 12

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "−": r"$-$",
    "τ": r"$\tau$",
    "ρ": r"$\rho$",
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "×": r"$\times$",
    "ε": r"$\varepsilon$",
    "ω": r"$\omega$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "°": r"$^{\circ}$",
    "†": r"$\dagger$",
    "‡": r"$\ddagger$",
}
_AFTER_A_ROW = ("[", "*")
"""What the end of a table's row would take for its own if the next row began with it."""
_APART = "-{}"
"""A hyphen before another one, which would else become a dash."""
_UNSAFE = re.compile("|".join([*map(re.escape, _SPECIAL), "-(?=-)"]))


def escape_latex(text: str) -> str:
    """Any text as LaTeX that shows it; line ends and control characters become spaces."""
    plain = "".join(character if character.isprintable() else " " for character in text)
    escaped = _UNSAFE.sub(lambda found: _SPECIAL.get(found[0], _APART), plain)
    return f"{{{escaped[0]}}}{escaped[1:]}" if escaped.startswith(_AFTER_A_ROW) else escaped


def latex_tables(report: Report, view: View | None = None) -> str:
    r"""Leaderboard, correlations and whether they hold, of each score; then further tables.

    These say how measures deviate and what richer prompts did, and set judges and models beside people. Table
    environments; those that hold for one surrogate alone are of the view's. Needs \usepackage{booktabs}.
    """
    seen = view or choose_view(report, {})
    tables = [table for kind in KINDS for table in _tables_of(report, kind, seen)]
    beside = (*lay_out_judged(report, seen), *lay_out_stand_in(report, seen))
    models = [latex_grid(grid, f"{grid.title}.") for grid in beside]
    return "\n".join([*_primary(report), *tables, *_further(report, seen), *models])


def _further(report: Report, view: View) -> list[str]:
    """What stands after the scores: how measures deviate, and what richer prompts did."""
    grids = (lay_out_deviations(report, view), lay_out_prompt_orders(report, view))
    return [latex_grid(grid, _titled(grid)) for grid in grids if grid.lines]


def latex_document(report: Report, view: View | None = None) -> str:
    """The same tables as a document that compiles by itself, with the answer above them."""
    answer = escape_latex(f"{report.answer.sentence} {report.answer.declared}".rstrip())
    cautions = "\n".join(f"\\item {escape_latex(caution)}" for caution in report.answer.cautions)
    itemized = f"\\begin{{itemize}}\n{cautions}\n\\end{{itemize}}\n" if cautions else ""
    title = escape_latex(f"Report on {report.subject.get('batch', '')}")
    return latex_article(title, f"\\noindent {answer}\n\n{itemized}{latex_tables(report, view)}")


def _titled(grid: Grid, words: str = "") -> str:
    """The title of a grid as a sentence, which may be a question, and words after it."""
    return f"{grid.title}{'' if grid.title.endswith('?') else '.'} {words}".rstrip()


def _primary(report: Report) -> Iterator[str]:
    """The declared primary coefficient, where there is one."""
    grid = lay_out_primary(report)
    if grid.lines:
        caption = (
            f"{escape_latex(_titled(grid, f'{report.answer.declared} {grid.note}'))} {LATEX.none}: undefined."
        )
        if any(cell.shared for cell in grid.cells):
            caption += rf" $\dagger$: {SAME_MEASURE}"
        header = [_titles(grid.heads, grid.columns)]
        yield _environment(caption, "tab:primary", header, [_line(line) for line in grid.lines])


def latex_grid(grid: Grid, caption: str) -> str:
    r"""Any grid as one table environment with all its headings and rules; needs \usepackage{booktabs}.

    A heading that is that of the line before is not said again. A grid without lines is the sentence that
    says why.
    """
    if not grid.lines:
        return f"\\par\\noindent\\textbf{{{escape_latex(caption)}}} {escape_latex(grid.missing)}\\par\n"
    body: list[list[str] | str] = []
    before: tuple[str, ...] = ()
    for line in grid.lines:
        body += [r"\midrule"] * line.rule
        body.append([*_new_heads(line.heads, () if line.rule else before), *_line(line)[1:]])
        before = line.heads
    body += [r"\midrule"] * bool(grid.foot)
    body += [[*map(escape_latex, line.heads), *_line(line)[1:]] for line in grid.foot]
    words = " ".join(filter(None, (caption, grid.note, *grid.remarks)))
    header = [_titles(grid.heads, grid.columns)]
    missing = any(cell.value is None for cell in grid.cells)
    said = f"{escape_latex(words)} {LATEX.none}: undefined." if missing else escape_latex(words)
    return _environment(said, f"tab:{grid.name}", header, body, heads=len(grid.heads))


def _new_heads(heads: Sequence[str], before: Sequence[str]) -> list[str]:
    """The headings of a line, those left out that the line before has, too; the last one always stands."""
    same = 0
    while same < len(heads) - 1 and heads[: same + 1] == before[: same + 1]:
        same += 1
    return ["" if at < same else escape_latex(head) for at, head in enumerate(heads)]


def _tables_of(report: Report, kind: str, view: View) -> Iterator[str]:
    board = lay_out_leaderboard(report, kind)
    if board.lines:
        yield _leaderboard(board, kind)
    if grids := list(with_surrogates(lay_out_coefficients(report, kind))):
        yield _correlations(report, grids, kind)
    if SCORES[kind].studied == kind:
        sentinels = lay_out_sentinels(report, replace(view, kind=kind))
        grids = [*lay_out_robustness(report, view, kind), *([sentinels] if sentinels.lines else [])]
        yield from (_robustness(grid, kind) for grid in grids)


def _leaderboard(board: Grid, kind: str) -> str:
    """Systems down, surrogates and measures across; the best of each column is bold."""
    caption = (
        f"{KINDS[kind]} of each system by the raters (with the surrogate named) and automatic (by the "
        f"measure named). {board.note.partition(' ')[0]} is better; the best of each column is bold; "
        f"{LATEX.none}: no score."
    )
    header = [_groups(board.columns), _titles(board.heads, board.columns)]
    return _environment(caption, f"tab:{kind}-scores", header, [_line(line) for line in board.lines])


def _groups(columns: Sequence[Column]) -> str:
    """The line of headings over the columns of each side, with rules below."""
    headings, rules, first = [], [], 2
    for group, members in groupby(columns, key=lambda column: column.group):
        width = len(list(members))
        headings.append(f"\\multicolumn{{{width}}}{{c}}{{{group}}}")
        rules.append(f"\\cmidrule(lr){{{first}-{first + width - 1}}}")
        first += width
    return f" & {' & '.join(headings)} \\\\\n{' '.join(rules)}"


def _titles(heads: Iterable[str], columns: Iterable[Column]) -> str:
    titles = [f"{column.title} ({column.note})" if column.note else column.title for column in columns]
    return f"{' & '.join(map(escape_latex, [*heads, *titles]))} \\\\"


def _correlations(report: Report, grids: Sequence[Grid], kind: str) -> str:
    """Measures down, surrogates across, a group of lines for each coefficient."""
    cells = [cell for grid in grids for cell in grid.cells if cell.row]
    caption = (
        f"Agreement of {KINDS[kind]} by each measure (lines) with {KINDS[kind]}-HJ of the raters by each "
        f"surrogate (columns), over {range_text(cell.row.n for cell in cells)} systems. "
        f"{LATEX.none}: undefined."
    )
    if any(cell.shared for cell in cells):
        caption += rf" $\dagger$: {SAME_MEASURE}"
    if any(cell.p_raters is not None for cell in cells):
        caption += f" Below each estimate {escape_latex(RATERS_NOTE)}"
    rows = [cell.row for cell in cells]
    caption += "".join(f" {escape_latex(note)}" for note in (penalty_note(rows), given_note(rows)) if note)
    if any(cell.unsupported for cell in cells):
        caption += rf" $\circ$: {escape_latex(UNSUPPORTED_NOTE)}"
    if report.answer.answerable is False:
        caption += f" {escape_latex(report.answer.headline)}"
    first = grids[0]
    body: list[list[str] | str] = []
    for grid in grids:
        body += [_section(COEFFICIENTS[grid.name], len(first.columns) + 1)]
        for line in grid.lines:
            body += [_line(line, below=True), *_raters_of(line)]
    header = [_titles(first.heads, first.columns)]
    return _environment(caption + _marks_caption(report), f"tab:{kind}-agreement", header, body)


def _marks_caption(report: Report) -> str:
    tested = [row for row in report.correlations if row.p_adjusted is not None]
    if not tested:
        return " Significance was not tested."
    marks = ", ".join(f"${mark}$ $p<{level}$" for level, mark in reversed(LEVELS))
    method = escape_latex(str(tested[0].p_adjustment).capitalize())
    limits = "".join(f" {escape_latex(limit)}" for limit in limits_of_report(report))
    declared = f" {escape_latex(report.answer.declared)}" if report.answer.declared else ""
    return f" {marks}, two-sided, adjusted over all cells of this score by {method}.{declared}{limits}"


def _robustness(grid: Grid, kind: str) -> str:
    """The first of two headings of a line, its coefficient, stands over its group of lines."""
    head = grid.heads[-1]
    body: list[list[str] | str] = []
    for section, lines in groupby(grid.lines, key=lambda line: line.heads[:-1]):
        body += [_section(escape_latex(title), len(grid.columns) + 1) for title in section]
        for line in lines:
            body += [_line(line), *(_raters_of(line) if grid.below else [])]
    caption = f"{escape_latex(_titled(grid, grid.note))} {LATEX.none}: undefined."
    label = f"tab:{kind}-{grid.name.replace('_', '-')}"
    return _environment(caption, label, [_titles([head], grid.columns)], body)


def _raters_of(line: Line) -> list[list[str]]:
    """The line below, where p of raters is known of a cell."""
    below = [_raters(cell) for cell in line.cells]
    return [["", *below]] if any(below) else []


def _raters(cell: Cell | str | None) -> str:
    """p of raters in brackets, below its estimate."""
    if not isinstance(cell, Cell) or cell.value is None or cell.p_raters is None:
        return ""
    return f"{{\\scriptsize ({p_text(cell.p_raters, LATEX)})}}"


def _section(title: str, width: int) -> str:
    return f"\\multicolumn{{{width}}}{{l}}{{\\emph{{{title}}}}} \\\\"


def _line(line: Line, *, below: bool = False) -> list[str]:
    cells = (
        _cell(cell, below=below) if isinstance(cell, Cell) else escape_latex(cell or "")
        for cell in line.cells
    )
    return [escape_latex(line.heads[-1]), *cells]


def _cell(cell: Cell, *, below: bool) -> str:
    """A score, the best in bold; an interval, a p, a spread or a coefficient."""
    if cell.kind == "interval":
        return LATEX.none if cell.low is None else f"$[{_ends(cell)}]$"
    if cell.value is None:
        return LATEX.none
    if cell.kind == "p":
        return p_text(cell.value, LATEX)
    if cell.kind == "spread":
        return spread_text(cell.value, LATEX)
    if cell.kind == "score":
        text = score_text(cell.value, LATEX, cell.digits)
        return f"\\textbf{{{text}}}" if cell.rank == 1 else text
    return _coefficient(cell, cell.value, below=below)


def _coefficient(cell: Cell, estimate: float, *, below: bool) -> str:
    """An estimate with its marks, and with its interval where there is room."""
    doubts = r"\dagger" * cell.shared + r"\circ" * cell.unsupported + r"\ddagger" * cell.carries
    marks = stars(cell.p_adjusted) + doubts
    text = f"${estimate_text(estimate, LATEX)}{f'^{{{marks}}}' if marks else ''}$"
    if below or cell.low is None:
        return text
    return f"{text} {{\\scriptsize $[{_ends(cell)}]$}}"


def _ends(cell: Cell) -> str:
    return f"{estimate_text(cell.low, LATEX)}, {estimate_text(cell.high, LATEX)}"


def _environment(
    caption: str, label: str, header: Sequence[str], body: Sequence[Sequence[str] | str], *, heads: int = 1
) -> str:
    """A floating table, over both columns of a two-column paper where it is wide."""
    width = max(len(row) for row in body if not isinstance(row, str))
    name = "table*" if width > _WIDE else "table"
    lines = [row if isinstance(row, str) else f"{' & '.join(row)} \\\\" for row in body]
    grouped = [
        f"\\addlinespace\n{line}" if line.startswith(r"\multicolumn") and place else line
        for place, line in enumerate(lines)
    ]
    return "\n".join(
        [
            f"\\begin{{{name}}}[htbp]",
            "\\centering\n\\scriptsize\n\\setlength{\\tabcolsep}{2.5pt}"
            if width > _WIDEST
            else "\\centering\n\\small\n\\setlength{\\tabcolsep}{4pt}",
            f"\\caption{{{caption}}}\n\\label{{{label}}}\n\\smallskip",
            f"\\begin{{tabular}}{{{'l' * heads}{'r' * (width - heads)}}}",
            "\\toprule",
            *header,
            "\\midrule",
            *grouped,
            f"\\bottomrule\n\\end{{tabular}}\n\\end{{{name}}}\n",
        ]
    )
