"""The option `--perse` of a report: a run of `judge summaries`, read only where it is named."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from meta_eval.corpus.documents import Corpus
    from meta_eval.studies.perse.runs import PerseRun

PerseOption = Annotated[
    Path | None,
    typer.Option(
        "--perse",
        metavar="FOLDER",
        help="PerSE as a measure: the folder that `judge summaries` wrote; its replies give the scores.",
    ),
]


def read_perse(folder: Path | None, corpus: "Corpus") -> "PerseRun | None":
    """The run in a folder; nothing of it is loaded where none is named."""
    if folder is None:
        return None
    from meta_eval.studies.perse.runs import read_run

    return read_run(folder, corpus)
