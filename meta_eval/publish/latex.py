r"""A report's tables in LaTeX (booktabs): a snippet to \input, or a document that compiles by itself."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from meta_eval.publish.robustness import (
    Robustness,
    by_coefficient,
    left_out_lines,
    members_in_words,
    robustness_tables,
)
from meta_eval.report.answer import measure_title
from meta_eval.report.certainty import score_text
from meta_eval.report.robustness import CrossTable
from meta_eval.report.view import KINDS, View, choose_view
from meta_eval.scores.names import SCORES
from meta_eval.stats.coefficients.registry import AS_SHOWN, REGISTRY

Row = Mapping[str, Any]
Report = Mapping[str, Any]

COEFFICIENTS: Mapping[str, str] = {name: REGISTRY[name].latex for name in AS_SHOWN}
LEVELS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
"""Adjusted p below which an estimate gets the mark."""

_SHARED = r"\dagger"
_WIDE, _WIDEST = 8, 12
_MISSING = "--"

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
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "†": r"$\dagger$",
    "‡": r"$\ddagger$",
}
_UNSAFE = re.compile("|".join(map(re.escape, _SPECIAL)))


def escape_latex(text: str) -> str:
    """Any text as LaTeX that shows it; line ends and control characters become spaces."""
    plain = "".join(character if character.isprintable() else " " for character in text)
    return _UNSAFE.sub(lambda found: _SPECIAL[found[0]], plain)


def latex_tables(report: Report, view: View | None = None) -> str:
    r"""Leaderboard, correlations and whether they hold, of each score, as table environments.

    Tables that hold for one surrogate alone are of the view's. Needs \usepackage{booktabs}.
    """
    seen = view or choose_view(report, {})
    return "\n".join(table for kind in KINDS for table in _tables_of(report, kind, seen))


def latex_document(report: Report, view: View | None = None) -> str:
    """The same tables as a document that pdflatex compiles, with the answer above them."""
    answer = escape_latex(report["answer"]["sentence"])
    cautions = "\n".join(f"\\item {escape_latex(caution)}" for caution in report["answer"]["cautions"])
    itemized = f"\\begin{{itemize}}\n{cautions}\n\\end{{itemize}}\n" if cautions else ""
    title = escape_latex(f"Report on {report['subject'].get('batch', '')}")
    return (
        "\\documentclass[10pt]{article}\n"
        "\\usepackage[T1]{fontenc}\n\\usepackage[utf8]{inputenc}\n"
        "\\usepackage[a4paper,landscape,margin=15mm]{geometry}\n\\usepackage{booktabs}\n"
        f"\\title{{{title}}}\n\\date{{}}\n\\begin{{document}}\n\\maketitle\n"
        f"\\noindent {answer}\n\n{itemized}{latex_tables(report, view)}\\end{{document}}\n"
    )


def _tables_of(report: Report, kind: str, view: View) -> Iterator[str]:
    if any(row["score"] in {kind, f"{kind}_hj"} for row in report["leaderboard"]):
        yield _leaderboard(report, kind)
    if any(row["automatic"] == kind for row in report["correlations"]):
        yield _correlations(report, kind)
    if SCORES[kind].studied == kind:
        yield from (_robustness(found, kind) for found in robustness_tables(report, view, kind))


def _leaderboard(report: Report, kind: str) -> str:
    """Systems down, surrogates and measures across; the best of each column is bold."""
    rows = [row for row in report["leaderboard"] if row["score"] in {kind, f"{kind}_hj"}]
    places = list(dict.fromkeys((row["side"], row["measure"]) for row in rows))
    cells = {(row["system"], row["side"], row["measure"]): row for row in rows}
    systems = list(dict.fromkeys(row["system"] for row in rows))
    body = [
        [escape_latex(system), *(_score(cells.get((system, *place))) for place in places)]
        for system in systems
    ]
    better = "Higher" if rows[0]["higher_is_better"] else "Lower"
    caption = (
        f"{KINDS[kind]} of each system by the raters (with the surrogate named) and automatic (by the "
        f"measure named). {better} is better; the best of each column is bold; {_MISSING}: no score."
    )
    return _environment(caption, f"tab:{kind}-scores", [_groups(places), _titles("System", places)], body)


def _score(row: Row | None) -> str:
    if row is None or row["value"] is None:
        return _MISSING
    text = score_text(row["value"]).replace("< ", "$<$\\,")
    return f"\\textbf{{{text}}}" if row["rank"] == 1 else text


def _groups(places: Sequence[tuple[str, str]]) -> str:
    """The line of headings over the columns of each side, with rules below."""
    sides = [side for side, _ in places]
    headings, rules, column = [], [], 2
    for side in dict.fromkeys(sides):
        width = sides.count(side)
        headings.append(f"\\multicolumn{{{width}}}{{c}}{{{'Raters' if side == 'human' else 'Automatic'}}}")
        rules.append(f"\\cmidrule(lr){{{column}-{column + width - 1}}}")
        column += width
    return f" & {' & '.join(headings)} \\\\\n{' '.join(rules)}"


def _titles(first: str, places: Iterable[tuple[str, str]]) -> str:
    return f"{' & '.join([first, *(escape_latex(measure_title(name)) for _, name in places)])} \\\\"


def _correlations(report: Report, kind: str) -> str:
    """Measures down, surrogates across, a group of lines for each coefficient."""
    rows = [row for row in report["correlations"] if row["automatic"] == kind]
    surrogates = list(dict.fromkeys(row["surrogate"] for row in rows))
    measures = list(dict.fromkeys(row["measure"] for row in rows))
    cells = {(row["coefficient"], row["measure"], row["surrogate"]): row for row in rows}
    adjusted = _adjusted_p(report)
    body: list[list[str] | str] = []
    asked = {row["coefficient"] for row in rows}
    for coefficient, title in COEFFICIENTS.items():
        if coefficient not in asked:
            continue
        body.append(f"\\multicolumn{{{len(surrogates) + 1}}}{{l}}{{\\emph{{{title}}}}} \\\\")
        body += [
            [
                escape_latex(measure_title(measure)),
                *(_estimate(cells.get((coefficient, measure, name)), adjusted) for name in surrogates),
            ]
            for measure in measures
        ]
    header = _titles("Measure", [("human", name) for name in surrogates])
    return _environment(_correlations_caption(report, kind, rows), f"tab:{kind}-agreement", [header], body)


def _correlations_caption(report: Report, kind: str, rows: Sequence[Row]) -> str:
    n = sorted({row["n"] for row in rows})
    systems = str(n[0]) if len(n) == 1 else f"{n[0]} to {n[-1]}"
    caption = (
        f"Agreement of {KINDS[kind]} by each measure (lines) with {KINDS[kind]}-HJ of the raters by each "
        f"surrogate (columns), over {systems} systems. {_MISSING}: undefined."
    )
    if any(row["shared_input"] for row in rows):
        caption += f" ${_SHARED}$: surrogate and measure are the same, so both sides share distances."
    return caption + _marks_caption(report)


def _marks_caption(report: Report) -> str:
    found = [row for row in _inferred_cells(report) if row["p_adjusted"] is not None]
    if not found:
        return " Significance was not tested."
    marks = ", ".join(f"${mark}$ $p<{level}$" for level, mark in reversed(LEVELS))
    method = escape_latex(str(found[0]["p_adjustment"]).capitalize())
    return f" {marks}, two-sided, adjusted over all cells of this score by {method}."


def _inferred_cells(report: Report) -> list[Row]:
    return list((report.get("inference") or {}).get("cells") or ())


def _robustness(found: Robustness, kind: str) -> str:
    by_system = found.name == "left_out_systems"
    header, body = _left_out_lines(found.table) if by_system else _coefficient_lines(found.table)
    note = " ".join(filter(None, [f"{found.title}. {found.note}", members_in_words(found.table)]))
    titles = f"{' & '.join(map(escape_latex, header))} \\\\"
    label = f"tab:{kind}-{found.name.replace('_', '-')}"
    return _environment(f"{escape_latex(note)} {_MISSING}: undefined.", label, [titles], body)


def _left_out_lines(table: CrossTable) -> tuple[list[str], list[list[str]]]:
    """The system left out down, measures across."""
    header, body = left_out_lines(table)
    return header, [[escape_latex(system), *map(_held, cells)] for system, cells in body]


def _coefficient_lines(table: CrossTable) -> tuple[list[str], list[list[str] | str]]:
    """Measures down, a group of lines for each coefficient."""
    counted = (f"{name} (n = {table.count(number)})" for number, name in enumerate(table.columns))
    header = ["Measure", *counted]
    body: list[list[str] | str] = []
    for coefficient, rows in by_coefficient(table).items():
        title = escape_latex(coefficient)
        body.append(f"\\multicolumn{{{len(header)}}}{{l}}{{\\emph{{{title}}}}} \\\\")
        body += [[escape_latex(row.measure), *map(_held, row.cells)] for row in rows]
    return header, body


def _held(cell: Row | None) -> str:
    """An estimate with its interval; one that hangs on the system left out is marked."""
    if cell is None or cell["estimate"] is None:
        return _MISSING
    mark = r"^{\ddagger}" if cell.get("carries") else ""
    text = f"${cell['estimate']:.2f}{mark}$"
    if cell.get("ci_low") is None:
        return text
    return f"{text} {{\\scriptsize $[{cell['ci_low']:.2f}, {cell['ci_high']:.2f}]$}}"


_CELL = ("automatic", "surrogate", "measure", "coefficient")


def _adjusted_p(report: Report) -> dict[tuple[str, ...], float | None]:
    return {tuple(row[name] for name in _CELL): row["p_adjusted"] for row in _inferred_cells(report)}


def _estimate(row: Row | None, adjusted: Mapping[tuple[str, ...], float | None]) -> str:
    if row is None or row["estimate"] is None:
        return _MISSING
    p = adjusted.get(tuple(row[name] for name in _CELL))
    mark = next((mark for level, mark in LEVELS if p is not None and p < level), "")
    raised = mark + (_SHARED if row["shared_input"] else "")
    return f"${row['estimate']:.2f}{f'^{{{raised}}}' if raised else ''}$"


def _environment(caption: str, label: str, header: Sequence[str], body: Sequence[Sequence[str] | str]) -> str:
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
            f"\\begin{{tabular}}{{l{'r' * (width - 1)}}}",
            "\\toprule",
            *header,
            "\\midrule",
            *grouped,
            f"\\bottomrule\n\\end{{tabular}}\n\\end{{{name}}}\n",
        ]
    )
