"""The option `--perse` of commands: a run of `judge summaries`, read only where it is named."""

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from meta_eval.errors import InputError

if TYPE_CHECKING:
    from meta_eval.corpus.documents import Corpus
    from meta_eval.scores.contributions import Contributions
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


def read_judged(
    folder: Path | None, corpus: "Corpus", *, taken: Collection[str]
) -> "dict[str, Contributions]":
    """What the judge of a run gives, by measure: its accuracy in the place of every score.

    Nothing where no folder is named. Raises `InputError` where a measure is called as one that is `taken`.
    """
    run = read_perse(folder, corpus)
    found = {one.measure: one.contributions for one in run.judging().scores} if run else {}
    if same := sorted(set(found) & set(taken)):
        raise InputError(f"a measure is called {', '.join(same)} as the judge's: rename it")
    return found
