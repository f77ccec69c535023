"""Texts know their language: from their document, else from what was said at the import."""

import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import reverse

from meta_eval.corpus.jsonl import read_jsonl, write_jsonl
from meta_eval.errors import InputError
from survey_site.accounts.models import AuditEntry
from survey_site.batches.services import launch_batch
from survey_site.corpus.models import Corpus, Document
from survey_site.corpus.queries import load_corpus
from survey_site.corpus.services import import_corpus
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus

RECORD = {
    "doc_id": "d1",
    "doc_text": "نص",
    "doc_summ": "عنوان",
    "m_summary_dict": {"r1": {"user": "a", "S": "b"}, "r2": {"user": "c", "S": "d"}},
}


def corpus_of(**more):
    return read_jsonl(io.BytesIO(json.dumps(RECORD | more).encode()), name="corpus.jsonl")


def test_a_document_may_name_its_language_which_is_no_content():
    arabic = corpus_of(lang="ar")
    assert arabic.documents[0].language == "ar"
    assert arabic.content_hash == corpus_of().content_hash
    stream = io.StringIO()
    write_jsonl(arabic, stream)
    assert json.loads(stream.getvalue())["lang"] == "ar"


@pytest.mark.parametrize("tag", ["English", "e", "en_GB", 5, None, "en-"])
def test_what_is_no_language_tag_is_a_fault_with_its_line(tag):
    with pytest.raises(InputError, match=":1: field 'lang' must be a language tag"):
        corpus_of(lang=tag)


@pytest.mark.django_db
def test_the_rows_keep_both_languages_and_give_the_documents_back():
    row = import_corpus(corpus=corpus_of(lang="ar"), name="C", source="jsonl", language="en", now=NOW).corpus
    assert (row.language, Document.objects.get().language) == ("en", "ar")
    assert load_corpus(row).documents[0].language == "ar"


@pytest.mark.django_db
def test_the_same_content_again_adds_a_language_that_nobody_had_said():
    for language in ("", "ar", "en"):
        result = import_corpus(corpus=corpus_of(), name="C", source="jsonl", language=language, now=NOW)
    assert (Corpus.objects.get().language, result.created) == ("ar", False)


@pytest.mark.django_db
def test_that_a_language_was_added_is_in_the_audit_log(researcher):
    for language in ("", "ar", "ar"):
        import_corpus(
            corpus=corpus_of(), name="C", source="", language=language, created_by=researcher, now=NOW
        )
    entries = AuditEntry.objects.values_list("action", "subject", "actor", "at", "detail")
    assert list(entries) == [("corpus language set", "C", researcher.pk, NOW, {"language": "ar"})]


@pytest.mark.django_db
def test_raters_pages_keep_their_language_once_a_batch_is_launched(researcher_client):
    row = import_corpus(corpus=corpus_of(), name="C", source="", now=NOW).corpus
    batch = make_batch(corpus=row, launched=False)
    launch_batch(batch=batch, now=NOW)
    file = SimpleUploadedFile("c.jsonl", json.dumps(RECORD).encode())
    response = researcher_client.post(
        "/corpora/import/", {"format": "jsonl", "jsonl": file, "language": "ar"}
    )
    assert response.status_code == 409
    assert f"“{batch}” is launched" in response.content.decode()
    assert (Corpus.objects.get().language, AuditEntry.objects.filter(subject="C").count()) == ("", 0)
    assert import_corpus(corpus=corpus_of(), name="C", source="", now=NOW).corpus == row


@pytest.mark.django_db
def test_a_language_that_each_document_states_changes_nothing():
    row = import_corpus(corpus=corpus_of(lang="ar"), name="C", source="", now=NOW).corpus
    launch_batch(batch=make_batch(corpus=row, launched=False), now=NOW)
    again = import_corpus(corpus=corpus_of(lang="ar"), name="C", source="", language="ar", now=NOW)
    assert (again.corpus, again.created, Corpus.objects.get().language) == (row, False, "")


@pytest.mark.django_db
def test_a_draft_does_not_keep_a_language_from_being_said():
    row = import_corpus(corpus=corpus_of(), name="C", source="", now=NOW).corpus
    make_batch(corpus=row, launched=False)
    result = import_corpus(corpus=corpus_of(), name="C", source="", language="ar", now=NOW)
    assert (result.corpus.language, Corpus.objects.get().language) == ("ar", "ar")


@pytest.mark.django_db
def test_the_command_takes_the_language_and_refuses_what_is_none(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text(json.dumps(RECORD), encoding="utf-8")
    with pytest.raises(CommandError, match="Nothing was imported"):
        call_command("import_corpus", str(path), language="Arabic language", stderr=io.StringIO())
    call_command("import_corpus", str(path), language="ar", stdout=io.StringIO())
    assert Corpus.objects.get().language == "ar"


@pytest.mark.django_db
def test_the_page_takes_the_language_and_says_it(researcher_client):
    file = io.BytesIO(json.dumps(RECORD).encode())
    file.name = "corpus.jsonl"
    data = {"format": "jsonl", "jsonl": file, "language": "no tag!"}
    refused = researcher_client.post(reverse("corpus:import"), data)
    assert (refused.status_code, "such as en, ar or pt-BR" in refused.content.decode()) == (422, True)
    file.seek(0)
    saved = researcher_client.post(reverse("corpus:import"), data | {"language": "ar"})
    assert "<dt>Language</dt><dd>Arabic (ar)</dd>" in researcher_client.get(saved.url).content.decode()


@pytest.mark.parametrize(
    ("said", "named", "told"),
    [
        ("", ["", ""], []),
        ("en", ["", ""], ["English (en)"]),
        ("", ["ar", "ar"], ["Arabic (ar): 2 documents"]),
        ("en", ["ar", ""], ["Arabic (ar): 1 document", "English (en), as said at the import: 1 document"]),
        ("", ["tlh", ""], ["tlh: 1 document", "not named: 1 document"]),
    ],
)
@pytest.mark.django_db
def test_the_page_of_a_corpus_says_its_languages_and_who_said_them(researcher_client, said, named, told):
    corpus = make_corpus(documents=2)
    Corpus.objects.update(language=said)
    for document, tag in zip(corpus.documents.all(), named, strict=True):
        Document.objects.filter(pk=document.pk).update(language=tag)
    response = researcher_client.get(corpus.get_absolute_url())
    assert response.context["languages"] == told
    assert ("Nobody named it" in response.content.decode()) == (told == [])
