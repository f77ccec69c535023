"""Writes on corpora: one import, whole or not at all."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, connection, transaction
from django.db.models import Avg, Count
from django.db.models.functions import Length

from meta_eval.corpus import documents as values
from meta_eval.studies.icopernicus.provenance import Record, require_counts
from survey_site.accounts.audit import record_action
from survey_site.accounts.models import User
from survey_site.common.bulk import Row, store_rows
from survey_site.common.errors import ConflictError
from survey_site.common.locking import lock_row
from survey_site.corpus.models import Corpus, Document, Reader, Reference, Summary, System
from survey_site.corpus.validators import MAX_NAME, MAX_SOURCE, validate_language, validate_names
from survey_site.projects.choosing import named_project
from survey_site.projects.models import Project

DOCUMENT = ("corpus", "key", "position", "title", "body", "language")


@dataclass(frozen=True)
class ImportResult:
    """The corpus, and whether this import made it or it was there already.

    `recorded` counts the systems of which it is known by this import how they were generated.
    """

    corpus: Corpus
    created: bool
    recorded: int = 0


@dataclass(frozen=True)
class Keys:
    """Primary keys of the rows by the ids and names of the files."""

    documents: dict[str, int]
    readers: dict[str, int]
    systems: dict[str, int]


def import_corpus(
    *,
    corpus: values.Corpus,
    name: str,
    source: str,
    language: str = "",
    generated: Sequence[Record] = (),
    now: datetime,
    created_by: User | None = None,
    project: Project | None = None,
) -> ImportResult:
    """Store a corpus once: the same content in any file format, order or name is the corpus that is there.

    project: whose it is; None: the only one that there is. Of other projects' corpora nothing is said.
    language: the BCP 47 tag of texts whose document names none; it is kept too where the corpus is there
    already and nobody had said it.
    generated: how systems of this corpus came about, as `generate` wrote it beside the corpus; of a corpus
    that is there, systems without a record get theirs.
    Raises InputError for names that are too long and for a language that is no tag, ConflictError for the
    language of a corpus whose texts people rate; then nothing is stored.
    """
    validate_names(corpus)
    validate_language(language)
    content_hash = corpus.content_hash
    project = project or named_project(now=now)
    found = project.corpora.filter(content_hash=content_hash).first()
    if found:
        if language and not found.language and found.documents.filter(language="").exists():
            found = _add_language(found, language, created_by, now)
        return ImportResult(found, False, _record_generated(found, generated, created_by, now))
    try:
        with transaction.atomic():
            # First: its unique hash makes a second import of the same content wait here and then fail.
            row = Corpus.objects.create(
                project=project,
                name=(name.strip() or "Corpus")[:MAX_NAME],
                content_hash=content_hash,
                source=source[:MAX_SOURCE],
                language=language,
                notes=list(corpus.notes),
                created_by=created_by,
            )
            _create_content(row, corpus)
            recorded = _record_generated(row, generated, created_by, now)
    except IntegrityError:
        found = project.corpora.filter(content_hash=content_hash).first()
        if not found:
            raise
        return ImportResult(found, False, _record_generated(found, generated, created_by, now))
    return ImportResult(row, True, recorded)


def record_generated(
    *, row: Corpus, generated: Sequence[Record], now: datetime, by: User | None = None
) -> int:
    """Keep how systems of a corpus that is here came about; returns of how many that was not known.

    Raises InputError for records of other texts than this corpus has; then nothing is kept.
    """
    systems = System.objects.filter(corpus=row).order_by().annotate(texts=Count("summaries"))
    require_counts(generated, dict(systems.values_list("name", "texts")), "systems")
    return _record_generated(row, generated, by, now)


def _record_generated(row: Corpus, generated: Sequence[Record], by: User | None, now: datetime) -> int:
    """Keep how systems came about; what is known of one stays as it is. Returns how many were not known."""
    if not generated:
        return 0
    with transaction.atomic():
        unknown = System.objects.filter(corpus=row, generated__isnull=True)
        names = [
            record["system"]
            for record in generated
            if unknown.filter(name=record["system"]).update(generated=record)
        ]
        if names:
            record_action(
                action="generated systems recorded", subject=row, by=by, now=now, detail={"systems": names}
            )
    return len(names)


def systems_in_words(count: int) -> str:
    return f"{count} system{'' if count == 1 else 's'}"


def _add_language(row: Corpus, language: str, by: User | None, now: datetime) -> Corpus:
    """Say the language of a corpus of which nobody had; raters' pages are written by it.

    Under the locks of its batches, so that none is launched meanwhile.
    """
    with transaction.atomic():
        batches = list(row.batches.select_for_update(no_key=True).order_by("pk"))
        row = lock_row(Corpus.objects.filter(pk=row.pk))
        if row.language:
            return row
        if launched := [str(batch) for batch in batches if batch.launched_at]:
            raise ConflictError(
                f"This content is here as “{row}”, without a language, and “{launched[0]}” is launched: its "
                "raters' pages would change while they read.",
                action="Leave the language empty to come to the corpus that is here.",
            )
        row.language = language
        row.save(update_fields=["language"])
        record_action(
            action="corpus language set", subject=row, by=by, now=now, detail={"language": language}
        )
        return row


def _create_content(row: Corpus, corpus: values.Corpus) -> None:
    store_rows(System, ("corpus", "name", "position"), ((row.pk, x, i) for i, x in enumerate(corpus.systems)))
    store_rows(Reader, ("corpus", "key"), ((row.pk, key) for key in _reader_keys(corpus)))
    store_rows(Document, DOCUMENT, _documents(row, corpus))
    keys = Keys(
        documents=dict(Document.objects.filter(corpus=row).values_list("key", "pk")),
        readers=dict(Reader.objects.filter(corpus=row).values_list("key", "pk")),
        systems=dict(System.objects.filter(corpus=row).values_list("name", "pk")),
    )
    store_rows(Reference, ("document", "reader", "text"), _references(corpus, keys))
    store_rows(Summary, ("document", "system", "reader", "text"), _summaries(corpus, keys))
    _refresh_statistics()
    measure_texts(row)


def measure_texts(row: Corpus) -> None:
    """Store how long the texts are, once: pages that anybody may open say by it how much there is to read."""
    documents = Document.objects.filter(corpus=row).aggregate(mean=Avg(Length("title") + Length("body")))
    references = Reference.objects.filter(document__corpus=row).aggregate(mean=Avg(Length("text")))
    row.document_characters, row.reference_characters = documents["mean"] or 0, references["mean"] or 0
    row.save(update_fields=["document_characters", "reference_characters"])


def _reader_keys(corpus: values.Corpus) -> Iterable[str]:
    """Readers with a reference first, then those for whom only systems wrote."""
    only_addressed = (
        reader for document in corpus.documents for texts in document.summaries.values() for reader in texts
    )
    return dict.fromkeys([*corpus.readers, *only_addressed])


def _documents(row: Corpus, corpus: values.Corpus) -> Iterator[Row]:
    for i, document in enumerate(corpus.documents):
        yield row.pk, document.id, i, document.title, document.body, document.language


def _references(corpus: values.Corpus, keys: Keys) -> Iterator[Row]:
    for document in corpus.documents:
        document_id = keys.documents[document.id]
        for reader, text in document.references.items():
            yield document_id, keys.readers[reader], text


def _summaries(corpus: values.Corpus, keys: Keys) -> Iterator[Row]:
    for document in corpus.documents:
        document_id = keys.documents[document.id]
        for system, texts in document.summaries.items():
            system_id = keys.systems[system]
            for reader, text in texts.items():
                yield document_id, system_id, keys.readers[reader], text


def _refresh_statistics() -> None:
    """PostgreSQL plans badly (20 s for a load of 1 s) until it has counted what was just written."""
    if connection.vendor == "postgresql":
        tables = ", ".join(model._meta.db_table for model in (Document, Reader, Reference, Summary))
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE {tables}")
