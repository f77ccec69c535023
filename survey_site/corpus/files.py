"""From files, on disk or uploaded, to a `meta_eval` corpus; shared by the command and the web page."""

import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePath, PurePosixPath
from tempfile import NamedTemporaryFile
from typing import Any, BinaryIO

from meta_eval.corpus.documents import GOLD, Corpus
from meta_eval.corpus.jsonl import read_jsonl
from meta_eval.corpus.pens import read_pens
from meta_eval.corpus.tables import read_corpus
from meta_eval.errors import Fault, InputError
from meta_eval.files.json_files import NOT_JSON, read_json
from meta_eval.files.parquet import is_parquet
from meta_eval.files.values import parse_json
from meta_eval.files.workbooks import is_workbook
from meta_eval.studies.icopernicus.provenance import Record, check_provenance, require_of_corpus
from survey_site.common.archives import temporary_folder, unpack
from survey_site.common.errors import InvalidInputError
from survey_site.common.workbooks import require_readable

Source = str | BinaryIO
PENS_TEST, PENS_NEWS = "personalized_test.tsv", "news.tsv"
ENDINGS = (".jsonl", ".csv", ".tsv", ".parquet", ".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")


def system_name(file_name: str) -> str:
    """A system's name from the name of its output file: hyps_NAML.txt is NAML."""
    stem = PurePath(file_name).stem
    return re.sub(r"^(hyps?|hypotheses|outputs?|summaries)[_.-]+", "", stem, flags=re.IGNORECASE) or stem


def parse_system(text: str) -> tuple[str, str]:
    """NAME=FILE as (name, file); a bare FILE is named after itself."""
    name, separator, file = text.partition("=")
    if not separator:
        name, file = system_name(text), text
    name, file = name.strip(), file.strip()
    if not name or not file:
        raise InvalidInputError(f"{text.strip()!r} is not of the form NAME=FILE.")
    return name, file


def pair_systems(lines: Iterable[str], file_names: Iterable[str]) -> dict[str, str]:
    """System name -> file name, from lines NAME=FILE; a file without a line is named after itself."""
    named = {file: name for name, file in map(parse_system, lines)}
    files = list(file_names)
    unknown = sorted(set(named) - set(files))
    if unknown:
        raise InvalidInputError(f"No file {unknown[0]!r} was chosen; chosen are {', '.join(files)}.")
    return unique_systems((named.get(file, system_name(file)), file) for file in files)


def unique_systems(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The pairs as a mapping; two files for one system, and the gold reference's name, are refused."""
    systems: dict[str, str] = {}
    for name, file in pairs:
        if name == GOLD:
            raise InvalidInputError(
                f"A system cannot be called {GOLD!r}: that name means the gold reference."
            )
        if name in systems:
            raise InvalidInputError(
                f"Two files are given for the system {name!r}: {systems[name]} and {file}."
            )
        systems[name] = file
    return systems


def known_ending(file_name: str) -> str:
    """How the name ends where that says what the file is; else nothing: a copy may not bear every name.

    Examples
    --------
    >>> known_ending("Corpus.CSV")
    '.csv'
    >>> known_ending("corpus." + 300 * "x")
    ''
    """
    return next((ending for ending in ENDINGS if file_name.lower().endswith(ending)), "")


def read_file_source(source: Source, file_name: str) -> tuple[Corpus, str]:
    """The corpus of one file, and a line that says where it came from.

    Consolidated JSONL; or a table with a row a text, as CSV by its name, or a workbook or Parquet by
    its content.
    """
    name = PurePath(file_name).name
    if isinstance(source, str):
        if is_workbook(source) or is_parquet(source) or name.lower().endswith((".csv", ".tsv")):
            return _read_table(source, name)
        return read_jsonl(source, name=name), f"Consolidated JSONL: {name}"
    with NamedTemporaryFile(suffix=known_ending(name)) as copy:
        shutil.copyfileobj(source, copy)
        copy.flush()
        return read_file_source(copy.name, name)


def read_generated(source: Source, file_name: str, corpus: Corpus) -> list[Record]:
    """How systems of a corpus came about, from the file that `generate` wrote beside it.

    Raises InputError for another file, and for that of another corpus.
    """
    name = PurePath(file_name).name
    held = read_json(Path(source)) if isinstance(source, str) else _read_sent_json(source, name)
    records = check_provenance(held, name)
    require_of_corpus(records, corpus, name)
    return records


def _read_sent_json(source: BinaryIO, name: str) -> Any:
    try:
        return parse_json(source.read().decode("utf-8-sig"))
    except ValueError as error:
        raise InputError([Fault(name, None, f"{NOT_JSON}: {error}")]) from error


def _read_table(path: str, name: str) -> tuple[Corpus, str]:
    require_readable(Path(path), name)
    return read_corpus(path, name=name), f"Table: {name}"


def read_pens_sources(
    test: Source, systems: Mapping[str, Source], news: Source | None = None
) -> tuple[Corpus, str]:
    """The corpus and a line that says where it came from."""
    corpus = read_pens(test=test, systems=systems, news=news)
    parts = [f"{name} ({_base(source)})" for name, source in systems.items()]
    described = (
        f"PENS: {_base(test)}; systems {', '.join(parts)}; news {_base(news) if news else 'not given'}"
    )
    return corpus, described


def read_pens_archive(path: str, file_name: str) -> tuple[Corpus, str]:
    """The same of one ZIP archive: the test file, the news, and an output file for each system.

    Raises InputError for what is no archive, and where the test file or every system is lacking.
    """
    with temporary_folder() as folder, Path(path).open("rb") as stream:
        unpack(PurePath(file_name).name, stream, folder, _place_of_pens)
        files = {one.name: str(one) for one in sorted(folder.iterdir())}
        test, news = files.pop(PENS_TEST, None), files.pop(PENS_NEWS, None)
        if test is None or not files:
            lacking = PENS_TEST if test is None else "an output file, such as hyps_NAML.txt"
            raise InputError([Fault(file_name, None, f"lacks {lacking}")])
        systems = {name: files[file] for name, file in pair_systems([], files).items()}
        return read_pens_sources(test, systems, news)


def _place_of_pens(path: PurePosixPath) -> Path:
    return Path(path.name)


def _base(source: Source) -> str:
    return PurePath(source if isinstance(source, str) else source.name).name
