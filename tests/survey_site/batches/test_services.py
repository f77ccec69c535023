"""Planning, launching and closing."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from survey_site.batches.models import Batch, Item, Questionnaire
from survey_site.batches.planning import plan_batch
from survey_site.batches.services import BatchSettings, close_batch, create_batch, launch_batch, update_batch
from survey_site.batches.states import Scale
from survey_site.common.errors import ConflictError
from survey_site.corpus.models import Summary
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=1)
SETTINGS = BatchSettings(name="Pilot")


def errors_of(corpus, **changes):
    """Field -> messages of the ValidationError that these settings meet; nothing may be stored."""
    with pytest.raises(ValidationError) as caught:
        create_batch(corpus=corpus, settings=replace(SETTINGS, **changes), now=NOW)
    assert Batch.objects.count() == 0
    return caught.value.message_dict


def planned_rows(batch):
    """(document, reader a, reader b, systems) of each questionnaire, None for gold."""
    return [
        (
            one.document.key,
            one.reader_a.key,
            one.reader_b.key,
            [item.system and item.system.name for item in one.items.all()],
        )
        for one in batch.questionnaires.order_by("number")
    ]


def test_a_draft_takes_all_systems_and_every_suitable_document_by_default():
    corpus = make_corpus(documents=3, systems=4)
    batch = create_batch(corpus=corpus, settings=SETTINGS, now=NOW)
    assert (batch.status, batch.documents, batch.systems.count()) == ("draft", 3, 4)
    assert (batch.created_at, batch.launched_at, Questionnaire.objects.count()) == (NOW, None, 0)


def test_wording_follows_the_direction():
    similar = make_batch(launched=False, scale=Scale.SIMILARITY)
    different = make_batch(launched=False, scale=Scale.DISSIMILARITY)
    assert (similar.low_label, similar.high_label) == ("Very low similarity", "Very high similarity")
    assert (different.low_label, different.high_label) == ("Very similar", "Very dissimilar")


def test_labels_of_the_other_direction_are_refused():
    assert errors_of(make_corpus(), scale=Scale.SIMILARITY, low_label="very similar") == {
        "low_label": ["This label belongs to a scale of dissimilarity, but the direction is similarity."]
    }


@pytest.mark.parametrize(
    ("changes", "field", "message"),
    [
        ({"documents": 9}, "documents", "9 documents are wanted; 2 of 2 have"),
        ({"reader_pairs": 4}, "documents", "no document has 4 reader pair"),
        ({"document_keys": ["doc1", "doc77"]}, "document_keys", "the corpus has no document doc77"),
        ({"document_keys": ["doc1"], "reader_pairs": 4}, "document_keys", "fewer than 4 reader pair"),
        ({"systems": []}, "systems", "Choose at least one system"),
        ({"raters": 0}, "raters", "greater than or equal to 1"),
        ({"claim_minutes": 0}, "claim_minutes", "greater than or equal to 1"),
        ({"name": " "}, "name", "cannot be blank"),
        ({"scale": "sideways"}, "scale", "not a valid choice"),
    ],
)
def test_settings_that_make_no_plan_are_refused_beside_their_field(changes, field, message):
    errors = errors_of(make_corpus(documents=2, readers=3), **changes)
    assert list(errors) == [field]
    assert message.lower() in errors[field][0].lower()


def test_a_system_of_another_corpus_is_refused():
    other = make_corpus(systems=1)
    other.systems.update(name="Stranger")
    errors = errors_of(make_corpus(), systems=list(other.systems.all()))
    assert errors == {"systems": ["Not systems of this corpus: Stranger."]}


def test_a_corpus_without_systems_is_refused():
    assert errors_of(make_corpus(systems=0)) == {
        "systems": ["This corpus holds no system's summaries: nothing to rate."]
    }


def test_documents_for_which_a_system_did_not_write_are_left_out_and_noted():
    corpus = make_corpus(documents=3, readers=2)
    Summary.objects.filter(document__key="doc2", system__name="System1").first().delete()
    batch = create_batch(corpus=corpus, settings=SETTINGS, now=NOW)
    assert batch.documents == 2
    assert batch.plan_notes == [
        "1 of 3 documents cannot be surveyed: fewer than 1 reader pair(s) for which every system wrote"
    ]


def test_launching_stores_the_plan_exactly():
    corpus = make_corpus(documents=4, readers=4, systems=5)
    settings = {"documents": 3, "reader_pairs": 2, "systems_per_questionnaire": 2, "seed": 7}
    draft = make_batch(corpus=corpus, launched=False, raters=3, **settings)
    plan = plan_batch(draft)
    batch = launch_batch(batch=draft, now=LATER)
    expected = [(one.document, one.reader_a, one.reader_b, one.systems) for one in plan.questionnaires]
    stored = [(*row[:3], tuple(row[3][1:])) for row in planned_rows(batch)]
    assert stored == expected
    assert all(row[3][0] is None for row in planned_rows(batch))
    assert (batch.status, batch.launched_at) == ("live", LATER)
    assert set(batch.questionnaires.values_list("slots", flat=True)) == {3}


def test_the_same_seed_gives_the_same_plan_and_another_one_another():
    corpus = make_corpus(documents=8, readers=4, systems=4)
    same = [planned_rows(make_batch(corpus=corpus, seed=5, documents=4)) for _ in range(2)]
    assert same[0] == same[1]
    assert planned_rows(make_batch(corpus=corpus, seed=6, documents=4)) != same[0]


def test_every_system_is_asked_about_equally_often():
    batch = make_batch(corpus=make_corpus(documents=3, systems=5), systems_per_questionnaire=2)
    counts = [Item.objects.filter(system=system).count() for system in batch.systems.all()]
    gold = Item.objects.filter(system=None).count()
    assert (counts, gold) == ([3] * 5, batch.questionnaires.count())


def test_chosen_systems_and_documents_only():
    corpus = make_corpus(documents=4, systems=3)
    chosen = list(corpus.systems.filter(name__in=["System1", "System3"]))
    batch = make_batch(corpus=corpus, systems=chosen, document_keys=["doc4", "doc2", "doc4"])
    rows = planned_rows(batch)
    assert sorted(row[0] for row in rows) == ["doc2", "doc4"]
    assert {name for row in rows for name in row[3]} == {None, "System1", "System3"}
    assert batch.document_keys == ["doc4", "doc2"]


def test_launching_twice_changes_nothing():
    batch = make_batch()
    before = list(Questionnaire.objects.values_list("pk", flat=True))
    assert launch_batch(batch=batch, now=LATER).launched_at == NOW
    assert list(Questionnaire.objects.values_list("pk", flat=True)) == before


def test_a_closed_batch_cannot_be_launched_and_a_draft_cannot_be_closed():
    closed = close_batch(batch=make_batch(), now=LATER)
    with pytest.raises(ConflictError, match="is closed"):
        launch_batch(batch=closed, now=LATER)
    with pytest.raises(ConflictError, match="never launched"):
        close_batch(batch=make_batch(launched=False), now=LATER)


def test_closing_twice_keeps_the_first_time():
    closed = close_batch(batch=make_batch(), now=LATER)
    assert close_batch(batch=closed, now=LATER + timedelta(days=1)).closed_at == LATER


def test_a_draft_can_be_changed_and_a_launched_batch_not():
    draft = make_batch(corpus=make_corpus(documents=3), launched=False)
    changed = update_batch(batch=draft, settings=replace(SETTINGS, name="Second", documents=1), now=LATER)
    assert (changed.pk, changed.name, changed.documents, changed.token) == (
        draft.pk,
        "Second",
        1,
        draft.token,
    )
    with pytest.raises(ConflictError, match="already work with its settings"):
        update_batch(batch=make_batch(), settings=SETTINGS, now=LATER)


def test_a_launch_that_fails_leaves_a_draft_and_no_rows(monkeypatch):
    draft = make_batch(launched=False)

    def fail(*_args, **_kwargs):
        raise OSError("disk full")

    monkeypatch.setattr("survey_site.batches.planning.Item.objects.bulk_create", fail)
    with pytest.raises(OSError, match="disk full"), transaction.atomic():
        launch_batch(batch=draft, now=NOW)
    draft.refresh_from_db()
    assert (draft.status, Questionnaire.objects.count()) == ("draft", 0)


@pytest.mark.parametrize(
    "values",
    [{"status": "odd"}, {"scale": "odd"}, {"raters": 0}, {"status": "live", "launched_at": None}],
)
def test_the_database_refuses_a_batch_that_cannot_be(values):
    batch = make_batch()
    with pytest.raises(IntegrityError), transaction.atomic():
        Batch.objects.filter(pk=batch.pk).update(**values)


def test_the_database_refuses_a_questionnaire_about_one_reader():
    questionnaire = make_batch().questionnaires.first()
    questionnaire.reader_b = questionnaire.reader_a
    with pytest.raises(IntegrityError), transaction.atomic():
        questionnaire.save()
