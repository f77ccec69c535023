"""Webhooks that a real server refuses, delays or takes: when they are tried again, and when no more."""

import socket
from datetime import timedelta
from threading import Semaphore

import pytest
from django.core.management import call_command

from survey_site.accounts.models import User
from survey_site.common.errors import ConflictError
from survey_site.notices.models import Notice
from survey_site.notices.queries import notices_for
from survey_site.webhooks import delivering
from survey_site.webhooks.access import deliveries_of
from survey_site.webhooks.delivering import FIRST_PAUSE, OFF_AFTER, TRIES
from survey_site.webhooks.models import Attempt, Delivery, Endpoint, Event
from survey_site.webhooks.sending import Outcome
from survey_site.webhooks.services import replay, rotate_secret, send_test, switch_endpoint
from survey_site.webhooks.signing import secret_of
from tests.factories.accounts import make_project, make_user
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.webhooks import deliver_at, make_webhook, plain_signature

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


@pytest.fixture
def steady(monkeypatch):
    """Pauses without chance."""
    monkeypatch.setattr(delivering.random, "uniform", lambda _low, _high: 0)


def failing(receiver, *, tries=1, status=500):
    """A delivery that the receiver has refused so often, and when it was last tried."""
    receiver.status = status
    endpoint = make_webhook(receiver.address)
    now = NOW
    make_batch()
    deliver_at(now)
    for _ in range(tries - 1):
        now = Delivery.objects.get().due_at
        deliver_at(now)
    return endpoint, now


def test_what_fails_is_tried_again_later_under_the_same_id(receiver, steady):
    failing(receiver)
    assert Delivery.objects.get().due_at == NOW + FIRST_PAUSE
    assert (deliver_at(), len(receiver.came)) == (0, 1)
    receiver.status = 200
    assert deliver_at(NOW + FIRST_PAUSE) == 1
    assert receiver.ids == [Event.objects.get().uid] * 2
    timestamps = [headers["webhook-timestamp"] for headers, _ in receiver.came]
    assert timestamps == ["1772442000", "1772442030"]
    assert Endpoint.objects.get().failing_since is None


def test_pauses_grow_over_about_a_day_and_vary(monkeypatch):
    monkeypatch.setattr(delivering.random, "uniform", lambda _low, _high: 0)
    pauses = [delivering.pause_after(tries) for tries in range(1, TRIES)]
    assert pauses[:3] == [timedelta(seconds=30), timedelta(seconds=90), timedelta(seconds=270)]
    assert sum(pauses, timedelta()) == timedelta(seconds=98_400)
    monkeypatch.setattr(delivering.random, "uniform", lambda low, _high: low)
    assert delivering.pause_after(1) == timedelta(seconds=24)


def test_after_the_last_try_it_is_given_up_and_the_owner_alone_is_told(receiver, steady):
    endpoint, now = failing(receiver, tries=TRIES)
    assert Attempt.objects.count() == TRIES
    assert list(Delivery.objects.values_list("state", "due_at")) == [("given_up", None)]
    assert [str(one) for one in notices_for(endpoint.owner)] == [
        f"Webhook No. {endpoint.pk} did not take what was sent"
    ]
    assert list(notices_for(make_user(role="admin"))) == []
    assert deliver_at(now + HOUR) == 0


def test_an_endpoint_that_fails_for_days_is_switched_off(receiver, steady):
    endpoint, _ = failing(receiver)
    make_batch(corpus=make_corpus(documents=3))
    deliver_at(NOW + OFF_AFTER)
    endpoint.refresh_from_db()
    assert (endpoint.is_active, endpoint.off_because) == (False, "All attempts since 02 March 2026 failed.")
    assert set(Delivery.objects.values_list("state", flat=True)) == {"given_up"}
    assert list(Notice.objects.values_list("kind", "owner")) == [("off", endpoint.owner_id)]


def test_an_endpoint_that_is_gone_is_switched_off_at_once(receiver):
    endpoint, _ = failing(receiver, status=410)
    endpoint.refresh_from_db()
    assert (endpoint.is_active, endpoint.off_because) == (False, "It answered 410: gone.")


def test_an_endpoint_that_fails_holds_up_no_other(receiver):
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))  # and does not listen
        bad = make_webhook(f"http://127.0.0.1:{deaf.getsockname()[1]}/")
        good = make_webhook(receiver.address)
        make_batch()
        assert deliver_at() == 1
    assert Delivery.objects.get(endpoint=good).state == "delivered"
    fault = Attempt.objects.get(delivery__endpoint=bad).fault
    assert fault.startswith("ConnectError")


def test_an_endpoint_that_is_slow_holds_up_no_other(receiver, monkeypatch):
    """The first answers only once the second was sent its events, both of them."""
    slow, quick = make_webhook("http://127.0.0.1/"), make_webhook(receiver.address)
    for documents in (2, 3):
        make_batch(corpus=make_corpus(documents=documents))
    attempt, others = delivering._attempt, Semaphore(0)

    def answer(delivery, now):
        if delivery.endpoint_id == slow.pk:
            assert [others.acquire(timeout=20) for _ in range(2)] == [True, True]
            return Outcome(500, "", "", 1)
        others.release()
        return attempt(delivery, now)

    monkeypatch.setattr(delivering, "_attempt", answer)
    monkeypatch.setattr(delivering, "SECONDS_FOR_MORE", 1000.0)
    assert deliver_at() == 2
    assert Delivery.objects.filter(endpoint=quick, state="delivered").count() == 2
    assert list(Attempt.objects.filter(delivery__endpoint=slow).values_list("status")) == [(500,)]


def test_a_look_ends_though_there_is_more_for_an_endpoint(receiver, monkeypatch):
    make_webhook(receiver.address)
    for documents in (2, 3):
        make_batch(corpus=make_corpus(documents=documents))
    monkeypatch.setattr(delivering, "SECONDS_FOR_MORE", -1.0)
    assert [deliver_at(), deliver_at(), deliver_at()] == [1, 1, 0]


def test_redirects_are_not_followed_and_little_of_an_answer_is_read(receiver):
    receiver.headers, receiver.answer = {"Location": receiver.address}, b"a" * 100_000
    failing(receiver, status=302)
    attempt = Attempt.objects.get()
    assert (attempt.status, len(attempt.answer), len(receiver.came)) == (302, 2048, 1)
    assert attempt.delivery.state == "waiting"


def test_both_secrets_sign_for_a_day(receiver):
    endpoint = make_webhook(receiver.address)
    before = secret_of(endpoint)
    endpoint = rotate_secret(endpoint=endpoint, by=endpoint.owner, now=NOW)
    after = secret_of(endpoint)
    assert before != after
    for now in (NOW + timedelta(hours=23), NOW + timedelta(hours=25)):
        send_test(endpoint=endpoint, by=endpoint.owner, now=now)
        deliver_at(now)
    first, second = receiver.came
    both = f"{plain_signature(after, *first)} {plain_signature(before, *first)}"
    assert first[0]["webhook-signature"] == both
    assert second[0]["webhook-signature"] == plain_signature(after, *second)


def test_a_delivery_is_sent_again_from_the_log(receiver):
    endpoint = make_webhook(receiver.address)
    make_batch()
    deliver_at()
    replay(delivery=Delivery.objects.get(), by=endpoint.owner, now=NOW + HOUR)
    assert deliver_at(NOW + HOUR) == 1
    assert len(set(receiver.ids)) == 1
    assert Attempt.objects.count() == 2


def test_nothing_is_sent_again_to_what_is_switched_off(receiver):
    endpoint = make_webhook(receiver.address)
    make_batch()
    deliver_at()
    switch_endpoint(endpoint=endpoint, on=False, by=endpoint.owner, now=NOW)
    with pytest.raises(ConflictError):
        replay(delivery=Delivery.objects.get(), by=endpoint.owner, now=NOW)


def test_whose_account_is_closed_is_told_nothing(receiver):
    endpoint = make_webhook(receiver.address)
    waiting = make_webhook(receiver.address)
    make_batch()
    User.objects.filter(pk=endpoint.owner_id).update(is_active=False)
    delivering.spread_events(now=NOW)
    User.objects.filter(pk=waiting.owner_id).update(is_active=False)
    assert (deliver_at(), receiver.came) == (0, [])
    assert list(Attempt.objects.values_list("delivery__endpoint", "fault")) == [
        (waiting.pk, "Not sent: the owner may not see this any more.")
    ]


def test_who_left_a_project_is_told_of_it_no_more_and_of_others_still(receiver):
    left, stays = make_corpus(), make_corpus(project=make_project(), documents=3)
    owner = make_user(role="researcher", projects=[left.project, stays.project])
    endpoint = make_webhook(receiver.address, owner=owner)
    make_batch(corpus=left)
    delivering.spread_events(now=NOW)
    owner.memberships.filter(project=left.project).delete()
    make_batch(corpus=left)
    kept = make_batch(corpus=stays)
    assert deliver_at() == 1
    assert [one["data"]["batch"] for one in receiver.said] == [kept.pk]
    states = Delivery.objects.order_by("pk").values_list("state", flat=True)
    assert list(states) == ["given_up", "delivered"]
    endpoint.refresh_from_db()
    assert (endpoint.failing_since, Notice.objects.count()) == (None, 0)
    seen = [deliveries_of(endpoint, one).count() for one in (owner, make_user(role="admin"))]
    assert seen == [1, 2]


def test_two_workers_send_it_once(receiver, monkeypatch):
    make_webhook(receiver.address)
    make_batch()
    note = delivering._note

    def meanwhile(*args):
        monkeypatch.setattr(delivering, "_note", note)
        assert deliver_at() == 0
        return note(*args)

    monkeypatch.setattr(delivering, "_note", meanwhile)
    assert (deliver_at(), len(receiver.came)) == (1, 1)


def test_a_worker_that_dies_leaves_it_to_be_sent(receiver, monkeypatch):
    make_webhook(receiver.address)
    make_batch()

    def die(_delivery, _now):
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(delivering, "_attempt", die)
        with pytest.raises(SystemExit):
            deliver_at()
    assert (deliver_at(), deliver_at(NOW + delivering.CLAIMED_FOR)) == (0, 1)


def test_the_log_is_kept_for_a_month(receiver):
    make_webhook(receiver.address)
    make_batch()
    deliver_at()
    deliver_at(NOW + delivering.KEPT_FOR)
    assert Event.objects.count() == 1
    deliver_at(NOW + delivering.KEPT_FOR + HOUR)
    assert (Event.objects.count(), Delivery.objects.count(), Attempt.objects.count()) == (0, 0, 0)


@pytest.mark.django_db(transaction=True)
def test_a_worker_delivers_and_forgets_outside_of_any_transaction(receiver):
    make_webhook(receiver.address)
    make_batch()
    assert deliver_at() == 1
    receiver.status = 500
    make_batch(corpus=make_corpus(documents=3))
    assert (deliver_at(), Attempt.objects.count()) == (0, 2)
    deliver_at(NOW + delivering.KEPT_FOR + HOUR)
    assert (Event.objects.count(), Attempt.objects.count()) == (0, 0)


def test_the_command_delivers(receiver, capsys):
    make_webhook(receiver.address)
    make_batch()
    Event.objects.update(at=NOW + timedelta(days=100_000))
    call_command("send_webhooks")
    assert (capsys.readouterr().out, len(receiver.came)) == ("Webhooks delivered: 1.\n", 1)
