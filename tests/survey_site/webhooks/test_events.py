"""What happens on the site arrives, signed, at a real server, once and with what belongs to it."""

import json

import pytest
from django.db import transaction

from survey_site.batches.services import launch_batch
from survey_site.quality.noticing import notice_batches
from survey_site.reports.models import Report
from survey_site.reports.noticing import notice_report
from survey_site.survey.rating.leaving import withdraw_rater
from survey_site.survey.rating.services import submit_questionnaire
from survey_site.webhooks.models import Attempt, Event
from survey_site.webhooks.services import switch_endpoint
from survey_site.webhooks.signing import secret_of
from tests.factories.accounts import make_user
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.reports import make_report
from tests.factories.survey import answers_for, make_assignment, submit_all
from tests.factories.webhooks import deliver_at, make_webhook, plain_signature

pytestmark = pytest.mark.django_db


def test_a_launch_arrives_signed(receiver):
    endpoint = make_webhook(receiver.address, "batch.launched")
    batch = make_batch()
    assert deliver_at() == 1
    [(headers, body)] = receiver.came
    assert json.loads(body) == {
        "type": "batch.launched",
        "timestamp": "2026-03-02T09:00:00Z",
        "data": {"batch": batch.pk, "questionnaires": 2},
    }
    assert headers["webhook-signature"] == plain_signature(secret_of(endpoint), headers, body)
    assert (headers["webhook-timestamp"], headers["content-type"]) == ("1772442000", "application/json")
    assert headers["webhook-id"] == Event.objects.get().uid
    attempt = Attempt.objects.get()
    assert (attempt.delivery.state, attempt.status, attempt.fault) == ("delivered", 204, "")
    assert deliver_at() == 0


def test_a_second_launch_of_the_same_batch_tells_nothing(receiver):
    make_webhook(receiver.address)
    batch = make_batch()
    launch_batch(batch=batch, now=NOW)
    assert deliver_at() == 1


def test_an_event_goes_with_the_transaction_that_is_undone(receiver):
    make_webhook(receiver.address)
    with transaction.atomic():
        make_batch()
        assert Event.objects.count() == 1
        transaction.set_rollback(True)
    assert (Event.objects.count(), deliver_at()) == (0, 0)


def test_nothing_is_written_where_nobody_asks(receiver):
    switch_endpoint(endpoint=make_webhook(receiver.address), on=False, by=make_user(), now=NOW)
    make_webhook(receiver.address, "report.ready")
    make_batch()
    assert Event.objects.count() == 0


def test_each_rater_who_completes_a_questionnaire_is_told_once(receiver):
    make_webhook(receiver.address, "questionnaire.completed")
    held = make_assignment(make_batch(raters=2))
    answers = answers_for(held)
    submit_all(held)
    submit_questionnaire(assignment=held, answers=answers, now=NOW)
    deliver_at()
    assert [one["data"] for one in receiver.said] == [
        {
            "batch": held.questionnaire.batch_id,
            "questionnaire": held.questionnaire.number,
            "rater": held.rater.code,
            "state": "submitted",
            "completed": 1,
            "places": 2,
        }
    ]


def test_a_rater_who_withdraws_is_in_no_event_any_more(receiver):
    make_webhook(receiver.address, "questionnaire.completed")
    held = make_assignment(make_batch())
    submit_all(held)
    withdraw_rater(rater=held.rater, now=NOW)
    assert (deliver_at(), Event.objects.count()) == (0, 0)


def test_a_batch_that_is_complete_is_told_once(receiver):
    make_webhook(receiver.address, "batch.completed")
    batch = make_batch(corpus=make_corpus(documents=1), raters=1)
    submit_all(make_assignment(batch))
    notice_batches(now=NOW)
    notice_batches(now=NOW)
    deliver_at()
    assert [(one["type"], one["data"]) for one in receiver.said] == [
        ("batch.completed", {"batch": batch.pk, "completed": 1})
    ]


def test_a_rater_who_is_flagged_is_named_by_pseudonym(receiver):
    make_webhook(receiver.address, "rater.flagged")
    batch = make_batch(corpus=make_corpus(documents=4, systems=3), raters=1, unrelated_share=100)
    rater = None
    for _ in range(4):
        held = make_assignment(batch, rater=rater)
        rater = held.rater
        submit_all(held, value=6)
    notice_batches(now=NOW)
    deliver_at()
    assert [(one["type"], one["data"]) for one in receiver.said] == [
        ("rater.flagged", {"batch": batch.pk, "rater": rater.code})
    ]


@pytest.mark.parametrize(("status", "kind"), [("done", "report.ready"), ("failed", "report.failed")])
def test_a_report_that_has_ended_is_told_once(receiver, status, kind):
    make_webhook(receiver.address, "report.ready", "report.failed")
    report = make_report(built=False)
    Report.objects.filter(pk=report.pk).update(status=status, result={"some": "result"})
    report.refresh_from_db()
    notice_report(report, now=NOW)
    notice_report(report, now=NOW)
    deliver_at()
    expected = {"batch": report.batch_id, "report": report.pk}
    assert [(one["type"], one["data"]) for one in receiver.said] == [(kind, expected)]
