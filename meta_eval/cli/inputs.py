"""From what is typed to what the library takes: files, measures, records; and progress on stderr."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as ProgressBar
from rich.text import Text

from meta_eval.cli.options import Mode, Preprocess
from meta_eval.corpus import Corpus, read_jsonl
from meta_eval.distances import Progress
from meta_eval.errors import InputError
from meta_eval.measures import Measure, parse_measure
from meta_eval.measures.base import Preprocess as PreprocessName
from meta_eval.ratings import Rating, RatingTable, describe_left_out, read_rating_table
from meta_eval.reliability import SIDES
from meta_eval.responses import is_responses_file, read_responses
from meta_eval.store import DistanceStore


def open_store(url: str | None) -> DistanceStore | None:
    """The store at a folder or URL, if one is named."""
    return DistanceStore(url) if url else None


def parse_measures(texts: Sequence[str], mode: Mode, preprocess: Preprocess | None) -> list[Measure]:
    """The measures, each named once: nothing is computed before all of them are known to exist."""
    wanted: PreprocessName | None = None if preprocess is None else preprocess.value
    made = [parse_measure(text, mode=mode.value, preprocess=wanted) for text in texts]
    return [measure for number, measure in enumerate(made) if measure not in made[:number]]


def parse_named_files(texts: Sequence[str]) -> dict[str, Path]:
    return {name: Path(file) for name, file in parse_pairs(texts, "--system", "NAME=FILE").items()}


def parse_pairs(texts: Sequence[str], option: str, form: str) -> dict[str, str]:
    """What stands before and after the first "=" of each text; raises `InputError` in the option's words."""
    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise InputError(f"{option} takes {form}, not {text!r}")
        if name in pairs:
            raise InputError(f"{option} names {name!r} twice")
        pairs[name] = value
    return pairs


def read_corpus(path: Path) -> Corpus:
    corpus = read_jsonl(path, name=str(path))
    report_corpus(corpus)
    return corpus


def read_rating_file(path: Path, corpus: Corpus) -> list[Rating]:
    """The ratings that `read_rated_rows` finds."""
    return read_rated_rows(path, corpus).ratings


def read_rated_rows(path: Path, corpus: Corpus) -> RatingTable:
    """Ratings from a CSV with all its columns, or from the SQLite file of the papers' own survey app.

    Says on stderr how many rows do not count, and why.
    """
    if is_responses_file(path):
        ratings = read_responses(path, corpus, name=str(path))
        return RatingTable(ratings, [{} for _ in ratings])
    table = read_rating_table(path, corpus, name=str(path))
    for note in describe_left_out(table.left_out):
        sys.stderr.write(f"note: {path}: {note}\n")
    return table


def report_corpus(corpus: Corpus) -> None:
    sys.stderr.write(
        f"{len(corpus.documents)} documents, {len(corpus.readers)} readers, {corpus.references} references, "
        f"{len(corpus.systems)} systems\n"
    )
    for note in corpus.notes:
        sys.stderr.write(f"note: {note}\n")


def read_records(path: Path) -> list[dict[str, Any]]:
    try:
        records = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{path}: not JSON: {error}") from error
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise InputError(f"{path}: must hold a JSON list of records, as `human` and `score` write them")
    return records


def scores_by(
    records: Sequence[Mapping[str, Any]], key: str, score: str
) -> dict[str, dict[str, float | None]]:
    """Scores by measure (or surrogate) and system."""
    tables: dict[str, dict[str, float | None]] = {}
    for number, record in enumerate(records, start=1):
        missing = [name for name in ("system", key, score) if name not in record]
        if missing:
            raise InputError(f"{SIDES[key]} scores: record {number} lacks {', '.join(missing)}")
        tables.setdefault(record[key], {})[record["system"]] = record[score]
    return tables


class _Rate(ProgressColumn):
    """Documents per second, once there is a speed."""

    def render(self, task: Task) -> Text:
        return Text("" if task.speed is None else f"{task.speed:,.0f}/s")


@contextmanager
def progress_bar(title: str) -> Iterator[Progress]:
    """A bar on stderr, gone when done; nothing where stderr is no terminal."""
    columns = (
        TextColumn(title),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("documents"),
        _Rate(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with ProgressBar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
