"""Commands for studies of other papers on the same scores."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from meta_eval.cli.options import FormatOption, OutOption
from meta_eval.cli.records import read_records
from meta_eval.files.writing import render_records, write_text
from meta_eval.studies.icopernicus import Pairs, find_paradoxes, read_style_scores, styles_of_systems


def paradoxes(
    scores_file: Annotated[
        Path,
        typer.Argument(
            metavar="EGISES",
            help="CSV with the columns model and one for each prompt style, or the result of `score` as JSON "
            "with systems named MODEL: STYLE.",
        ),
    ],
    measure: Annotated[
        str | None, typer.Option("--measure", "-m", metavar="M", help="Which measure of the JSON file.")
    ] = None,
    pairs: Annotated[
        Pairs, typer.Option(help="Prompts compared: as the paper's Table 4 has them, or its section 3.")
    ] = "table",
    form: FormatOption = "json",
    out: OutOption = None,
) -> None:
    """Find richer prompts that do no better: the paradoxes PX-1 to PX-6 of iCOPERNICUS."""
    if scores_file.suffix == ".json":
        egises = styles_of_systems(read_records(scores_file, "measure", "egises"), measure)
    else:
        egises = read_style_scores(scores_file, name=str(scores_file))
    found = find_paradoxes(egises, pairs=pairs)
    write_text(render_records([asdict(one) for one in found], form), out)
