"""LaTeX tables: names escaped, marks explained, structure sound; compiled where there is a pdflatex."""

import re
import shutil
import subprocess
from dataclasses import replace

import pytest

from meta_eval.publish.latex import COEFFICIENTS, escape_latex, latex_document, latex_tables
from meta_eval.report.numbers import LATEX, p_text
from meta_eval.report.tables.robustness import lay_out_robustness
from meta_eval.report.view import choose_view
from tests.meta_eval.surveys import make_content, with_inference

PLAIN = make_content().report
REPORT = with_inference(make_content(surrogates=("rouge-l", "jsd"))).report
pdflatex = shutil.which("pdflatex")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Long & wide", r"Long \& wide"),
        ("Same_50%", r"Same\_50\%"),
        (r"a\b{c}", r"a\textbackslash{}b\{c\}"),
        ("x^2~#$", r"x\textasciicircum{}2\textasciitilde{}\#\$"),
        ("two\nlines", "two lines"),
        ("tau −0.2 <b>", r"tau $-$0.2 \textless{}b\textgreater{}"),
    ],
)
def test_any_name_is_shown_as_it_is(text, expected):
    assert escape_latex(text) == expected


def rows_of(tables, label):
    """Cells of the lines of one table's body."""
    table = tables.split(f"\\label{{tab:{label}}}")[1].split(r"\end{tabular}")[0]
    body = table.split(r"\midrule")[1].split(r"\bottomrule")[0]
    lines = [line for line in body.strip().splitlines() if line.endswith(r"\\")]
    return [re.split(r"(?<!\\) & ", line.removesuffix(r" \\")) for line in lines]


def test_every_line_has_as_many_cells_as_the_table_has_columns():
    tables = latex_tables(REPORT)
    for found in re.finditer(r"\\begin\{tabular\}\{(\w+)\}(.*?)\\end\{tabular\}", tables, flags=re.DOTALL):
        lines = [line for line in found[2].splitlines() if line.endswith(r"\\")]
        widths = [
            sum(int(wide) for wide in re.findall(r"\\multicolumn\{(\d+)\}", line))
            + len([cell for cell in re.split(r"(?<!\\)&", line) if r"\multicolumn" not in cell])
            for line in lines
        ]
        assert set(widths) == {len(found[1])}
    # leaderboard and coefficients of each score; of two of them what raters add, what families that
    # were found give by themselves, levels, systems left out and sentinels; last, how measures deviate
    begun, ended = (len(re.findall(rf"\\{word}\{{table\*?\}}", tables)) for word in ("begin", "end"))
    assert begun == ended == 3 * 2 + 2 * 5 + 1


def test_scores_are_those_of_the_report_and_the_best_is_bold():
    found = {row[0]: row[1:] for row in rows_of(latex_tables(PLAIN), "perseval-scores")}
    scores = {
        (row.system, row.side, row.measure): row
        for row in PLAIN.leaderboard
        if row.score.startswith("perseval")
    }
    places = [("human", "rouge-l"), ("automatic", "rouge-l"), ("automatic", "jsd")]
    for system in ("Copy", "Long & wide", "Same_50%"):
        rows = [scores[system, *place] for place in places]
        texts = [f"{row.value:.3f}" for row in rows]
        assert found[escape_latex(system)] == [
            f"\\textbf{{{text}}}" if row.rank == 1 else text for text, row in zip(texts, rows, strict=True)
        ]


def test_marks_follow_the_adjusted_p_and_are_explained():
    rows = tuple(replace(row, p_adjusted=0.004, p_raters=0.01) for row in REPORT.correlations)
    tables = latex_tables(replace(REPORT, correlations=rows))
    cells = [cell for row in rows_of(tables, "perseval-agreement") if row[0] for cell in row[1:]]
    below = [cell for row in rows_of(tables, "perseval-agreement") if not row[0] for cell in row[1:]]
    assert set(below) == {r"{\scriptsize (0.010)}"}
    assert "Below each estimate in brackets p of raters" in tables
    assert [
        cell
        for cell in cells
        if cell != "--" and not re.fullmatch(r"\$-?\d\.\d\d\^\{\*\*(\\dagger)?\}\$", cell)
    ] == []
    assert r"$*$ $p<0.05$, $**$ $p<0.01$, $***$ $p<0.001$, two-sided, adjusted" in tables
    assert r"\circ" not in tables


def test_what_the_raters_do_not_support_has_a_mark_that_is_explained():
    rows = tuple(replace(row, p_adjusted=None, p_raters=0.06) for row in REPORT.correlations)
    tables = latex_tables(replace(REPORT, correlations=rows))
    cells = [cell for row in rows_of(tables, "degress-agreement") if row[0] for cell in row[1:]]
    assert [
        cell
        for cell in cells
        if cell != "--" and not re.fullmatch(r"\$-?\d\.\d\d\^\{(\\dagger)?\\circ\}\$", cell)
    ] == []
    assert r"$\circ$: ratings shuffled within questionnaires reach it in more than 5 of 100 tries" in tables


def test_without_tests_there_are_no_marks_and_the_caption_says_so():
    tables = latex_tables(PLAIN)
    assert "^{*" not in tables
    assert tables.count("Significance was not tested.") == 3


def test_each_coefficient_has_its_lines():
    tables = latex_tables(PLAIN)
    counts = {name: tables.count(title) for name, title in COEFFICIENTS.items()}
    assert {name for name, count in counts.items() if count == 3} == {"kendall", "spearman", "pearson"}
    assert sum(counts.values()) == 9


FAMILIES = with_inference(
    make_content(surrogates=("rouge-l", "jsd")),
    families={"Copy": "personalised", "Long & wide": "personalised", "Same_50%": "one for all"},
).report


def test_a_score_has_a_table_of_each_grid_with_lines_of_a_coefficient_together():
    seen = choose_view(FAMILIES, {"surrogate": "jsd"})
    tables = latex_tables(FAMILIES, seen)
    for grid in lay_out_robustness(FAMILIES, seen, "degress"):
        lines = rows_of(tables, f"degress-{grid.name.replace('_', '-')}")
        assert [line for line in lines if len(line) > 1 and line[0]] == [
            [escape_latex(line.heads[-1]), *map(shown, line.cells)] for line in grid.lines
        ]
        below = [line for line in lines if len(line) > 1 and not line[0]]
        assert [len(one) for one in below] == [len(grid.columns) + 1] * len(grid.lines) * grid.below
        if grid.below:
            assert below[0][1] == f"{{\\scriptsize ({p_text(grid.lines[0].cells[0].p_raters, LATEX)})}}"
        titles = [line[0] for line in lines if len(line) == 1]
        assert len(titles) == (0 if grid.name == "left_out_systems" else 3)
    assert r"Families: personalised (Copy, Long \& wide); one for all (Same\_50\%)." in tables
    assert "egises-levels" not in tables
    assert r"the distance between families of systems? Shuffled:" in tables
    assert "?." not in tables


def shown(cell):
    if isinstance(cell, str):
        return cell
    if cell.kind == "p":
        return f"{cell.value:.3f}"
    if cell.value is None:
        return "--"
    mark = r"^{\ddagger}" if cell.carries else ""
    interval = f" {{\\scriptsize $[{cell.low:.2f}, {cell.high:.2f}]$}}" if cell.low is not None else ""
    return f"${cell.value:.2f}{mark}${interval}"


MANY = ("rouge-l", "rouge-su4", "bleu", "meteor", "jsd", "bertscore", "infolm")
WIDE = replace(
    REPORT,
    leaderboard=tuple(
        replace(row, measure=name) for name in MANY for row in REPORT.leaderboard if row.measure == "rouge-l"
    ),
)
"""With as many columns as all measures and surrogates give."""


@pytest.mark.skipif(pdflatex is None, reason="needs pdflatex, which this machine does not have")
@pytest.mark.parametrize("report", [FAMILIES, WIDE], ids=["narrow", "wide"])
def test_the_document_compiles_and_nothing_sticks_out(tmp_path, report):
    (tmp_path / "report.tex").write_text(latex_document(report), encoding="utf-8")
    command = [pdflatex, "-interaction=nonstopmode", "-halt-on-error", "report.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in done.stdout
