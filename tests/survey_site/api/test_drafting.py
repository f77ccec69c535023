"""A draft that a program changes, looks at and deletes; the window and the primary coefficient of a batch."""

from datetime import timedelta

import pytest
from django.utils import timezone

from survey_site.accounts.models import AuditEntry
from survey_site.api.shapes.drafts import PlanChange
from survey_site.batches.models import Batch
from survey_site.batches.services import update_batch
from survey_site.batches.standing import settings_of
from survey_site.batches.wording import default_wording
from tests.factories.api import make_program
from tests.factories.batches import NOW, make_batch
from tests.factories.scoring import make_rated_batch, make_scored_corpus

pytestmark = pytest.mark.django_db


@pytest.fixture
def program():
    return make_program()


@pytest.fixture
def draft():
    corpus = make_scored_corpus()
    return make_batch(corpus=corpus, launched=False, systems_per_questionnaire=3, question="How alike?")


def patch(program, batch, sent, **headers):
    return program.ask("PATCH", f"batches/{batch.pk}/", sent, headers=headers)


def test_what_is_left_out_of_a_change_stays(program, draft):
    before = program.get(f"batches/{draft.pk}/").json()
    answer = patch(program, draft, {"raters": 3, "limit": 2, "systems": ["Copy", "Same"]})
    assert answer.status_code == 200
    assert answer.json() == {**before, "raters": 3, "limit": 2, "systems": ["Copy", "Same"]}
    assert AuditEntry.objects.filter(action="plan changed", actor=program.user).count() == 1


def test_default_words_follow_the_direction_and_own_ones_stay(program, draft):
    changed = patch(program, draft, {"scale": "dissimilarity"}).json()
    assert (changed["question"], changed["low_label"]) == ("How alike?", "Very similar")


def test_documents_are_drawn_or_named(program, draft):
    named = patch(program, draft, {"document_keys": ["doc2"]}).json()
    assert (named["document_keys"], named["documents"]) == (["doc2"], 1)
    drawn = patch(program, draft, {"documents": 2}).json()
    assert (drawn["document_keys"], drawn["documents"]) == (None, 2)


def test_a_draft_is_never_left_with_all_documents_unasked(program, draft):
    patch(program, draft, {"document_keys": ["doc2"]})
    for none in ([], None):
        answer = patch(program, draft, {"document_keys": none})
        assert [one["field"] for one in answer.json()["errors"]] == ["documents"]
    drawn = patch(program, draft, {"document_keys": None, "documents": 2}).json()
    assert (drawn["document_keys"], drawn["documents"]) == (None, 2)


def test_what_was_read_can_be_sent_back(program, draft):
    before = program.get(f"batches/{draft.pk}/").json()
    sent = {name: before[name] for name in PlanChange().fields}
    assert patch(program, draft, sent).json() == before


def test_reader_pairs_that_are_asked_for_come_before_readers_that_stand(program, draft):
    readers = patch(program, draft, {"readers": 2}).json()
    assert (readers["readers"], readers["reader_pairs"]) == (2, 1)
    pairs = patch(program, draft, {"reader_pairs": 1}).json()
    assert (pairs["readers"], pairs["reader_pairs"]) == (None, 1)


def test_empty_words_are_the_sites_own(program, draft):
    own = default_wording(draft.scale, draft.language).question
    assert patch(program, draft, {"question": ""}).json()["question"] == own != "How alike?"


def test_the_settings_of_a_draft_leave_it_as_it_is(draft):
    kept = Batch.objects.values().get(pk=draft.pk)
    update_batch(batch=draft, settings=settings_of(draft), now=NOW)
    assert Batch.objects.values().get(pk=draft.pk) == kept


@pytest.mark.parametrize(
    ("sent", "wrong"),
    [
        ({"raters": 0}, "raters"),
        ({"systems": ["nobody"]}, "systems"),
        ({"primary_coefficient": "kendall"}, "primary_surrogate"),
        ({"closes_at": "2026-01-01T00:00:00Z", "opens_at": "2026-01-02T00:00:00Z"}, "closes_at"),
    ],
)
def test_a_change_that_makes_no_sense_changes_nothing(program, draft, sent, wrong):
    answer = patch(program, draft, sent)
    assert [one["field"] for one in answer.json()["errors"]] == [wrong]
    assert AuditEntry.objects.filter(action="plan changed").count() == 0


def test_a_launched_batch_is_neither_changed_nor_deleted(program):
    batch = make_batch()
    assert patch(program, batch, {"raters": 3}).status_code == 409
    assert program.ask("DELETE", f"batches/{batch.pk}/").status_code == 409


def test_a_draft_is_deleted_as_it_was_read(program, draft):
    path = f"batches/{draft.pk}/"
    tag = program.get(path).headers["ETag"]
    assert patch(program, draft, {"raters": 3}, **{"If-Match": tag}).status_code == 200
    stale = program.ask("DELETE", path, headers={"If-Match": tag})
    assert (stale.status_code, Batch.objects.count()) == (412, 1)
    fresh = program.get(path).headers["ETag"]
    assert program.ask("DELETE", path, headers={"If-Match": fresh}).status_code == 204
    assert not Batch.objects.exists()


def test_the_window_of_a_live_batch_moves(program):
    batch, end = make_batch(), timezone.now() + timedelta(days=7)
    path = f"batches/{batch.pk}/window/"
    moved = program.post(path, {"closes_at": end.isoformat()})
    batch.refresh_from_db()
    assert (moved.status_code, batch.closes_at, batch.opens_at) == (200, end, None)
    assert program.post(path, {}).json()["closes_at"] == moved.json()["closes_at"]
    assert program.post(path, {"closes_at": None}).json()["closes_at"] is None
    past = program.post(path, {"closes_at": "2020-01-01T00:00:00Z"})
    assert [one["field"] for one in past.json()["errors"]] == ["closes_at"]


def test_the_primary_coefficient_is_declared(program):
    batch = make_batch()
    wanted = {"primary_coefficient": "kendall", "primary_surrogate": "jsd", "primary_score": "perseval"}
    answer = program.post(f"batches/{batch.pk}/primary/", wanted)
    assert {name: answer.json()[name] for name in wanted} == wanted
    assert (batch.declarations.get().declared_by, answer.status_code) == (program.user, 200)


def test_a_preview_has_what_raters_read_and_no_system(program, draft):
    answer = program.get(f"batches/{draft.pk}/preview/?number=2")
    shown = answer.json()
    assert (shown["number"], shown["questionnaires"], shown["question"]) == (2, 3, "How alike?")
    assert [one["position"] for one in shown["pairs"]] == [1, 2, 3, 4]
    assert [one["value"] for one in shown["points"]] == [1, 2, 3, 4, 5, 6]
    assert not [name for name in (b"Copy", b"Mixed", b"reader1") if name in answer.content]
    assert draft.questionnaires.count() == 0


def test_the_preview_of_a_launched_batch_is_its_questionnaire(program):
    batch = make_rated_batch()
    first = program.get(f"batches/{batch.pk}/preview/").json()
    last = program.get(f"batches/{batch.pk}/preview/?number=99").json()
    assert (first["number"], last["number"], last["questionnaires"]) == (1, 3, 3)
    assert program.get(f"batches/{batch.pk}/preview/?number=none").status_code == 422
