"""Tables of the papers as files: CSV that reads back, text with rules, LaTeX that compiles."""

import csv
import io
import re
import shutil
import subprocess
from dataclasses import replace

import pytest

from meta_eval.publish.papers import PAPER_TABLES, papers_latex, render_paper
from meta_eval.report.leaderboard import rank_systems
from meta_eval.report.published.reading import read_published
from meta_eval.report.schema import (
    CorrelationRow,
    ParadoxRow,
    ScoreRow,
    StabilityRow,
    StabilityShare,
    SystemStability,
)
from meta_eval.report.tables.grid import Cell, Column, Grid, Line
from meta_eval.report.view import choose_view
from meta_eval.studies.icopernicus.paradoxes import read_style_scores
from meta_eval.studies.icopernicus.tables import PromptStudy, lay_out_table_3, lay_out_table_4
from tests.meta_eval.surveys import make_content, with_inference

FAMILIES = {"Copy": "personalised", "Long & wide": "personalised", "Same_50%": "one for all"}
REPORT = with_inference(make_content(surrogates=("rouge-l", "jsd")), families=FAMILIES).report
VIEW = choose_view(REPORT, {})
pdflatex = shutil.which("pdflatex")


def rendered(name, form, report=REPORT):
    table = PAPER_TABLES[name]
    return render_paper(table, table.lay_out(report, choose_view(report, {})), form)


def test_every_table_of_the_papers_is_there_in_order_and_knows_its_name():
    assert list(PAPER_TABLES) == [
        *(f"perseval-table-{number}" for number in range(1, 9)),
        "perseval-figure-3",
        "thesis-table-5.4",
        *(f"icopernicus-table-{number}" for number in (3, 4, 5, 9)),
    ]
    for name, table in PAPER_TABLES.items():
        assert (table.name, table.lay_out(REPORT, VIEW).name) == (name, name)


@pytest.mark.parametrize("name", PAPER_TABLES)
def test_no_table_is_empty_without_a_sentence_that_says_why(name):
    for report in (REPORT, replace(REPORT, inference=None, leaderboard=(), correlations=())):
        grid = PAPER_TABLES[name].lay_out(report, choose_view(report, {}))
        assert bool(grid.lines) != bool(grid.missing)
        assert [len(line.cells) for line in grid.lines] == [len(grid.columns)] * len(grid.lines)
        assert not grid.missing or grid.missing.endswith(".")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("perseval-table-1", "perseval"),
        ("perseval-table-2", "correlations"),
        ("perseval-table-3", "paradox"),
        ("perseval-table-4", "stability"),
        ("perseval-table-7", "egises"),
        ("perseval-table-8", "p_acc"),
        ("thesis-table-5.4", "thesis"),
    ],
)
def test_our_csv_reads_back_as_a_published_table_of_its_kind(name, kind):
    written = rendered(name, "csv")
    table = read_published(io.BytesIO(written.encode()), kind, name=name)
    grid = PAPER_TABLES[name].lay_out(REPORT, VIEW)
    divisors = {"egises_jsd": 1, "rougeL": 100}
    assert [value.value for value in table.values] == [
        cell.value / divisors.get(column.key, 1)
        for line in grid.lines
        for column, cell in zip(grid.columns, line.cells, strict=True)
    ]


def test_text_has_a_rule_between_families_and_every_word_around_the_table():
    text = rendered("perseval-table-1", "text")
    grid = PAPER_TABLES["perseval-table-1"].lay_out(REPORT, VIEW)
    lines = text.splitlines()
    assert lines[0] == "As PerSEval Table 1: PerSEval of each system by measure."
    assert [line.split("  ")[0] for line in lines[1:7]] == [
        "System",
        "-" * len(lines[1]),
        "Copy",
        "Long & wide",
        "-" * len(lines[1]),
        "Same_50%",
    ]
    assert lines[7:] == [grid.note, *grid.remarks]
    missing = rendered("icopernicus-table-3", "text")
    assert missing.splitlines()[1].startswith("There are no scores of EGISES by prompt style, because")


def test_latex_has_rules_once_said_headings_and_marks():
    grid = PAPER_TABLES["perseval-table-2"].lay_out(REPORT, VIEW)
    marked = replace(
        grid,
        lines=tuple(
            replace(line, cells=tuple(replace(cell, p_adjusted=0.004) for cell in line.cells))
            for line in grid.lines
        ),
    )
    latex = render_paper(PAPER_TABLES["perseval-table-2"], marked, "latex")
    body = latex.split(r"\midrule", 1)[1].split(r"\bottomrule")[0].strip().splitlines()
    assert [line.split(" & ")[:2] for line in body if line != r"\midrule"] == [
        ["ROUGE-L", "Pearson’s r"],
        ["", r"Spearman’s $\rho$"],
        ["", r"Kendall’s $\tau$-b"],
        ["Jensen-Shannon", "Pearson’s r"],
        ["", r"Spearman’s $\rho$"],
        ["", r"Kendall’s $\tau$-b"],
    ]
    assert [at for at, line in enumerate(body) if line == r"\midrule"] == [3]
    assert re.search(r"\$0\.99\^\{\*\*\\dagger\\circ\}\$", body[0])
    assert r"\begin{tabular}{llrr}" in latex
    assert r"\label{tab:perseval-table-2}" in latex


def test_text_says_what_none_means_where_a_number_is_missing():
    grid = Grid(
        name="g",
        title="T",
        heads=("A",),
        columns=(Column(title="n"),),
        lines=(Line(heads=("a",), cells=(Cell(),)),),
        note="Note.",
    )
    assert render_paper(PAPER_TABLES["icopernicus-table-4"], grid, "text").splitlines()[-3:] == [
        "a  none",
        "Note.",
        "none: undefined.",
    ]
    assert "undefined" not in rendered("perseval-table-1", "text")


def test_latex_says_an_undefined_number_and_a_foot_and_two_hyphens_as_they_are():
    grid = Grid(
        name="g",
        title="T",
        heads=("A",),
        columns=(Column(title="n"), Column(title="w")),
        lines=(Line(heads=("a--b",), cells=(Cell(), "yes")),),
        foot=(Line(heads=("Alike",), cells=("1 of 1", None)),),
    )
    latex = render_paper(PAPER_TABLES["icopernicus-table-9"], grid, "latex")
    assert "a-{}-b & -- & yes \\\\\n\\midrule\nAlike & 1 of 1 &  \\\\" in latex
    assert r"\caption{As iCOPERNICUS Table 9: T. --: undefined.}" in latex
    missing = render_paper(
        PAPER_TABLES["perseval-table-1"], Grid(name="g", title="T", missing="Not so."), "latex"
    )
    assert missing == "\\par\\noindent\\textbf{As PerSEval Table 1: T.} Not so.\\par\n"


def test_latex_has_the_figure_drawn_and_its_numbers_below():
    latex = rendered("perseval-figure-3", "latex")
    figure, numbers = latex.split(r"\end{figure}")
    assert figure.count(r"\makebox(0,0){$\bullet$}") == 11
    assert r"\caption{As PerSEval figure 3: Ablation of beta: PerSEval by" in figure
    assert r"\caption{The numbers behind PerSEval figure 3.}" in numbers
    undrawn = replace(
        REPORT.inference, ablation=tuple(replace(row, estimate=None) for row in REPORT.inference.ablation)
    )
    assert r"\begin{figure}" not in rendered("perseval-figure-3", "latex", replace(REPORT, inference=undrawn))


MANY = ("rouge-l", "rouge-su4", "bleu", "meteor", "jsd", "bertscore", "infolm")
WIDE = replace(
    REPORT,
    leaderboard=tuple(
        replace(row, measure=name) for name in MANY for row in REPORT.leaderboard if row.measure == "rouge-l"
    ),
    correlations=tuple(
        replace(row, measure=name, surrogate=other, p_adjusted=0.0001)
        for name in MANY
        for other in MANY
        for row in REPORT.correlations
        if (row.measure, row.surrogate) == ("rouge-l", "rouge-l")
    ),
)


@pytest.mark.skipif(pdflatex is None, reason="needs pdflatex, which this machine does not have")
@pytest.mark.parametrize("report", [REPORT, WIDE], ids=["narrow", "wide"])
def test_the_document_of_all_tables_compiles_and_nothing_sticks_out(tmp_path, report):
    (tmp_path / "papers.tex").write_text(papers_latex(report, VIEW), encoding="utf-8")
    command = [pdflatex, "-interaction=nonstopmode", "-halt-on-error", "papers.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in done.stdout


def released(shared, name):
    """A released table: its header, and its rows as texts and numbers."""
    with (shared / "data" / "published" / name).open(encoding="utf-8", newline="") as stream:
        return as_numbers(list(csv.reader(stream)))


def as_numbers(rows):
    def number(text):
        try:
            return float(text)
        except ValueError:
            return text

    return [rows[0], *([number(cell) for cell in row] for row in rows[1:])]


def ours(name, report):
    return as_numbers(list(csv.reader(io.StringIO(rendered(name, "csv", report)))))


def in_two_families(systems):
    """The paper's: those that know their reader are named after PENS."""
    named = {system: "PENS" if system.startswith("PENS") else "Baselines" for system in systems}
    options = replace(
        REPORT.inference.options, families=dict(sorted(named.items(), key=lambda item: item[1]))
    )
    return replace(REPORT.inference, options=options)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "score", "file", "higher"),
    [
        ("perseval-table-1", "perseval", "perseval_table1_perseval.csv", True),
        ("perseval-table-7", "egises", "perseval_table7_egises.csv", False),
        ("perseval-table-8", "p_acc", "perseval_table8_pacc.csv", True),
    ],
)
def test_scores_have_the_rows_and_columns_of_the_released_table(shared, name, score, file, higher):
    header, *rows = wanted = released(shared, file)
    leaderboard = []
    for at, measure in reversed(list(enumerate(header[1:], start=1))):
        values = {row[0]: row[at] for row in rows}
        ranks = rank_systems(values, higher_is_better=higher)
        leaderboard += [
            ScoreRow(system, "automatic", measure, score, value, ranks[system], 10, 9, 9, higher, None)
            for system, value in values.items()
        ]
    report = replace(
        REPORT, leaderboard=tuple(leaderboard), inference=in_two_families([row[0] for row in rows])
    )
    assert ours(name, report) == wanted


@pytest.mark.shared
def test_agreement_has_the_rows_and_columns_of_the_released_table(shared):
    header, *rows = wanted = released(shared, "perseval_table2_hj_correlation_pens.csv")
    some: CorrelationRow = REPORT.correlations[0]
    cells = (
        replace(
            some, automatic="perseval", surrogate=row[0], coefficient=row[1], measure=measure, estimate=value
        )
        for row in reversed(rows)
        for measure, value in zip(header[2:], row[2:], strict=True)
    )
    assert ours("perseval-table-2", replace(REPORT, correlations=tuple(cells))) == wanted


@pytest.mark.shared
def test_the_paradox_has_the_rows_and_columns_of_the_released_table(shared):
    header, *rows = wanted = released(shared, "perseval_table3_paradox.csv")
    cells = tuple(
        ParadoxRow(measure=measure, coefficient=row[0], n=10, estimate=value, reason=None)
        for row in reversed(rows)
        for measure, value in zip(header[1:], row[1:], strict=True)
    )
    report = replace(REPORT, inference=replace(REPORT.inference, paradox=cells))
    assert ours("perseval-table-3", report) == wanted


@pytest.mark.shared
def test_stability_has_the_rows_and_columns_of_the_released_table(shared):
    _, *rows = wanted = released(shared, "perseval_table4_stability.csv")
    shares = tuple(
        StabilityShare(
            share=share,
            documents=9,
            samples=10,
            coefficient="kendall",
            minimum=1.0,
            mean=1.0,
            maximum=1.0,
            undefined=0,
        )
        for share in (0.8, 0.6, 0.4, 0.2)
    )
    systems = tuple(
        SystemStability(system=row[0], means=tuple(row[1:6]), bias=row[6], variance=row[7])
        for row in reversed(rows)
    )
    row = StabilityRow(score="perseval", measure=VIEW.measure, delta=0.1, shares=shares, systems=systems)
    inference = replace(in_two_families([row[0] for row in rows]), stability=(row,))
    assert ours("perseval-table-4", replace(REPORT, inference=inference)) == wanted


@pytest.mark.shared
def test_the_thesis_table_has_the_rows_of_the_released_one_and_the_columns_that_are_measures_here(shared):
    header, *rows = released(shared, "thesis_table5_4.csv")
    leaderboard = [
        ScoreRow(row[0], "automatic", measure, score, value, 1, 6, 9, 9, True, None)
        for row in rows
        for measure, score, value in (("jsd-oov", "egises", row[1]), ("rouge-l", "accuracy", row[4] / 100))
    ]
    report = replace(
        REPORT, leaderboard=tuple(leaderboard), inference=in_two_families([row[0] for row in rows])
    )
    found = ours("thesis-table-5.4", report)
    assert found[0] == [header[0], header[1], header[4]]
    assert [[row[0], row[1], round(row[2], 9)] for row in found[1:]] == [
        [row[0], row[1], row[4]] for row in rows
    ]


@pytest.mark.shared
def test_prompts_have_the_rows_and_columns_of_the_released_tables(shared):
    file = "icopernicus_table3_egises_jsd.csv"
    study = PromptStudy(egises=read_style_scores(shared / "data" / "published" / file))
    for lay_out, wanted in ((lay_out_table_3, file), (lay_out_table_4, "icopernicus_table4_paradoxes.csv")):
        grid = lay_out(study)
        found = render_paper(PAPER_TABLES[grid.name], grid, "csv")
        assert as_numbers(list(csv.reader(io.StringIO(found)))) == released(shared, wanted)
