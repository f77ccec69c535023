"""`python -m meta_eval`: the library on files. Results to stdout or `--out`, progress to stderr."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from meta_eval.cli.commands import CONTEXT, Commands
from meta_eval.errors import InputError, MetaEvalError
from meta_eval.files.values import text_problem
from meta_eval.version import __version__

BAD_INPUT = 2
_SUMMARY = (
    "Meta-evaluation of personalised summarisation: automatic scores, human scores, and how they agree."
)

app = typer.Typer(
    cls=Commands,
    help=_SUMMARY,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings=CONTEXT,
)


@app.callback(invoke_without_command=True, help=_SUMMARY)
def root(
    version: Annotated[bool, typer.Option("--version", help="Show the version and leave.")] = False,
) -> None:
    if version:
        typer.echo(__version__)
        raise typer.Exit


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point: bad input ends with exit status 2 and what is wrong on stderr."""
    try:
        _require_texts(sys.argv[1:] if arguments is None else arguments)
        app(args=arguments, prog_name="python -m meta_eval")
    except MetaEvalError as error:
        sys.stderr.write(f"Error: {error}\n")
        sys.exit(BAD_INPUT)


def _require_texts(arguments: Sequence[str]) -> None:
    """What is typed goes into files, which are UTF-8."""
    for argument in arguments:
        if text_problem(argument):
            raise InputError(f"{argument!r} is not UTF-8 text; write it, or rename the file, in UTF-8")
