"""`bench`: the benchmarks as commands; each takes its own options (`--help`)."""

from importlib import import_module
from typing import Any

import typer

from meta_eval.errors import MeasureError

bench = typer.Typer(help="Speed and memory, side by side with other libraries.", no_args_is_help=True)
# Each benchmark reads its own options, so that it runs as a script too.
_OWN_OPTIONS: dict[str, Any] = {
    "add_help_option": False,
    "context_settings": {"allow_extra_args": True, "ignore_unknown_options": True},
}


@bench.command("lexical", **_OWN_OPTIONS)
def bench_lexical(context: typer.Context) -> None:
    """ROUGE, BLEU, METEOR and Jensen-Shannon at PENS' size, beside the libraries one would loop over."""
    _run("lexical", context.args)


@bench.command("growth", **_OWN_OPTIONS)
def bench_growth(context: typer.Context) -> None:
    """Cost and memory over 1x, 2x, 4x and 8x documents, with and without a store."""
    _run("growth", context.args)


@bench.command("lengths", **_OWN_OPTIONS)
def bench_lengths(context: typer.Context) -> None:
    """Cost over lengths of summaries, 10 words to 1,280, and how steeply it grows."""
    _run("lengths", context.args)


@bench.command("pens", **_OWN_OPTIONS)
def bench_pens(context: typer.Context) -> None:
    """Seconds a system on the PENS test set, beside the 2:37 minutes of PerSEval's section 8.3."""
    _run("pens", context.args)


@bench.command("neural", **_OWN_OPTIONS)
def bench_neural(context: typer.Context) -> None:
    """InfoLM and BERTScore: texts and tokens per second, TFLOP/s, error of the precision, memory."""
    _run("neural", context.args)


@bench.command("report", **_OWN_OPTIONS)
def bench_report(context: typer.Context) -> None:
    """A whole report at PENS' size: seconds of its scores and of each part of its statistics, memory."""
    _run("report", context.args)


def _run(name: str, arguments: list[str]) -> None:
    try:
        module = import_module(f"meta_eval.bench.{name}")
    except ModuleNotFoundError as error:
        raise MeasureError(
            f"the benchmark compares with {error.name}, which is not installed; install requirements-dev.txt"
        ) from error
    module.main(arguments)
