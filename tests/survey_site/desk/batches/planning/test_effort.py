"""The effort of a plan, shown before anything is stored."""

import re

import pytest

from survey_site.batches.effort import suitable_documents
from survey_site.batches.models import Batch
from survey_site.batches.planning import plan_settings
from survey_site.corpus.models import Document, Reference, Summary
from survey_site.corpus.services import measure_texts
from tests.factories.corpus import make_corpus
from tests.survey_site.desk.batches.pages import form_data, page_text, url

pytestmark = pytest.mark.django_db


def test_the_effort_is_shown_before_anything_is_stored(admin_client):
    corpus = make_corpus(documents=3, systems=4)
    data = form_data(corpus, systems_per_questionnaire=2, raters=3, name="")
    page = page_text(admin_client.post(url("new", corpus=corpus.pk), data | {"action": "estimate"}))
    assert "Questionnaires 6 Text pairs 18 Raters each 3 Ratings 54" in page
    assert Batch.objects.count() == 0


def test_the_effort_fragment_counts_what_is_entered(admin_client):
    corpus = make_corpus(documents=3, systems=4)
    data = form_data(corpus, documents=2, systems_per_questionnaire=2)
    address = url("effort", corpus=corpus.pk)
    page = page_text(admin_client.post(address, data))
    assert "Questionnaires 4 Text pairs 12 Raters each 2 Ratings 24" in page
    page = page_text(admin_client.post(address, data | {"raters": "many"}))
    assert ("Fill in the numbers" in page, "Effort not known yet" in page) == (True, True)
    assert (admin_client.post(url("effort")).status_code, admin_client.get(address).status_code) == (404, 405)


def test_the_effort_knows_the_price_and_how_many_people_a_limit_needs(admin_client):
    corpus = make_corpus(documents=5, systems=4)
    Document.objects.update(body="x" * 6 * 200 * 60)  # an hour of reading
    measure_texts(corpus)
    data = form_data(corpus, raters=3, rate=20, limit=2)
    address = url("effort", corpus=corpus.pk)
    page = page_text(admin_client.post(address, data))
    assert "15 completed questionnaires · about 15 hours · price about 305" in page
    assert "At least 8 different people must take part, up to 2 questionnaires each." in page
    del data["document_shown"]
    assert "15 completed questionnaires · about 15 minutes · price about 5" in page_text(
        admin_client.post(address, data)
    )


@pytest.mark.parametrize(
    ("entered", "said", "questionnaires"),
    [
        (
            {"documents": 9},
            "Documents with 1 reader pair for whom all chosen systems wrote: 2. The numbers below",
            2,
        ),
        (
            {"document_keys": "doc1 doc2 doc9"},
            "Of these, documents with 1 reader pair for whom all chosen systems wrote: 1.",
            1,
        ),
        (
            {"documents": 3, "reader_pairs": 3},
            "Documents with 3 reader pairs for whom all chosen systems wrote: 1.",
            3,
        ),
        ({"reader_pairs": 4}, "Documents with 4 reader pairs for whom all chosen systems wrote: none.", None),
        ({"documents": 2}, None, 2),
        ({"documents": 3, "readers": 3}, "Documents with 3 readers for whom all chosen systems wrote: 1.", 3),
        ({"documents": 9, "picked": ["doc1"]}, None, 1),
    ],
)
def test_the_effort_counts_no_documents_that_are_not_there(admin_client, entered, said, questionnaires):
    """Of three documents one lacks two summaries, one a single one: three pairs, one pair, none."""
    corpus = make_corpus(documents=3, readers=3)
    Summary.objects.filter(document__key="doc2", reader__key__in=["reader1", "reader2"]).delete()
    Summary.objects.filter(document__key="doc3", reader__key="reader1", system__name="System1").delete()
    page = page_text(admin_client.post(url("effort", corpus=corpus.pk), form_data(corpus, **entered)))
    assert ("Fewer documents than you ask for" in page) == (said is not None)
    assert (said or "") in page
    assert re.findall(r"Questionnaires (\d+)", page) == ([str(questionnaires)] if questionnaires else [])


def test_the_effort_counts_the_documents_that_the_plan_has():
    corpus = make_corpus(documents=4, readers=4, systems=3)
    Summary.objects.filter(document__key="doc2", reader__key="reader1", system__name="System2").delete()
    Summary.objects.filter(document__key="doc3", system__name="System3").delete()
    Reference.objects.filter(document__key="doc4", reader__key__in=["reader1", "reader2"]).delete()
    for names in (["System1"], ["System2"], ["System1", "System3"]):
        systems = list(corpus.systems.filter(name__in=names))
        for pairs in (1, 3, 6):
            plan = plan_settings(Batch(corpus=corpus, reader_pairs=pairs), systems, None)
            drawn = {one.document for one in plan.questionnaires}
            assert suitable_documents(corpus, systems, pairs) == drawn
