"""What the command that makes a report reads and writes, apart from its options: help loads none of it."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as ProgressBar

from meta_eval.cli.inputs import parse_pairs
from meta_eval.cli.options import INCOMPLETE, SHOWN
from meta_eval.cli.records import signature_lines
from meta_eval.corpus.documents import Corpus
from meta_eval.errors import InputError
from meta_eval.files.writing import write_bytes
from meta_eval.ratings.rating import Ends
from meta_eval.report.building import ReportProgress
from meta_eval.report.limits import limits_of_report
from meta_eval.report.options import ReportOptions, measure_id
from meta_eval.report.published.reading import PublishedTable, read_published
from meta_eval.report.schema import Report, row_record
from meta_eval.scores.names import AS_SHOWN


def read_models(file: Path | None, corpus: Corpus, ends: Ends, epsilon: float, mixed: bool) -> dict[str, Any]:
    """What models rated, where a file of it is named; nothing of models is loaded where none is."""
    if file is None:
        return {}
    from meta_eval.ratings.of_models import read_model_tables
    from meta_eval.report.inference.stand_in import StandInOptions

    tables = read_model_tables(file, corpus, name=str(file), ends=ends)
    return {"models": tables, "stand_in": StandInOptions(epsilon=epsilon, mixed=mixed)}


def read_generated(corpus_file: Path, corpus: Corpus) -> list[Mapping[str, Any]]:
    """How systems were generated, where the file that `generate` writes stands beside the corpus."""
    from meta_eval.studies.icopernicus.provenance import provenance_place, read_provenance, require_of_corpus

    place = provenance_place(corpus_file)
    records = read_provenance(place)
    require_of_corpus(records, corpus, place.name)
    return records


def read_shown(texts: Sequence[str], options: ReportOptions) -> dict[str, str]:
    """What the figures shall show, of what the report will have."""
    shown = parse_pairs(texts, "--show", "NAME=VALUE")
    there: tuple[list[str], ...] = (
        list(AS_SHOWN),
        [measure_id(spec) for spec in options.measures],
        [measure_id(spec) for spec in options.surrogates],
    )
    known = dict(zip(SHOWN, there, strict=True))
    for name, value in shown.items():
        if name not in known:
            raise InputError(f"--show knows {', '.join(known)}, not {name!r}")
        if value not in known[name]:
            raise InputError(f"--show {name}={value}: there are {', '.join(known[name])}")
    return shown


def read_tables(texts: Sequence[str]) -> list[PublishedTable]:
    files = parse_pairs(texts, "--published", "KIND=FILE")
    return [read_published(Path(file), kind, name=Path(file).name) for kind, file in files.items()]


def write_file(path: Path, data: bytes) -> Path:
    write_bytes(data, path)
    return path


def in_words(made: Report, files: Sequence[Path]) -> str:
    lines = [made.answer.sentence, *(f"Caution: {caution}" for caution in made.answer.cautions)]
    lines += [f"Primary: {made.answer.declared}"] if made.answer.declared else []
    lines += [f"Intervals: {limit}" for limit in limits_of_report(made)]
    lines += [f"Signature: {line}" for line in signature_lines([row_record(row) for row in made.signatures])]
    return "\n".join([*lines, *(f"Written: {path}" for path in files)]) + "\n"


def leave(made: Report) -> None:
    """What could not be computed, on stderr; exit status 1 where trying again may help."""
    for failure in made.failures:
        sys.stderr.write(f"not computed: {failure.side} {failure.measure}: {failure.reason}\n")
    problems = made.inference.problems if made.inference else ()
    for problem in problems:
        sys.stderr.write(f"not computed: statistics, {problem.part}: {problem.reason}\n")
    if made.failures or any(problem.failed for problem in problems):
        raise typer.Exit(INCOMPLETE)


@contextmanager
def report_bar() -> Iterator[ReportProgress]:
    """A bar on stderr with the part at work; nothing where stderr is no terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with ProgressBar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("Reading", total=None)
        yield lambda part, done, total: bar.update(task, description=part, completed=done, total=total)
