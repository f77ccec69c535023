"""Commands on sealed bundles."""

import json
from pathlib import Path
from typing import Annotated

import typer

from meta_eval.cli.inputs import progress_bar, read_corpus
from meta_eval.cli.options import OutOption
from meta_eval.files.writing import write_text
from meta_eval.publish.bundle import verify_bundle

DIFFERS = 1


def verify(
    bundle: Annotated[
        Path, typer.Argument(metavar="BUNDLE.zip", help="A sealed report, as the site gives it.")
    ],
    corpus: Annotated[
        Path | None,
        typer.Option(
            metavar="CORPUS.jsonl", help="The texts, for a bundle that holds their hashes in place of them."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write the outcome as JSON.")] = False,
    out: OutOption = None,
) -> None:
    """Recompute every number of a sealed report and name each that differs.

    Ends with exit status 1 if a number or a file differs, 0 if none does.
    """
    texts = read_corpus(corpus) if corpus else None
    with progress_bar("Verifying") as progress:
        found = verify_bundle(bundle, corpus=texts, progress=progress)
    lines = "\n".join(found.lines()) + "\n"
    write_text(json.dumps(found.as_dict(), indent=2, ensure_ascii=False) + "\n" if as_json else lines, out)
    if not found.is_sound:
        raise typer.Exit(DIFFERS)
