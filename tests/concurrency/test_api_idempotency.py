"""A program sends one creating call twice at the same moment: one thing is made, both get its answer.

The control test takes the key's row away and shows the race that it prevents. Two changes with one ETag: the
second is refused.
"""

from contextlib import nullcontext
from threading import Barrier
from types import SimpleNamespace

import pytest

from survey_site.api import conditions, idempotency
from survey_site.batches.models import Batch
from tests.factories.api import make_program
from tests.factories.batches import make_batch
from tests.factories.corpus import make_corpus

pytestmark = pytest.mark.django_db(transaction=True)

WAIT_SECONDS = 60


@pytest.fixture
def twice():
    """The same plan from one program, sent two times."""
    program, plan = make_program(), {"corpus": make_corpus().pk, "name": "Pilot", "documents": 1}
    return [lambda: program.post("batches/", plan, Idempotency_Key="one")] * 2


def test_without_the_row_of_the_key_two_are_made(twice, in_threads, monkeypatch):
    barrier = Barrier(2)

    def look_first(*_key):
        barrier.wait(WAIT_SECONDS)  # both have found no answer
        return SimpleNamespace(save=lambda **_fields: None)

    monkeypatch.setattr(idempotency, "_take", look_first)
    monkeypatch.setattr(idempotency, "transaction", SimpleNamespace(atomic=nullcontext))
    assert [one.status_code for one in in_threads(*twice)] == [201, 201]
    assert Batch.objects.count() == 2


def test_one_is_made_and_both_get_its_answer(twice, in_threads):
    first, second = in_threads(*twice)
    batch = Batch.objects.get()
    assert first.json() == second.json()
    assert (first.status_code, second.status_code, first.json()["id"]) == (201, 201, batch.pk)
    replayed = [one.headers.get("Idempotency-Replayed") for one in (first, second)]
    assert sorted(replayed, key=str) == [None, "true"]


def _extend(program, batch, tag):
    return program.post(f"batches/{batch.pk}/extend/", {"raters": 1}, If_Match=tag).status_code


def test_of_two_changes_of_what_both_have_read_one_is_made(in_threads):
    program, batch = make_program(), make_batch()
    tag = program.get(f"batches/{batch.pk}/").headers["ETag"]
    found = in_threads(*[lambda: _extend(program, batch, tag)] * 2)
    batch.refresh_from_db()
    assert (sorted(found), batch.raters) == ([200, 412], 3)


def test_without_the_lock_both_changes_pass(in_threads, monkeypatch):
    program, batch = make_program(), make_batch()
    tag, barrier = program.get(f"batches/{batch.pk}/").headers["ETag"], Barrier(2)
    check = conditions.require_match

    def check_and_meet(request, data):
        check(request, data)
        barrier.wait(WAIT_SECONDS)

    no_transaction = SimpleNamespace(atomic=nullcontext)
    for module in ("acting_views", "idempotency"):
        monkeypatch.setattr(f"survey_site.api.{module}.transaction", no_transaction)
    monkeypatch.setattr("survey_site.api.acting_views.locked", lambda rows: rows)
    monkeypatch.setattr("survey_site.api.acting_views.require_match", check_and_meet)
    assert in_threads(*[lambda: _extend(program, batch, tag)] * 2) == [200, 200]
    batch.refresh_from_db()
    assert batch.raters == 4
