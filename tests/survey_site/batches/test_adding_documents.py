"""Documents added to a live batch: planned like the first ones, and nothing that is there changes."""

import html
import re
from collections import Counter
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from survey_site.accounts.models import AuditEntry
from survey_site.batches.extending import add_documents
from survey_site.batches.models import Item, Questionnaire
from survey_site.batches.planning import plan_more
from survey_site.batches.services import add_raters, close_batch
from survey_site.common.errors import ConflictError
from survey_site.quality.freezing import freeze_batch
from survey_site.survey.models import AssignmentItem, Rating
from survey_site.survey.rating.services import claim_questionnaire
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_assignment, make_rater, submit_all

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def rows_of(batch):
    """Everything planned, as it stands in the database."""
    planned = Questionnaire.objects.filter(batch=batch).order_by("pk").values_list()
    return list(planned), list(Item.objects.filter(questionnaire__batch=batch).order_by("pk").values_list())


def test_new_questionnaires_are_numbered_on_and_nothing_else_changes(admin):
    batch = make_batch(corpus=make_corpus(documents=6), documents=2)
    done = submit_all(make_assignment(batch))
    planned, items = rows_of(batch)
    placed, rated = list(AssignmentItem.objects.values_list()), list(Rating.objects.values_list())
    added = add_documents(batch=batch, documents=3, by=admin, now=NOW + HOUR)
    assert [one.number for one in added] == [3, 4, 5]
    after_planned, after_items = rows_of(batch)
    assert (after_planned[:2], after_items[: len(items)]) == (planned, items)
    assert (list(AssignmentItem.objects.values_list()), list(Rating.objects.values_list())) == (placed, rated)
    documents = [one.document.key for one in batch.questionnaires.select_related("document")]
    assert len(set(documents)) == 5
    batch.refresh_from_db()
    assert (batch.documents, batch.document_keys) == (5, None)
    assert batch.plan_notes == [
        "added on 2026-03-02, while raters were at work: 3 documents in questionnaires 3 to 5"
    ]
    entry = AuditEntry.objects.get(action="documents added")
    keys = ", ".join(sorted(documents[2:]))
    assert (entry.actor_name, entry.detail) == (
        "adam",
        {"documents": "2 → 5", "added": keys, "questionnaires": 3},
    )
    assert done.questionnaire.number in {1, 2}


def test_what_the_preview_plans_is_what_is_added():
    batch = make_batch(corpus=make_corpus(documents=8), documents=2, seed=5)
    planned = plan_more(batch, documents=3, keys=())
    added = add_documents(batch=batch, documents=3, now=NOW)
    assert [one.document.key for one in added] == [one.document for one in planned.questionnaires]


def test_named_documents_join_those_that_were_named():
    batch = make_batch(corpus=make_corpus(documents=5), document_keys=["doc1", "doc2"])
    add_documents(batch=batch, document_keys=["doc5", "doc4"], now=NOW)
    batch.refresh_from_db()
    assert (batch.documents, batch.document_keys) == (4, ["doc1", "doc2", "doc4", "doc5"])


@pytest.mark.parametrize(
    ("wanted", "field", "message"),
    [
        ({"documents": 4}, "documents", "4 documents are wanted; 3 of 3 have"),
        ({"document_keys": ["doc1", "doc2", "doc3"]}, "document_keys", "Already in this batch: "),
        ({"document_keys": ["doc77"]}, "document_keys", "the corpus has no document doc77"),
        ({}, "documents", "Say how many documents, or which."),
    ],
)
def test_what_cannot_be_added_is_refused_beside_its_field(wanted, field, message):
    batch = make_batch(corpus=make_corpus(documents=5), document_keys=["doc1", "doc2"])
    with pytest.raises(ValidationError) as refused:
        add_documents(batch=batch, **wanted, now=NOW)
    assert list(refused.value.message_dict) == [field]
    assert message.lower() in refused.value.message_dict[field][0].lower()
    assert batch.questionnaires.count() == 2


def test_only_a_live_batch_takes_documents():
    batch = make_batch(corpus=make_corpus(documents=4), documents=2)
    submit_all(make_assignment(batch))
    with pytest.raises(ConflictError, match="not live"):
        add_documents(batch=make_batch(corpus=make_corpus(documents=4), launched=False), documents=1, now=NOW)
    close_batch(batch=batch, now=NOW)
    with pytest.raises(ConflictError, match="not live"):
        add_documents(batch=batch, documents=1, now=NOW)
    freeze_batch(batch=batch, clock=lambda: NOW)
    with pytest.raises(ConflictError, match="frozen"):
        add_documents(batch=batch, documents=1, now=NOW)


def test_who_had_nothing_left_gets_the_new_questionnaires():
    batch = make_batch(corpus=make_corpus(documents=3), documents=1)
    rater = make_rater(batch)
    submit_all(make_assignment(batch, rater=rater))
    assert claim_questionnaire(rater=rater, now=NOW) is None
    added = add_documents(batch=batch, documents=1, now=NOW)
    assert claim_questionnaire(rater=rater, now=NOW).questionnaire == added[0]


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    documents=st.tuples(st.integers(1, 3), st.integers(1, 5)),
    systems=st.integers(1, 4),
    people=st.tuples(st.integers(1, 3), st.integers(0, 2)),
)
def test_added_questionnaires_are_balanced_for_all_their_places(db, documents, systems, people):
    (first, more), (raters, extra) = documents, people
    corpus = make_corpus(documents=8, systems=systems)
    batch = make_batch(corpus=corpus, documents=first, systems_per_questionnaire=systems, raters=raters)
    if extra:
        batch = add_raters(batch=batch, raters=extra, now=NOW)
    added = add_documents(batch=batch, documents=more, now=NOW)
    items = Item.objects.filter(questionnaire__in=added)
    assert {len(item.places) for item in items} == {raters + extra}
    assert {one.slots for one in added} == {raters + extra}
    counts = Counter((item.system_id, place) for item in items for place, _ in item.places)
    for system in {item.system_id for item in items}:
        each = [counts[system, place] for place in range(1, systems + 2)]
        assert max(each) - min(each) <= 1


def url(batch):
    return reverse("batches:documents", args=[batch.pk])


def text_of(response):
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", response.content.decode())).split())


def test_an_admin_sees_the_effort_before_adding(admin_client):
    batch = make_batch(corpus=make_corpus(documents=6), documents=2)
    assert "asks about 2 documents now" in text_of(admin_client.get(url(batch)))
    text = text_of(admin_client.post(url(batch), {"documents": "3", "action": "preview"}))
    assert "3 documents more" in text
    assert "Questionnaires 3 Text pairs 9 Raters each 2 Ratings 18" in text
    assert batch.questionnaires.count() == 2
    response = admin_client.post(url(batch), {"documents": "3", "action": "add"}, follow=True)
    assert "3 questionnaires are added and handed out from now on." in text_of(response)
    assert batch.questionnaires.count() == 5


def test_faults_stand_beside_their_fields(admin_client):
    batch = make_batch(corpus=make_corpus(documents=4), documents=2)
    for data, message in (
        ({"documents": "9"}, "9 documents are wanted; 2 of 2 have"),
        ({"documents": "1", "document_keys": "doc1"}, "not both"),
        ({}, "Say how many documents, or which."),
    ):
        for action in ("preview", "add"):
            response = admin_client.post(url(batch), data | {"action": action})
            assert response.status_code == 422
            assert message in text_of(response)


def test_researchers_add_nothing_and_a_closed_batch_says_why(admin_client, researcher_client):
    batch = make_batch()
    assert researcher_client.get(url(batch)).status_code == 403
    close_batch(batch=batch, now=NOW)
    response = admin_client.get(url(batch))
    assert (response.status_code, "is not live" in text_of(response)) == (409, True)
