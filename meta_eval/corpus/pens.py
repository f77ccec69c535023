"""The PENS test set (protocol 11): a TSV of readers, one output file per system, and the news if at hand."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from meta_eval.corpus.documents import DEFAULT_FAULT_LIMIT, GOLD, Corpus, Document
from meta_eval.corpus.readers import ReaderHistory, Readers
from meta_eval.errors import InputError
from meta_eval.files.names import plain_name
from meta_eval.files.reading import Faults, Source, read_lines, source_name
from meta_eval.files.tables import TableRow, read_table
from meta_eval.files.values import name_problem

_TEST_COLUMNS = ("userid", "clicknewsID", "posnewID", "rewrite_titles")
_NEWS_COLUMNS = ("News ID", "Headline", "News body")


class _Reference(NamedTuple):
    document: str
    reader: str
    text: str


class _Article(NamedTuple):
    title: str
    body: str


@dataclass(frozen=True, slots=True)
class _Test:
    """References in the order of the file, how many were `empty`, and the articles that each reader chose."""

    references: list[_Reference]
    empty: int
    clicks: Mapping[str, list[str]]


def read_pens(
    *,
    test: Source,
    systems: Mapping[str, Source],
    news: Source | None = None,
    lower_case: bool = True,
    fault_limit: int = DEFAULT_FAULT_LIMIT,
) -> Corpus:
    """Read PENS files into a corpus.

    Each system's file has one line per non-empty reference, in the order of the test file. A pair of reader
    and document that occurs twice keeps the later reference and summary.

    Parameters
    ----------
    test : path or binary stream
        personalized_test.tsv.
    systems : mapping of str to path or binary stream
        The output of each system.
    news : path or binary stream, optional
        news.tsv: titles and bodies; without it documents have no text.
    lower_case : bool
        References are lower-cased, as the data set's authors do and as the systems' outputs are.
    fault_limit : int
        How many faults are kept; the rest is counted.

    Returns
    -------
    Corpus

    Raises
    ------
    InputError
        With every fault of every file.

    References
    ----------
    Ao et al., PENS, ACL 2021; protocol 11.

    Examples
    --------
    >>> from io import BytesIO
    >>> head = b"userid\\tclicknewsID\\tposnewID\\trewrite_titles\\n"
    >>> test = BytesIO(head + b"ann\\tN1\\tN2\\tRain in the North\\n")
    >>> read_pens(test=test, systems={"A": BytesIO(b"rain\\n")}).documents[0].references
    {'ann': 'rain in the north'}
    """
    faults = Faults(fault_limit)
    rated = _read_test(test, source_name(test), lower_case, faults)
    outputs = {
        name: _read_output(name, source, len(rated.references), faults) for name, source in systems.items()
    }
    articles = {} if news is None else _read_news(news, source_name(news), faults)
    faults.raise_if_any()
    documents = tuple(_documents(rated.references, outputs, articles))
    return Corpus(documents, tuple(_notes(rated, documents, with_news=news is not None)))


@dataclass(frozen=True, slots=True)
class PensReaders:
    """Histories by reader, and how many clicks on articles without a title were left out (`untitled`)."""

    readers: Readers
    clicks: int
    untitled: int


def read_pens_readers(
    *, test: Source, news: Source | None = None, fault_limit: int = DEFAULT_FAULT_LIMIT
) -> PensReaders:
    """What the readers of PENS read, and for which articles they wrote, in the order of the file.

    Parameters
    ----------
    test : path or binary stream
        personalized_test.tsv: clicknewsID is what a reader chose to read, first shown first.
    news : path or binary stream, optional
        news.tsv, where the titles are; without it histories are empty.
    fault_limit : int
        How many faults are kept; the rest is counted.

    Returns
    -------
    PensReaders
        `articles` holds an article as often as the reader wrote a headline for it that is not empty.

    Raises
    ------
    InputError
        With every fault of both files.

    References
    ----------
    Ao et al., PENS, ACL 2021; Patel et al., iCOPERNICUS, EMNLP 2024.
    """
    faults = Faults(fault_limit)
    read = _read_test(test, source_name(test), False, faults)
    written: dict[str, list[str]] = {}
    for reference in read.references:
        written.setdefault(reference.reader, []).append(reference.document)
    articles = {} if news is None else _read_news(news, source_name(news), faults)
    faults.raise_if_any()
    titles = {number: " ".join(article.title.split()) for number, article in articles.items()}
    found = {
        reader: ReaderHistory(
            reader,
            tuple(titles[number] for number in clicked if titles.get(number)),
            tuple(written.get(reader, ())),
        )
        for reader, clicked in read.clicks.items()
    }
    total = sum(map(len, read.clicks.values()))
    return PensReaders(found, total, total - sum(len(one.history) for one in found.values()))


def _rows(source: Source, name: str, columns: tuple[str, ...], faults: Faults) -> Iterator[TableRow]:
    """(line, row) of a TSV with a header."""

    def header_problem(header: Sequence[str]) -> str | None:
        missing = [column for column in columns if column not in header]
        return f"the header lacks {', '.join(missing)} (tab-separated)" if missing else None

    strict = columns == _TEST_COLUMNS  # bodies of news hold quotation marks of their own
    return read_table(source, name, faults, header_problem, delimiter="\t", strict=strict)


def _read_test(source: Source, name: str, lower_case: bool, faults: Faults) -> _Test:
    references: list[_Reference] = []
    empty = 0
    clicks: dict[str, list[str]] = {}
    for line, row in _rows(source, name, _TEST_COLUMNS, faults):
        reader = plain_name(row["userid"]).strip()
        clicks[reader] = [one.strip() for one in row["clicknewsID"].split(",") if one.strip()]
        documents = [plain_name(document).strip() for document in row["posnewID"].split(",")]
        titles = row["rewrite_titles"].split(";;")
        if problem := name_problem(reader):
            faults.add(name, line, f"the userid {problem}")
        if len(documents) != len(titles):
            faults.add(
                name, line, f"reader {reader!r} has {len(documents)} documents but {len(titles)} titles"
            )
            continue
        for number, document in enumerate(documents, start=1):
            if problem := name_problem(document):
                faults.add(name, line, f"document {number} of posnewID {problem}")
        for document, title in zip(documents, titles, strict=True):
            if title.strip():
                text = title.lower() if lower_case else title
                references.append(_Reference(document, reader, text.strip()))
            else:
                empty += 1
    if not references:
        faults.add(name, None, "holds no references")
    return _Test(references, empty, clicks)


def _read_output(system: str, source: Source, wanted: int, faults: Faults) -> list[str]:
    name = source_name(source)
    if system == GOLD:
        raise InputError(f"{system!r} cannot be a system's name ({GOLD!r} means the gold reference)")
    if problem := name_problem(system):
        raise InputError(f"the system's name {system!r} {problem}")
    texts = [text.strip() for _, text in read_lines(source, name, faults, alone=False)]
    if len(texts) != wanted:
        faults.add(
            name,
            None,
            f"{len(texts)} lines for system {system!r}; the test file has {wanted} non-empty references",
        )
    return texts


def _read_news(source: Source, name: str, faults: Faults) -> dict[str, _Article]:
    return {
        plain_name(row["News ID"]).strip(): _Article(row["Headline"].strip(), row["News body"].strip())
        for _, row in _rows(source, name, _NEWS_COLUMNS, faults)
    }


def _documents(
    references: list[_Reference], outputs: Mapping[str, list[str]], articles: Mapping[str, _Article]
) -> Iterator[Document]:
    gold: dict[str, dict[str, str]] = {}
    summaries: dict[str, dict[str, dict[str, str]]] = {}
    for index, (document, reader, text) in enumerate(references):
        gold.setdefault(document, {})[reader] = text
        by_system = summaries.setdefault(document, {system: {} for system in outputs})
        for system, texts in outputs.items():
            by_system[system][reader] = texts[index]
    for document, by_reader in gold.items():
        article = articles.get(document, _Article("", ""))
        yield Document(document, article.title, article.body, by_reader, summaries[document])


def _notes(rated: _Test, documents: tuple[Document, ...], *, with_news: bool) -> Iterator[str]:
    kept = sum(len(document.references) for document in documents)
    if rated.empty:
        yield f"{rated.empty} empty references left out"
    if kept < len(rated.references):
        yield f"{len(rated.references) - kept} reader-document pairs occur twice; the later one stands"
    bodiless = sum(not document.body for document in documents)
    if bodiless and with_news:
        yield f"{bodiless} of {len(documents)} documents have no body in the news file"
    elif bodiless:
        yield "no news file given: documents have no text, so only scores with normalise=none can be computed"
