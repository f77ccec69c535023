"""Commands on sealed bundles."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from meta_eval.cli.inputs import progress_bar, read_corpus
from meta_eval.cli.options import OutOption
from meta_eval.files.writing import write_text
from meta_eval.publish.bundle import verify_bundle
from meta_eval.publish.bundle.verification import Outcome

EXIT: Mapping[Outcome, int] = {"sound": 0, "differs": 1, "incomplete": 3}
"""Exit status 2 is of a bundle that cannot be read, and of a wrong command line."""


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
    model: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FOLDER",
            help="A language model of the report, known by the hash of its files: its distances are computed "
            "anew, in float32. May be repeated.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write the outcome as JSON.")] = False,
    out: OutOption = None,
) -> None:
    """Compute the answer and every number of a sealed report again, and say first what came of it.

    Ends with exit status 0 if all is equal, 1 if something differs, and 3 if something of the report could
    not be computed again.
    """
    texts = read_corpus(corpus) if corpus else None
    with progress_bar("Verifying") as progress:
        found = verify_bundle(bundle, corpus=texts, models=model or (), progress=progress)
    lines = "\n".join(found.lines()) + "\n"
    write_text(json.dumps(found.as_dict(), indent=2, ensure_ascii=False) + "\n" if as_json else lines, out)
    if status := EXIT[found.outcome]:
        raise typer.Exit(status)
