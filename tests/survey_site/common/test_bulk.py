"""Many rows at once are the rows, and the faults, of the plain way."""

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from survey_site.common import bulk
from survey_site.common.bulk import store_rows
from survey_site.corpus.models import Corpus, Document, Reader, Reference, Summary, System
from survey_site.corpus.services import import_corpus
from tests.factories.batches import NOW
from tests.factories.corpus import make_corpus
from tests.survey_site.corpus.examples import make_value

pytestmark = pytest.mark.django_db

FIELDS = ("corpus", "key", "position", "title", "body", "language")
TEXTS = ("", "\\N", "\\.", "a\tb", "a\nb\r\nc", "say \"no\", 'no'", "back\\slash", "%s ? $1 {}", "سلام 😀 é")


def plain_row(corpus, row):
    return Document(corpus=corpus, **dict(zip(FIELDS[1:], row, strict=True)))


def stored(corpus):
    """All columns but the keys, in the order in which rows were stored."""
    rows = Document.objects.filter(corpus=corpus).order_by("pk")
    return list(rows.values_list("key", "position", "title", "body", "language"))


def fault(store):
    """The kind of error that `store` ends with, None where it stores; what it stored is taken back."""
    try:
        with transaction.atomic():
            store()
            transaction.set_rollback(True)
    except (DatabaseError, ValueError) as error:
        return type(error)
    return None


def test_rows_are_those_of_the_plain_way(monkeypatch):
    monkeypatch.setattr(bulk, "BATCH", 4)  # so that the last batch is not full
    many, plain = make_corpus(documents=0), make_corpus(documents=0)
    rows = [(f"d{i}{text}", 20 - i, text, text * 3, "en" * (i % 2)) for i, text in enumerate(TEXTS)]
    store_rows(Document, FIELDS, ((many.pk, *row) for row in rows))
    Document.objects.bulk_create(plain_row(plain, row) for row in rows)
    assert stored(many) == rows
    assert stored(many) == stored(plain)


@pytest.mark.parametrize(
    "changed",
    [
        {"key": "doc1"},
        {"position": -1},
        {"title": None},
        {"key": "k" * 201},
        {"title": "a\0b"},
    ],
    ids=["twice", "negative", "nothing", "too long", "NUL"],
)
def test_faults_are_those_of_the_plain_way(changed):
    corpus = make_corpus(documents=1)
    row = {"key": "new", "position": 7, "title": "", "body": "", "language": "", **changed}
    plain = fault(lambda: Document.objects.bulk_create([plain_row(corpus, row.values())]))
    many = fault(lambda: store_rows(Document, FIELDS, [(corpus.pk, *row.values())]))
    assert many == plain
    loose = connection.vendor == "sqlite" and any(
        len(str(value)) > 200 or "\0" in str(value) for value in row.values()
    )
    assert (many is None) == loose  # SQLite keeps any text


def test_nothing_is_stored_where_a_row_cannot_be_made():
    corpus = make_corpus(documents=0)

    def rows():
        yield (corpus.pk, "first", 1, "", "", "")
        raise LookupError("no second row")

    with pytest.raises(LookupError, match="no second row"), transaction.atomic():
        store_rows(Document, FIELDS, rows())
    assert stored(corpus) == []


def test_a_row_of_nobody_is_refused_with_the_transaction():
    def store():
        store_rows(Reader, ("corpus", "key"), [(0, "of no corpus")])
        connection.check_constraints()

    assert fault(store) is IntegrityError
    assert Reader.objects.count() == 0


def test_an_imported_corpus_has_the_rows_of_objects_stored_one_by_one():
    row = import_corpus(corpus=make_value(), name="many", source="", now=NOW).corpus
    value = make_value()
    twin = Corpus.objects.create(name="plain", content_hash="0" * 64, project=row.project)
    systems = {x: System.objects.create(corpus=twin, name=x, position=i) for i, x in enumerate(value.systems)}
    readers = {key: Reader.objects.create(corpus=twin, key=key) for key in value.readers}
    for i, one in enumerate(value.documents):
        document = Document.objects.create(
            corpus=twin, key=one.id, position=i, title=one.title, body=one.body, language=one.language
        )
        for reader, text in one.references.items():
            Reference.objects.create(document=document, reader=readers[reader], text=text)
        for system, texts in one.summaries.items():
            for reader, text in texts.items():
                Summary.objects.create(
                    document=document, system=systems[system], reader=readers[reader], text=text
                )
    assert rows_of(row) == rows_of(twin)


def rows_of(corpus):
    """Every row of a corpus without its keys, in the order of keys."""
    return {
        "systems": list(corpus.systems.order_by("pk").values_list("name", "position")),
        "readers": list(corpus.readers.order_by("pk").values_list("key", flat=True)),
        "documents": stored(corpus),
        "references": list(
            Reference.objects.filter(document__corpus=corpus)
            .order_by("pk")
            .values_list("document__key", "reader__key", "text")
        ),
        "summaries": list(
            Summary.objects.filter(document__corpus=corpus)
            .order_by("pk")
            .values_list("document__key", "system__name", "reader__key", "text")
        ),
    }
