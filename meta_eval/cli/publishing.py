"""The command that lays out a stored report as the papers' tables."""

import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from meta_eval.cli.inputs import parse_pairs
from meta_eval.errors import Fault, InputError
from meta_eval.files.json_files import read_json
from meta_eval.files.writing import require_file_place, require_folder_place, write_text
from meta_eval.publish.bundle.reading import open_bundle, read_sealed_report
from meta_eval.publish.papers import PAPER_TABLES, PaperForm, PaperTable, render_paper
from meta_eval.report.schema import Report, read_report
from meta_eval.report.tables.grid import Grid
from meta_eval.report.view import View, choose_view, measures_of

ALL = "all"
ENDINGS: Mapping[PaperForm, str] = {"latex": "tex", "csv": "csv", "text": "txt"}
SHOWN = {"measure": "automatic", "surrogate": "human"}
"""What may be chosen of tables that are of one measure or one surrogate, and the side that has it."""


def publish(
    report_file: Annotated[
        Path, typer.Argument(metavar="REPORT", help="A stored report: its JSON, or a sealed bundle.")
    ],
    names: Annotated[
        list[str] | None,
        typer.Option(
            "--as",
            metavar="NAME",
            help="The table of a paper, such as perseval-table-4, or all. May be repeated. "
            "[default: list what there is]",
        ),
    ] = None,
    form: Annotated[PaperForm, typer.Option("--format", "-f", help="Format of the tables.")] = "text",
    show: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Of which measure and surrogate tables are that are of one. May be repeated. "
            "[default: the best measure, the surrogate that was declared or else the first]",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="PLACE", help="File of one table, folder of several."),
    ] = None,
) -> None:
    """Lay out a report as the tables of the papers: PerSEval, the EGISES thesis, iCOPERNICUS."""
    tables = choose_tables(names or [])
    _require_place(out, tables, form)
    report = read_stored_report(report_file)
    view = _choose_view(report, show or [])
    if not tables:
        write_text(_listed(report, view), out)
        return
    write_tables({table: table.lay_out(report, view) for table in tables}, form, out)


def choose_tables(names: Sequence[str], there: Mapping[str, PaperTable] = PAPER_TABLES) -> list[PaperTable]:
    """The tables of these names, each once; raises `InputError` for a name that none has."""
    wanted = list(there) if ALL in names else list(dict.fromkeys(names))
    if unknown := [name for name in wanted if name not in there]:
        raise InputError(f"--as knows {', '.join(there)} and {ALL}, not {unknown[0]!r}")
    return [there[name] for name in wanted]


def write_tables(grids: Mapping[PaperTable, Grid], form: PaperForm, out: Path | None) -> None:
    """One table to a file, several into a folder, or all to standard output.

    Says on stderr which have nothing for a CSV file; raises `InputError` where that is the only one.
    """
    rendered = {table: render_paper(table, grid, form) for table, grid in grids.items()}
    empty = [table for table in rendered if not rendered[table]]
    if empty and len(empty) == len(grids) == 1:
        raise InputError(f"{empty[0].name}: {grids[empty[0]].missing}")
    for table in empty:
        sys.stderr.write(f"note: {table.name}: {grids[table].missing}\n")
    if len(grids) == 1 or out is None:
        write_text("\n".join(rendered.values()), out)
        return
    for table, text in rendered.items():
        if text:
            write_text(text, out / f"{table.name}.{ENDINGS[form]}")


def _require_place(out: Path | None, tables: Sequence[PaperTable], form: PaperForm) -> None:
    """Refuses before the work a place that cannot be written, and CSV tables run into each other."""
    if out is not None:
        (require_folder_place if len(tables) > 1 else require_file_place)(out)
    elif form == "csv" and len(tables) > 1:
        raise InputError("several tables as CSV are several files: say into which folder, --out FOLDER")


def read_stored_report(path: Path) -> Report:
    """The report of its JSON file, or of a sealed bundle. Raises `InputError` for anything else."""
    try:
        if zipfile.is_zipfile(path):
            with open_bundle(path) as archive:
                return read_sealed_report(archive)
    except OSError as error:
        raise InputError([Fault(str(path), None, f"cannot be read: {error.strerror}")]) from error
    return read_report(read_json(path, "neither JSON nor a bundle"))


def _choose_view(report: Report, texts: Sequence[str]) -> View:
    shown = parse_pairs(texts, "--show", "NAME=VALUE")
    for name, value in shown.items():
        if name not in SHOWN:
            raise InputError(f"--show knows {', '.join(SHOWN)}, not {name!r}")
        there = measures_of(report, SHOWN[name])
        if value not in there:
            raise InputError(f"--show {name}={value}: there are {', '.join(there)}")
    return choose_view(report, shown)


def _listed(report: Report, view: View) -> str:
    """Every table with what it is, and why the report has nothing for it where that is so."""
    lines = []
    for name, table in PAPER_TABLES.items():
        lines.append(f"{name}: {table.place}, {table.about}")
        if missing := table.lay_out(report, view).missing:
            lines.append(f"    not in this report: {missing}")
    return "\n".join(lines) + "\n"
