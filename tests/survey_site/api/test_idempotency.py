"""A creating call that is sent twice makes one thing; a key is for one request, one person and one day."""

from datetime import timedelta

import pytest
from django.utils import timezone

from survey_site.accounts.models import KeptAnswer
from survey_site.accounts.tokens import stale_answers
from survey_site.batches.models import Batch
from tests.factories.api import make_program
from tests.factories.batches import make_batch
from tests.factories.corpus import make_corpus

pytestmark = pytest.mark.django_db


@pytest.fixture
def program():
    return make_program()


@pytest.fixture
def plan():
    return {"corpus": make_corpus().pk, "name": "Pilot", "documents": 1}


def test_the_same_request_gets_the_first_answer(program, plan):
    first, second = (program.post("batches/", plan, Idempotency_Key="one") for _ in range(2))
    assert Batch.objects.count() == 1
    assert (second.status_code, second.json(), second.headers["Location"]) == (
        201,
        first.json(),
        first.headers["Location"],
    )
    assert [one.headers.get("Idempotency-Replayed") for one in (first, second)] == [None, "true"]


def test_without_a_key_each_request_makes_one(program, plan):
    for _ in range(2):
        program.post("batches/", plan)
    assert Batch.objects.count() == 2


def test_a_key_is_for_one_request(program, plan):
    program.post("batches/", plan, Idempotency_Key="one")
    other = program.post("batches/", {**plan, "name": "Another"}, Idempotency_Key="one")
    assert (other.status_code, "another request" in other.json()["detail"]) == (422, True)
    elsewhere = make_batch()
    moved = program.post(f"batches/{elsewhere.pk}/extend/", {"raters": 1}, Idempotency_Key="one")
    assert moved.status_code == 422


def test_a_key_is_of_one_person(program, plan):
    program.post("batches/", plan, Idempotency_Key="one")
    assert make_program().post("batches/", plan, Idempotency_Key="one").status_code == 201
    assert Batch.objects.count() == 2


def test_a_call_that_failed_may_be_sent_again(program, plan):
    assert program.post("batches/", {**plan, "documents": 99}, Idempotency_Key="one").status_code == 422
    assert program.post("batches/", plan, Idempotency_Key="one").status_code == 201


def test_what_adds_each_time_adds_once(program):
    batch = make_batch()
    for _ in range(2):
        program.post(f"batches/{batch.pk}/extend/", {"raters": 1}, Idempotency_Key="one")
    batch.refresh_from_db()
    assert batch.raters == 3


def test_a_key_is_kept_for_a_day(program, plan):
    program.post("batches/", plan, Idempotency_Key="one")
    now = timezone.now()
    kept = KeptAnswer.objects.all()
    kept.update(made_at=now - timedelta(hours=23, minutes=59))
    assert program.post("batches/", plan, Idempotency_Key="one").headers["Idempotency-Replayed"] == "true"
    kept.update(made_at=now - timedelta(hours=24, seconds=1))
    assert list(stale_answers(now)) == list(kept)
    assert "Idempotency-Replayed" not in program.post("batches/", plan, Idempotency_Key="one").headers
    assert Batch.objects.count() == 2


def test_a_key_has_its_length(program, plan):
    assert program.post("batches/", plan, Idempotency_Key="x" * 256).status_code == 422
