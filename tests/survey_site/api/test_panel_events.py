"""What a panel says of its people: the place is free, once by event, and who is rejected is excluded."""

import pytest

from survey_site.accounts.models import AuditEntry
from survey_site.batches.services import close_batch
from survey_site.quality.freezing import freeze_batch
from survey_site.quality.models import Exclusion, PanelEvent
from survey_site.survey.models import Assignment, Rating
from survey_site.survey.people.identity import panel_secret
from survey_site.survey.people.joining import join_batch
from survey_site.survey.rating.leaving import withdraw_rater
from tests.factories.api import make_program
from tests.factories.batches import NOW, make_batch
from tests.factories.survey import make_assignment, submit_all

pytestmark = pytest.mark.django_db


@pytest.fixture
def batch():
    return make_batch(raters=1)


def member(batch, name="p1"):
    return join_batch(batch=batch, secret=panel_secret(batch, name), consent=1, now=NOW)


def tell(batch, status, *, event="e1", participant="p1", program=None):
    sent = {"event": event, "participant": participant, "status": status}
    return (program or make_program()).post(f"batches/{batch.pk}/panel-events/", sent)


def done(answer):
    assert answer.status_code == 200, answer.content
    return {name: value for name, value in answer.json().items() if name != "at"}


def states(batch):
    rows = Assignment.objects.filter(questionnaire__batch=batch).order_by("pk")
    return list(rows.values_list("state", "slot"))


@pytest.mark.parametrize("status", ["returned", "timed_out"])
def test_the_place_is_free_and_what_was_completed_counts(batch, status):
    rater = member(batch)
    submit_all(make_assignment(batch, rater=rater))
    held = make_assignment(batch, rater=rater)
    expected = {
        "event": "e1",
        "status": status,
        "known": True,
        "freed": 1,
        "excluded": False,
        "repeated": False,
    }
    assert done(tell(batch, status)) == expected
    assert states(batch) == [("submitted", 1), ("expired", None)]
    assert make_assignment(batch).questionnaire_id == held.questionnaire_id
    assert Exclusion.objects.count() == 0


def test_whoever_is_rejected_is_excluded_and_nothing_is_deleted(batch):
    rater = member(batch)
    submit_all(make_assignment(batch, rater=rater))
    make_assignment(batch, rater=rater)
    answer = done(tell(batch, "rejected"))
    assert (answer["freed"], answer["excluded"]) == (1, True)
    assert list(Exclusion.objects.values_list("rater", "reason")) == [(rater.pk, "Rejected on the panel")]
    assert (states(batch)[0], Rating.objects.count() > 0) == (("submitted", 1), True)


def test_a_frozen_batch_stays_as_it_is(batch):
    submit_all(make_assignment(batch, rater=member(batch)))
    freeze_batch(batch=close_batch(batch=batch, now=NOW), clock=lambda: NOW)
    assert done(tell(batch, "rejected"))["excluded"] is False
    assert Exclusion.objects.count() == 0


def test_approved_changes_nothing(batch):
    make_assignment(batch, rater=member(batch))
    assert done(tell(batch, "approved"))["freed"] == 0
    assert states(batch) == [("open", 1)]


def test_the_same_event_twice_is_done_once(batch):
    rater, program = member(batch), make_program()
    make_assignment(batch, rater=rater)
    first = done(tell(batch, "returned", program=program))
    make_assignment(batch, rater=rater)  # who comes back keeps what they have then
    second = done(tell(batch, "returned", program=program))
    assert second == {**first, "repeated": True}
    assert (states(batch), PanelEvent.objects.count()) == ([("open", 1)], 1)


def test_an_event_that_says_something_else_under_the_same_id_is_refused(batch):
    program, rater = make_program(), member(batch)
    make_assignment(batch, rater=rater)
    tell(batch, "approved", program=program)
    assert tell(batch, "returned", program=program).status_code == 409
    other = tell(make_batch(raters=1), "returned", program=program)
    assert (other.status_code, states(batch)) == (200, [("open", 1)])


def test_nobody_with_that_id_is_no_error_and_the_id_is_not_stored(batch):
    answer = done(tell(batch, "returned", participant="somebody-else"))
    assert (answer["known"], answer["freed"]) == (False, 0)
    assert "somebody-else" not in str(list(PanelEvent.objects.values()))


def test_who_has_withdrawn_is_nobody(batch):
    rater = member(batch)
    make_assignment(batch, rater=rater)
    withdraw_rater(rater=rater, now=NOW)
    assert done(tell(batch, "rejected"))["known"] is False
    assert Exclusion.objects.count() == 0


def test_neither_the_answer_nor_what_is_stored_says_whose_ratings_are_whose(batch):
    rater = member(batch)
    answer = tell(batch, "approved", event="submission-5f3c")
    assert rater.code not in answer.content.decode()
    assert "5f3c" not in str(list(PanelEvent.objects.values()))
    details = AuditEntry.objects.filter(action="panel status taken").values_list("detail", flat=True)
    assert list(details) == [{"status": "approved", "freed": 0}]


def test_what_was_said_of_somebody_goes_when_they_withdraw(batch):
    rater = member(batch)
    tell(batch, "approved", event="e1")
    tell(batch, "returned", event="e2", participant="somebody-else")
    withdraw_rater(rater=rater, now=NOW)
    assert list(PanelEvent.objects.values_list("status", flat=True)) == ["returned"]


def test_values_that_make_no_sense_are_refused_by_field(batch):
    answer = tell(batch, "lost")
    assert (answer.status_code, [one["field"] for one in answer.json()["errors"]]) == (422, ["status"])
