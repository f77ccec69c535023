"""`import-ratings`: what annotation tools export, as a table of ratings."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from meta_eval.cli.options import file_place
from meta_eval.errors import InputError
from meta_eval.files.values import count_of
from meta_eval.files.writing import write_text
from meta_eval.ratings.exports import ExportedRatings, Taking, read_label_studio, read_potato


class Tool(StrEnum):
    """Whose export it is."""

    label_studio = "label-studio"
    potato = "potato"


def import_ratings(
    export: Annotated[
        Path,
        typer.Argument(metavar="EXPORT", help="The exported file, or Potato's folder annotation_output."),
    ],
    tool: Annotated[Tool, typer.Option("--from", help="The tool that wrote it.")],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FILE", help="Where to write the ratings.", callback=file_place),
    ],
    items: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Potato's file of items: JSON, JSON Lines, CSV or TSV."),
    ] = None,
    id_key: Annotated[str, typer.Option(metavar="FIELD", help="Field of an item that is its id.")] = "id",
    fields: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="COLUMN=FIELD",
            help="The field of an item that is doc_id, system, reader_a or reader_b; by default the field "
            "of that name. May be repeated.",
        ),
    ] = None,
    question: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The control or scheme that counts, where there are several."),
    ] = None,
    numbers: Annotated[
        list[str] | None,
        typer.Option(
            "--number",
            metavar="ANSWER=NUMBER",
            help="The number that an answer in words stands for. May be repeated.",
        ),
    ] = None,
) -> None:
    """Turn what Label Studio or Potato exported into the table of ratings that `human` and `report` take."""
    taking = Taking(fields=_pairs(fields, "--map"), question=question, numbers=_pairs(numbers, "--number"))
    found = _read(export, tool, items, id_key, taking)
    write_text(found.csv(), out)
    _tell(found, taking)


def _read(export: Path, tool: Tool, items: Path | None, id_key: str, taking: Taking) -> ExportedRatings:
    if tool is Tool.label_studio:
        return read_label_studio(export, taking)
    if items is None:
        raise InputError("Potato's output does not hold the fields of items: give --items FILE")
    return read_potato(export, items, taking, id_key=id_key)


def _pairs(given: list[str] | None, option: str) -> dict[str, str]:
    """By what stands before the last `=` what stands behind it."""
    found = [one.rpartition("=") for one in given or []]
    if wrong := [last for first, _, last in found if not first]:
        raise InputError(f"{option} {wrong[0]!r} is no NAME=VALUE")
    return {first: last for first, _, last in found}


def _tell(found: ExportedRatings, taking: Taking) -> None:
    sys.stderr.write(f"{found.taken}: answers to {found.question!r}\n")
    columns = ", ".join(f"{column} from {name!r}" for column, name in taking.named().items())
    sys.stderr.write(f"taken: {columns}\n")
    if found.renamed:
        renamed = count_of(found.renamed, "rater")
        sys.stderr.write(f"note: {renamed} named by number: addresses and ids of panels are not taken\n")
    for reason, count in sorted(found.passed_over.items()):
        sys.stderr.write(f"note: {count} passed over: {reason}\n")
