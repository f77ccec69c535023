"""What commands that name measures have: the options `--plugin` and `--distances`, and shared work."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.main import get_command

if TYPE_CHECKING:
    from meta_eval.corpus.documents import Corpus
    from meta_eval.measures.base import Measure


def _options(
    plugin: Annotated[
        list[str] | None,
        typer.Option(
            "--plugin",
            metavar="FILE.py",
            help="A measure of your own: a Python file with one class, whose code is run. May be repeated.",
        ),
    ] = None,
    given_distances: Annotated[
        list[str] | None,
        typer.Option(
            "--distances",
            metavar="NAME=FOLDER",
            help="Distances that another tool computed, as a measure called NAME. May be repeated.",
        ),
    ] = None,
) -> None:
    """Nothing: its parameters are the options that commands are given."""


def take_own_measures(command: Any) -> None:
    """Give a command the options, and its callback the measures that they bring."""
    carrier = typer.Typer(add_completion=False, rich_markup_mode=None)
    carrier.command()(_options)
    command.params += get_command(carrier).params
    command.callback = _with_own_measures(command.callback)


def _with_own_measures(run: Callable[..., Any]) -> Callable[..., Any]:
    def run_with_own(**values: Any) -> Any:
        from meta_eval.measures.shared_work import sharing_work

        files, folders = values.pop("plugin", None) or (), values.pop("given_distances", None) or ()
        with sharing_work():  # what the measures of one call share is made once
            if not (files or folders):
                return run(**values)
            with _own_measures(files, folders, values):
                return run(**values)

    return run_with_own


@contextmanager
def _own_measures(files: Sequence[str], folders: Sequence[str], values: Mapping[str, Any]) -> Iterator[None]:
    """What is loaded for them is imported here, not by the list of commands."""
    from meta_eval.cli.inputs import parse_pairs
    from meta_eval.corpus.tables import read_corpus
    from meta_eval.distances.given import read_given
    from meta_eval.measures.added import adding
    from meta_eval.measures.finding_plugins import load_plugin
    from meta_eval.measures.given import given_measure

    def corpus() -> "Corpus | None":
        path = values.get("corpus_file")
        return read_corpus(Path(path), name=str(path)) if path else None

    own: list[type[Measure]] = [load_plugin(file) for file in files]
    for name, folder in parse_pairs(folders, "--distances", "NAME=FOLDER").items():
        own.append(given_measure(read_given(name, Path(folder), corpus)))
    with adding(own):
        yield
