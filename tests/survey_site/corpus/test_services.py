"""import_corpus: whole or not at all, once for each content, and back without loss."""

from importlib import import_module

import pytest
from django.apps import apps
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given, settings

from meta_eval.corpus.documents import Corpus as CorpusValue
from meta_eval.corpus.documents import Document as DocumentValue
from meta_eval.errors import InputError
from survey_site.corpus import services
from survey_site.corpus.models import Corpus, Document, Reader, Reference, Summary, System
from survey_site.corpus.queries import load_corpus
from survey_site.corpus.services import import_corpus
from tests.factories.accounts import make_user
from tests.factories.batches import NOW
from tests.factories.corpus import make_corpus
from tests.survey_site.corpus.examples import corpora, make_value

pytestmark = pytest.mark.django_db
MODELS = (Corpus, Document, Reader, Reference, Summary, System)


def count_rows() -> list[int]:
    return [model.objects.count() for model in MODELS]


def test_everything_is_stored():
    ada = make_user(username="ada")
    result = import_corpus(
        corpus=make_value(), name="Pilot", source="JSONL: a.jsonl", created_by=ada, now=NOW
    )
    row = result.corpus
    assert result.created is True
    assert (row.name, row.source, row.notes, row.created_by) == ("Pilot", "JSONL: a.jsonl", ["a note"], ada)
    assert list(Document.objects.values_list("key", "title", "body")) == [
        ("d1", "Council", "The council votes.")
    ]
    assert list(Reference.objects.values_list("document__key", "reader__key", "text")) == [
        ("d1", "r1", "council votes"),
        ("d1", "r2", "budget"),
    ]
    assert list(Summary.objects.values_list("system__name", "reader__key", "text")) == [
        ("A", "r1", "a vote"),
        ("A", "r2", "a vote"),
    ]


@settings(max_examples=60)
@given(corpora())
def test_what_was_imported_comes_back(value):
    row = import_corpus(corpus=value, name="any", source="", now=NOW).corpus
    loaded = load_corpus(row)
    assert loaded.content_hash == row.content_hash == value.content_hash


@pytest.mark.parametrize("reverse", [False, True])
def test_order_comes_back_too(reverse):
    documents = [
        DocumentValue(name, "t", "b", {"r2": "x", "r1": "y"}, {"B": {"r1": "1", "r2": "2"}, "A": {"r1": "3"}})
        for name in ("d2", "d1", "d3")
    ]
    value = CorpusValue(tuple(reversed(documents) if reverse else documents), ("first", "second"))
    loaded = load_corpus(import_corpus(corpus=value, name="ordered", source="", now=NOW).corpus)
    assert loaded == value
    assert (loaded.systems, loaded.readers) == (("B", "A"), ("r2", "r1"))
    assert [list(document.summaries) for document in loaded.documents] == [["B", "A"]] * 3


def test_only_the_asked_corpus_is_loaded():
    first = import_corpus(corpus=make_value(text="one"), name="first", source="", now=NOW).corpus
    import_corpus(corpus=make_value(text="two"), name="second", source="", now=NOW)
    assert load_corpus(first) == make_value(text="one")


def test_statistics_are_renewed_where_the_planner_needs_them():
    with CaptureQueriesContext(connection) as queries:
        import_corpus(corpus=make_value(), name="any", source="", now=NOW)
    renewed = [query["sql"] for query in queries.captured_queries if query["sql"].startswith("ANALYZE")]
    tables = "ANALYZE corpus_document, corpus_reader, corpus_reference, corpus_summary"
    assert renewed == ([tables] if connection.vendor == "postgresql" else [])


def test_how_long_the_texts_are_is_stored_once():
    row = import_corpus(corpus=make_value(), name="any", source="", now=NOW).corpus
    (document,) = Document.objects.all()
    texts = list(Reference.objects.values_list("text", flat=True))
    stored = Corpus.objects.values_list("document_characters", "reference_characters").get(pk=row.pk)
    assert stored == (len(document.title + document.body), sum(map(len, texts)) / len(texts))
    assert min(stored) > 0


def test_corpora_that_were_here_before_are_measured_too():
    row = import_corpus(corpus=make_value(), name="any", source="", now=NOW).corpus
    stored = (row.document_characters, row.reference_characters)
    Corpus.objects.update(document_characters=0, reference_characters=0)
    import_module("survey_site.corpus.migrations.0002_mean_lengths").measure(apps, None)
    row.refresh_from_db()
    assert (row.document_characters, row.reference_characters) == stored


def test_the_same_content_is_one_corpus_under_its_first_name():
    first = import_corpus(corpus=make_value(), name="first", source="a", now=NOW).corpus
    before = count_rows()
    again = import_corpus(corpus=make_value(), name="second", source="b", now=NOW)
    assert (again.corpus, again.created, again.corpus.name) == (first, False, "first")
    assert count_rows() == before


def test_content_that_is_there_is_found_without_writing(django_assert_num_queries):
    import_corpus(corpus=make_value(), name="first", source="a", now=NOW)
    with django_assert_num_queries(2):
        import_corpus(corpus=make_value(), name="second", source="b", now=NOW)


def test_an_import_that_fails_on_its_last_row_leaves_nothing(monkeypatch):
    def fail(*_args):
        yield (-1, -1, -1, None)

    monkeypatch.setattr(services, "_summaries", fail)
    with pytest.raises(IntegrityError):
        import_corpus(corpus=make_value(), name="broken", source="", now=NOW)
    assert count_rows() == [0] * len(MODELS)


@pytest.mark.parametrize("kind", ["document id", "reader", "system name"])
def test_names_that_do_not_fit_are_refused_with_their_kind(kind):
    name = "x" * 201
    document = DocumentValue(
        name if kind == "document id" else "d",
        "",
        "",
        {name if kind == "reader" else "r": "text"},
        {name if kind == "system name" else "S": {}},
    )
    with pytest.raises(InputError, match=f"the {kind} 'xxx.*is longer than 200 characters"):
        import_corpus(corpus=CorpusValue((document,)), name="long", source="", now=NOW)
    assert count_rows() == [0] * len(MODELS)


def test_long_sources_are_cut_and_an_empty_name_is_replaced():
    row = import_corpus(corpus=make_value(), name=" ", source="s" * 600, now=NOW).corpus
    assert (row.name, len(row.source)) == ("Corpus", 500)


def test_a_summary_for_a_reader_without_reference_is_kept():
    value = CorpusValue(
        (
            DocumentValue("d1", "", "", {"r1": "x"}, {"A": {"r9": "stray"}}),
            DocumentValue("d2", "", "", {"r2": "y"}, {}),
        )
    )
    assert load_corpus(import_corpus(corpus=value, name="stray", source="", now=NOW).corpus) == value
    assert list(Reader.objects.order_by("pk").values_list("key", flat=True)) == ["r1", "r2", "r9"]


@pytest.mark.parametrize(
    "duplicate",
    [
        lambda corpus: Document(corpus=corpus, key="doc1", position=99),
        lambda corpus: Document(corpus=corpus, key="new", position=1),
        lambda corpus: Reader(corpus=corpus, key="reader1"),
        lambda corpus: System(corpus=corpus, name="System1", position=99),
        lambda corpus: Reference(document=corpus.documents.get(), reader=corpus.readers.get(), text="again"),
        lambda corpus: Summary(
            document=corpus.documents.get(),
            reader=corpus.readers.get(),
            system=corpus.systems.get(),
            text="again",
        ),
        lambda corpus: Corpus(name="twin", content_hash=corpus.content_hash, project=corpus.project),
        lambda corpus: Corpus(name="", content_hash="0" * 64, project=corpus.project),
    ],
)
def test_the_database_refuses_what_may_not_be(duplicate):
    corpus = make_corpus(documents=1, readers=1, systems=1)
    with pytest.raises(IntegrityError):
        duplicate(corpus).save()
