"""From what is typed to what the library takes: files and measures; and progress on stderr."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

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

from meta_eval.arrays import Progress
from meta_eval.corpus.documents import Corpus
from meta_eval.corpus.readers import Readers, read_readers, require_known_readers
from meta_eval.corpus.tables import read_corpus as read_any_corpus
from meta_eval.distances.computing import DistanceSource, describe_empty
from meta_eval.distances.coverage import Coverage, describe_coverage
from meta_eval.errors import Fault, InputError
from meta_eval.measures import Measure, parse_measure
from meta_eval.measures.base import Mode, Preprocess
from meta_eval.measures.registry import require_one_each
from meta_eval.measures.words.tokenisers import Tokeniser
from meta_eval.ratings.rating import SIX_POINTS, Ends, Rating
from meta_eval.ratings.responses import holds_ratings, is_responses_file, read_responses
from meta_eval.ratings.table import RatingTable, describe_left_out, describe_unused_ends, read_ratings

if TYPE_CHECKING:
    from meta_eval.distances.store.distance_store import DistanceStore


def open_store(url: str | None) -> "DistanceStore | None":
    """The store at a folder or URL, if one is named."""
    if not url:
        return None
    from meta_eval.distances.store.distance_store import DistanceStore

    return DistanceStore(url)


def parse_measures(
    texts: Sequence[str], mode: Mode, preprocess: Preprocess | None, tokeniser: Tokeniser | None
) -> list[Measure]:
    """The measures, each named once: nothing is computed before all of them are known to exist.

    Raises `InputError` for one with two sets of options.
    """
    made = [parse_measure(text, mode=mode, preprocess=preprocess, tokeniser=tokeniser) for text in texts]
    kept = [measure for number, measure in enumerate(made) if measure not in made[:number]]
    require_one_each([measure.id for measure in kept])
    return kept


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
    corpus = read_any_corpus(path, name=str(path))
    report_corpus(corpus)
    return corpus


def read_histories(path: Path, corpus: Corpus) -> Readers:
    """What the corpus' readers read before, notes on stderr; a file of other people is an `InputError`."""
    found = read_readers(path, name=str(path))
    for note in require_known_readers(found, corpus):
        sys.stderr.write(f"note: {note}\n")
    return found


def require_order(command: str, corpus: Path, ratings: Path) -> None:
    """Raises `InputError` that says which is which where the corpus was given after the ratings."""
    if holds_ratings(corpus) and not holds_ratings(ratings) and ratings.is_file():
        raise InputError(
            f"{corpus} holds ratings, and {ratings} the corpus, which comes first: python -m meta_eval "
            f"{command} {quote(str(ratings))} {quote(str(corpus))} ..."
        )


def read_rating_file(path: Path, corpus: Corpus, ends: Ends = SIX_POINTS) -> list[Rating]:
    """The ratings that `read_rated_rows` finds."""
    return read_rated_rows(path, corpus, ends).ratings


def read_rated_rows(
    path: Path, corpus: Corpus, ends: Ends = SIX_POINTS, *, models_only: bool = False
) -> RatingTable:
    """Ratings from a CSV with all its columns, or from the SQLite file of the papers' own survey app.

    Says on stderr how many rows do not count, and why, and which end of the scale never occurs.
    """
    if is_responses_file(path):
        if models_only:
            raise InputError([Fault(str(path), None, "holds ratings of people alone, and no model's")])
        ratings = read_responses(path, corpus, name=str(path), ends=ends)
        table = RatingTable(ratings, [{} for _ in ratings], ends=ends)
    else:
        table = read_ratings(
            path,
            corpus,
            name=str(path),
            lowest=ends.lowest,
            highest=ends.highest,
            models_only=models_only,
        )
    sys.stderr.write(f"{path}: {table.taken}\n")
    for note in (*describe_left_out(table.left_out), *describe_unused_ends(table.ratings, ends)):
        sys.stderr.write(f"note: {path}: {note}\n")
    return table


def warn_of_texts(name: str, source: DistanceSource, coverage: Coverage | None) -> None:
    """Says on stderr what the measure called so does not see of the texts: most texts, or some letters."""
    warnings = [describe_empty(name, source.counts.empty, source.counts.texts)]
    if coverage:
        seen = {system: coverage.record(system) for system in coverage.systems}
        warnings.append(describe_coverage(f"{name} ({coverage.tokenizer})", seen, coverage.hint))
        if coverage.remark:
            sys.stderr.write(f"note: {name}: {coverage.remark}\n")
    for warning in filter(None, warnings):
        sys.stderr.write(f"warning: {warning}\n")


def report_corpus(corpus: Corpus) -> None:
    sys.stderr.write(f"{corpus.taken}\n")
    for note in corpus.notes:
        sys.stderr.write(f"note: {note}\n")


class _Rate(ProgressColumn):
    """How many per second, once there is a speed."""

    def render(self, task: Task) -> Text:
        return Text("" if task.speed is None else f"{task.speed:,.0f}/s")


@contextmanager
def progress_bar(title: str, unit: str = "documents") -> Iterator[Progress]:
    """A bar on stderr, gone when done; nothing where stderr is no terminal."""
    columns = (
        TextColumn(title),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        _Rate(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with ProgressBar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
