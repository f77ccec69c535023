"""Reads on corpora, and the one way from rows back to a `meta_eval` corpus."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, IntegerField, Model, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from meta_eval.corpus import documents as values
from meta_eval.studies.icopernicus.provenance import Record, record_in_words
from survey_site.common.languages import name_of_tag
from survey_site.corpus.models import Corpus, Document, Reader, Reference, Summary, System

CHUNK = 5000
_DOCUMENT = ("pk", "key", "title", "body", "language")


def load_corpus(row: Corpus) -> values.Corpus:
    """The corpus as the library's value, in the order in which it was imported; five queries."""
    readers = dict(Reader.objects.filter(corpus=row).values_list("pk", "key"))
    systems = dict(System.objects.filter(corpus=row).values_list("pk", "name"))
    references = _texts_by_document(Reference, row, readers)
    summaries = _summaries_by_document(readers, systems)
    documents = Document.objects.filter(corpus=row).order_by("position")
    return values.Corpus(
        documents=tuple(
            values.Document(
                key, title, body, references.get(pk, {}), summaries.get(pk, {}), language or row.language
            )
            for pk, key, title, body, language in documents.values_list(*_DOCUMENT)
        ),
        notes=tuple(row.notes),
    )


def corpus_languages(row: Corpus) -> tuple[str, ...]:
    """The tags of its texts' languages as `load_corpus` gives them: measures find words by them."""
    named = Document.objects.filter(corpus=row).values_list("language", flat=True).distinct().order_by()
    return tuple(sorted({language or row.language for language in named} - {""}))


def languages_told(row: Corpus) -> list[str]:
    """Which languages the texts are in and who said so, in words; empty where nobody did."""
    named = Document.objects.filter(corpus=row).order_by().values_list("language").annotate(n=Count("pk"))
    counts = Counter(dict(named))
    if row.language and set(counts) <= {""}:
        return [name_of_tag(row.language)]
    told = [f"{name_of_tag(tag)}: {_documents(counts[tag])}" for tag in sorted(counts) if tag]
    if counts[""] and row.language:
        told.append(f"{name_of_tag(row.language)}, as said at the import: {_documents(counts[''])}")
    elif counts[""] and told:
        told.append(f"not named: {_documents(counts[''])}")
    return told


def _documents(number: int) -> str:
    return f"{number:,} document{'' if number == 1 else 's'}"


def _texts_by_document(
    model: type[Reference], row: Corpus, readers: dict[int, str]
) -> dict[int, dict[str, str]]:
    texts: dict[int, dict[str, str]] = defaultdict(dict)
    rows = model.objects.filter(document__corpus=row).order_by("pk")
    for document, reader, text in rows.values_list("document_id", "reader_id", "text").iterator(CHUNK):
        texts[document][readers[reader]] = text
    return texts


def _summaries_by_document(
    readers: dict[int, str], systems: dict[int, str]
) -> dict[int, dict[str, dict[str, str]]]:
    summaries: dict[int, dict[str, dict[str, str]]] = defaultdict(dict)
    columns = ("document_id", "system_id", "reader_id", "text")
    rows = Summary.objects.filter(system__in=list(systems)).order_by("pk")  # no join: few systems, many rows
    for document, system, reader, text in rows.values_list(*columns).iterator(CHUNK):
        summaries[document].setdefault(systems[system], {})[readers[reader]] = text
    return summaries


def list_corpora() -> "QuerySet[Corpus]":
    """All corpora, newest first, with the numbers of what they hold."""
    return Corpus.objects.select_related("created_by", "project").annotate(
        document_count=_count_of(Document, "corpus"),
        reader_count=_count_of(Reader, "corpus"),
        system_count=_count_of(System, "corpus"),
        reference_count=_count_of(Reference, "document__corpus"),
    )


def _count_of(model: type[Model], path: str) -> Coalesce:
    rows = model._default_manager.filter(**{path: OuterRef("pk")}).order_by().values(path)
    return Coalesce(Subquery(rows.annotate(n=Count("pk")).values("n"), output_field=IntegerField()), 0)


@dataclass(frozen=True)
class ReaderCount:
    """How many documents have so many readers; `percent` of the most frequent number, for a bar."""

    readers: int
    documents: int
    percent: float


@dataclass(frozen=True)
class SummaryCount:
    """A system with how many summaries it has, and for how many references it has none.

    `generated` is the record of how a language model wrote them; None where there is none.
    """

    pk: int
    name: str
    summaries: int
    missing: int
    generated: Record | None = None

    @property
    def generated_in_words(self) -> list[tuple[str, str]]:
        return record_in_words(self.generated) if self.generated else []


@dataclass(frozen=True)
class Overview:
    """What the page of a corpus says about it as a whole."""

    documents: int
    readers: int
    references: int
    summaries: int
    without_text: int
    systems: list[SummaryCount]
    readers_per_document: list[ReaderCount]

    @property
    def generated(self) -> list[SummaryCount]:
        """The systems of which a record says how they came about."""
        return [system for system in self.systems if system.generated]

    @property
    def mean_readers(self) -> float:
        return self.references / self.documents if self.documents else 0.0

    @property
    def single_reader_documents(self) -> int:
        return sum(row.documents for row in self.readers_per_document if row.readers < 2)

    def remarks(self, notes: Iterable[str]) -> list[str]:
        """What to know before scoring: the import's notes, then what the numbers say besides."""
        found = [f"{note[:1].upper()}{note[1:]}." for note in notes]
        if self.single_reader_documents:
            found.append(
                f"Documents with fewer than two readers: {self.single_reader_documents}. "
                "Personalisation cannot be measured on them; scores leave them out and say so."
            )
        told = any("no text" in note or "no body" in note for note in notes)
        if self.without_text and not told:
            found.append(
                f"Documents without a body: {self.without_text} of {self.documents}. "
                "Scores that are normalised by the distance to the document need it."
            )
        return found


def describe_corpus(corpus: Corpus) -> Overview:
    counts = Counter(
        Document.objects.filter(corpus=corpus)
        .order_by()
        .annotate(n=Count("references"))
        .values_list("n", flat=True)
    )
    references = sum(readers * documents for readers, documents in counts.items())
    systems = [
        SummaryCount(pk, name, summaries, max(references - summaries, 0), generated)
        for pk, name, summaries, generated in System.objects.filter(corpus=corpus)
        .annotate(n=Count("summaries"))
        .order_by("position")
        .values_list("pk", "name", "n", "generated")
    ]
    return Overview(
        documents=sum(counts.values()),
        readers=Reader.objects.filter(corpus=corpus).count(),
        references=references,
        summaries=sum(system.summaries for system in systems),
        without_text=Document.objects.filter(corpus=corpus, body="").count(),
        systems=systems,
        readers_per_document=_reader_counts(counts),
    )


def _reader_counts(counts: Counter[int]) -> list[ReaderCount]:
    most = max(counts.values(), default=1)
    return [ReaderCount(readers, counts[readers], 100 * counts[readers] / most) for readers in sorted(counts)]


def find_documents(corpus: Corpus, text: str) -> "QuerySet[Document]":
    """Documents of a corpus; with `text`, those whose id or title contains it."""
    documents = Document.objects.filter(corpus=corpus).annotate(reader_count=Count("references"))
    if text:
        documents = documents.filter(Q(key__icontains=text) | Q(title__icontains=text))
    return documents.order_by("position")


@dataclass(frozen=True)
class ReaderTexts:
    """One reader's texts for one document: the gold reference, and each system's summary or None."""

    reader: str
    reference: str | None
    summaries: list[str | None]


def texts_of_documents(
    documents: Iterable[Document], systems: Iterable[SummaryCount]
) -> dict[int, list[ReaderTexts]]:
    """By document (primary key) its readers' texts, summaries in the order of `systems`; two queries."""
    keys = [document.pk for document in documents]
    gold: dict[int, dict[str, str]] = defaultdict(dict)
    written: dict[int, dict[str, dict[int, str]]] = defaultdict(lambda: defaultdict(dict))
    references = Reference.objects.filter(document__in=keys).order_by("pk")
    for document, reader, text in references.values_list("document_id", "reader__key", "text"):
        gold[document][reader] = text
    summaries = Summary.objects.filter(document__in=keys).order_by("pk")
    for document, reader, system, text in summaries.values_list(
        "document_id", "reader__key", "system_id", "text"
    ):
        written[document][reader][system] = text
    order = [system.pk for system in systems]
    return {key: _reader_texts(gold[key], written[key], order) for key in keys}


def _reader_texts(
    gold: dict[str, str], written: dict[str, dict[int, str]], order: list[int]
) -> list[ReaderTexts]:
    return [
        ReaderTexts(reader, gold.get(reader), [written[reader].get(system) for system in order])
        for reader in dict.fromkeys([*gold, *written])
    ]
