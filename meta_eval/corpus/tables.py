"""A corpus as a table with a row a text (CSV, Parquet, Excel, a data frame); and any file of a corpus."""

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from meta_eval.corpus.documents import DEFAULT_FAULT_LIMIT, Corpus, missing_summary_notes
from meta_eval.corpus.jsonl import read_jsonl
from meta_eval.corpus.records import document_of_record, keep_named_systems, record_problems
from meta_eval.errors import wrong_type
from meta_eval.files.frames import is_frame, is_readable
from meta_eval.files.headers import lacking_columns
from meta_eval.files.kinds import Kinds
from meta_eval.files.names import plain_name, spelled_otherwise
from meta_eval.files.parquet import is_parquet
from meta_eval.files.reading import Faults, Source, source_name
from meta_eval.files.workbooks import is_workbook, read_rows

if TYPE_CHECKING:
    from pandas import DataFrame

CORPUS_COLUMNS = ("doc_id", "reader", "system", "text")
"""What each row names; `system` is `user` for the reader's own summary."""
DOCUMENT_COLUMNS = ("doc_summ", "doc_text", "lang")
"""What rows may say of their document: title, text, language. One of its rows is enough."""
_NAMES = ("doc_id", "reader", "system")
_KINDS = Kinds(texts=("text", "doc_summ", "doc_text"), names=(*_NAMES, "lang"))


def read_corpus(
    source: "Source | DataFrame", *, name: str | None = None, fault_limit: int = DEFAULT_FAULT_LIMIT
) -> Corpus:
    """Read a corpus: consolidated JSONL, or a table with a row a text.

    Parameters
    ----------
    source : path, binary stream or pandas.DataFrame
        JSONL with one document a line; or a table with the columns `doc_id`, `reader`, `system` (`user` for
        the reader's own summary) and `text`, and perhaps `doc_summ` (the title), `doc_text` and `lang`: a
        data frame, the first sheet of an Excel file, or a table whose name ends in `.csv` or `.tsv`, with
        commas, semicolons or tabs between cells. An empty cell is a summary that was not written; a date, an
        error or a formula where a text must stand is a fault. pandas reads texts such as `None` and `N/A` as
        missing, and ids such as `007` as numbers, unless a file is read with
        `read_csv(..., dtype=str, keep_default_na=False)`: give the path, or read it so.
    name : str, optional
        What faults call the source; default: its name.
    fault_limit : int
        How many faults are kept; the rest is counted.

    Returns
    -------
    Corpus

    Raises
    ------
    InputError
        With every fault found; nothing is half read.

    References
    ----------
    Protocol 11.

    Examples
    --------
    >>> from pandas import DataFrame
    >>> rows = [("d", "ann", "user", "rain"), ("d", "ann", "A", "sun"), ("d", "bob", "user", "wind")]
    >>> corpus = read_corpus(DataFrame(rows, columns=CORPUS_COLUMNS).assign(doc_summ="Weather"))
    >>> corpus.readers, corpus.systems, corpus.documents[0].title
    (('ann', 'bob'), ('A',), 'Weather')
    """
    if is_frame(source):
        return _read_table(source, name or "the data frame", Faults(fault_limit))
    called = source_name(source, name)  # type: ignore[arg-type]  # no frame
    is_csv = isinstance(source, str | PathLike) and str(source).lower().endswith((".csv", ".tsv"))
    if is_csv or is_workbook(source) or is_parquet(source):
        return _read_table(source, called, Faults(fault_limit))
    return read_jsonl(source, name=called, fault_limit=fault_limit)  # type: ignore[arg-type]


def as_corpus(given: "Corpus | Source | DataFrame") -> Corpus:
    """The corpus itself, or what `read_corpus` reads of a path, stream or data frame.

    Raises TypeError for anything else, `InputError` as `read_corpus`.
    """
    if isinstance(given, Corpus):
        return given
    if is_readable(given):
        return read_corpus(given)
    raise wrong_type("corpus", "a Corpus, a path or a data frame", given)


def _read_table(source: "Source | DataFrame", name: str, faults: Faults) -> Corpus:
    found = _Records()
    rows = 0
    for number, row in read_rows(source, name, faults, _header_problem, _KINDS):
        rows += 1
        for problem in found.add(number, row):
            faults.add(name, number, problem)
    documents = []
    for record, line in zip(found.records.values(), found.lines.values(), strict=True):
        problems = list(record_problems(record))
        for problem in problems:
            faults.add(name, line, f"document {record['doc_id']!r}: {problem}")
        documents += [] if problems else [document_of_record(record)]
    if not found.records:
        faults.add_empty(name, "holds no documents")
    faults.raise_if_any()
    notes = [*_missing_in_frame(source), *missing_summary_notes(documents)]
    return Corpus(keep_named_systems(documents), tuple(notes), rows)


def _missing_in_frame(source: "Source | DataFrame") -> Iterator[str]:
    """How many texts a data frame has as missing: pandas reads texts such as None so, if nothing is said."""
    if is_frame(source):
        texts = next(cells for column, cells in source.items() if str(column).strip() == "text")
        if missing := int(texts.isna().sum()):
            yield (
                f"{missing} of {len(source)} texts are missing in the data frame and count as not written; "
                "pandas takes texts such as None, null and N/A for missing: read the file with "
                "read_csv(..., dtype=str, keep_default_na=False), or give its path"
            )


class _Records:
    """Rows gathered into a record of consolidated JSONL for each document, and where each began."""

    def __init__(self) -> None:
        self.records: dict[str, dict[str, Any]] = {}
        self.lines: dict[str, int] = {}
        self._odd: dict[str, str] = {}

    def add(self, number: int, row: Mapping[str, str]) -> Iterator[str]:
        """Takes one row in; yields what is wrong with it."""
        if empty := [column for column in _NAMES if not plain_name(row[column]).strip()]:
            yield f"column {', '.join(empty)} is empty"
            return
        document, reader, system = (plain_name(row[column]).strip() for column in _NAMES)
        self.lines.setdefault(document, number)
        record = self.records.setdefault(
            document, {"doc_id": document, "doc_summ": "", "doc_text": "", "m_summary_dict": {}}
        )
        yield from self._describe(record, row)
        texts = record["m_summary_dict"].setdefault(reader, {})
        for column, plain in zip(_NAMES, (document, reader, system), strict=True):
            if odd := spelled_otherwise(row[column].strip()):
                self._odd.setdefault(plain, odd)
        if system in texts:
            odd = next((self._odd[one] for one in (document, reader, system) if one in self._odd), "")
            more = f"; a name stands here once {odd}" if odd else ""
            yield (
                f"the text of system {system!r} for reader {reader!r} of document {document!r} stands "
                f"twice{more}"
            )
        texts[system] = row["text"] or None

    def _describe(self, record: dict[str, Any], row: Mapping[str, str]) -> Iterator[str]:
        for column in DOCUMENT_COLUMNS:
            value = row.get(column, "")
            if value and record.get(column) and record[column] != value:
                yield f"{column} of document {record['doc_id']!r} is another than on the rows before"
            elif value:
                record[column] = value


def _header_problem(header: Sequence[str]) -> str | None:
    problem = lacking_columns(header, CORPUS_COLUMNS, DOCUMENT_COLUMNS)
    if problem is None:
        return None
    if "lacks" not in problem:
        return problem
    said = "this is a table of ratings" if "rating" in header else problem
    columns = ", ".join(CORPUS_COLUMNS)
    return f"{said}; wanted is a corpus: JSONL, or a table with a row a text and the columns {columns}"
