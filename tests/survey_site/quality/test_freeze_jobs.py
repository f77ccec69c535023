"""Freezing a batch of very many ratings: a worker does it, once, whoever asks and whatever is killed."""

import re
from datetime import timedelta
from itertools import count

import pytest
from django.db import OperationalError
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from survey_site.accounts.models import AuditEntry
from survey_site.common.errors import ConflictError
from survey_site.quality import freeze_jobs, freezing, queries
from survey_site.quality.freeze_jobs import (
    ask_to_freeze,
    carry_out_freezing,
    freezing_of,
    requeue_stale_freezings,
)
from survey_site.quality.freezing import is_intact
from survey_site.quality.models import Freezing, Snapshot
from survey_site.quality.services import exclude_rater
from survey_site.scoring import jobs
from survey_site.survey.models import Rating
from survey_site.survey.rating.leaving import withdraw_rater
from tests.factories.batches import make_batch
from tests.factories.snapshots import LATER, busy_batch, describe_snapshot
from tests.factories.survey import submit_all

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _many(monkeypatch):
    """So that every batch has too many ratings to be frozen at once."""
    monkeypatch.setattr(freeze_jobs, "FEW_RATINGS", 0)


def ask(batch, asked, **more):
    ask_to_freeze(batch=batch, clock=lambda: LATER, ask=asked.append, **more)
    batch.refresh_from_db()
    return freezing_of(batch)


def work(row, now=LATER):
    return carry_out_freezing(row, clock=lambda: now)


def test_a_worker_freezes_for_whoever_asked(admin):
    batch, *_ = busy_batch()
    asked = []
    row = ask(batch, asked, by=admin)
    assert (row.is_waiting, row.total, batch.is_frozen) == (True, 9, False)
    assert work(asked.pop())
    batch.refresh_from_db()
    snapshot = Snapshot.objects.get()
    assert (batch.frozen_at, snapshot.total, is_intact(snapshot)) == (LATER, 9, True)
    assert (snapshot.frozen_by, freezing_of(batch)) == (admin, None)
    entry = AuditEntry.objects.get(action="batch frozen")
    assert (entry.actor, entry.detail) == (admin, {"hash": snapshot.content_hash, "ratings": 9})


def test_a_double_click_asks_once_and_freezes_once():
    batch, *_ = busy_batch()
    asked = []
    ask(batch, asked)
    ask(batch, asked)
    (row,) = asked
    assert [work(row), work(row)] == [True, False]
    ask(batch, asked)
    assert (asked, Snapshot.objects.count(), Freezing.objects.count()) == ([row], 1, 1)
    assert AuditEntry.objects.filter(action="batch frozen").count() == 1


def test_two_workers_freeze_once(monkeypatch):
    batch, *_ = busy_batch()
    asked, second = [], []
    ask(batch, asked)
    read = freezing._read_ratings

    def read_beside_another(*arguments):
        second.append(work(asked[0]))
        return read(*arguments)

    monkeypatch.setattr(freezing, "_read_ratings", read_beside_another)
    assert (work(asked[0]), second) == (True, [False])


def test_who_reads_while_another_freezes_writes_no_second_snapshot(monkeypatch):
    batch, *_ = busy_batch()
    read, firsts = freezing._read_ratings, []

    def read_while_another_freezes(*arguments):
        found = read(*arguments)
        if not firsts:
            firsts.append(None)
            firsts.append(freezing.freeze_batch(batch=batch, clock=lambda: LATER))
        return found

    monkeypatch.setattr(freezing, "_read_ratings", read_while_another_freezes)
    again = freezing.freeze_batch(batch=batch, clock=lambda: LATER + timedelta(hours=1))
    assert (again, Snapshot.objects.get()) == (firsts[1], firsts[1])


def test_what_a_killed_worker_left_is_taken_up_by_another():
    batch, *_ = busy_batch()
    asked = []
    row = ask(batch, asked)
    jobs.take_up(row, now=LATER)
    assert (requeue_stale_freezings(now=LATER), work(row)) == ([], False)
    dead = LATER + 2 * jobs.STALE_AFTER
    assert [one.pk for one in requeue_stale_freezings(now=dead)] == [row.pk]
    assert "Its process ended 1 time" in freezing_of(batch).error
    assert work(row, now=dead)
    assert (Snapshot.objects.get().frozen_at, Freezing.objects.get().is_done) == (dead, True)


def test_a_worker_that_is_killed_after_it_froze_leaves_one_snapshot():
    batch, *_ = busy_batch()
    asked = []
    row = ask(batch, asked)
    work(row)
    Freezing.objects.update(status="running", heartbeat_at=LATER - timedelta(minutes=1))
    assert work(row, now=LATER + timedelta(minutes=1))
    assert (Snapshot.objects.get().frozen_at, Freezing.objects.get().is_done) == (LATER, True)


@pytest.mark.django_db(transaction=True)
def test_a_lost_connection_is_tried_again_and_nothing_is_half_written(monkeypatch):
    batch, *_ = busy_batch()
    asked, store_rows = [], freezing.store_rows
    ask(batch, asked)
    faults = iter([OperationalError("terminating connection")])

    def store_at_the_second_try(model, names, rows):
        store_rows(model, names, rows)
        for fault in faults:
            raise fault

    monkeypatch.setattr(freezing, "store_rows", store_at_the_second_try)
    monkeypatch.setattr(jobs, "PAUSES", (0,))
    assert work(asked.pop())
    snapshot = Snapshot.objects.get()
    assert (snapshot.total, is_intact(snapshot), Freezing.objects.get().interruptions) == (9, True, 1)


def test_what_is_refused_at_once_asks_nobody():
    asked = []
    for batch, words in ((make_batch(), "not closed"), (busy_batch()[0], "nothing to freeze")):
        Rating.objects.all().delete()
        with pytest.raises(ConflictError, match=words):
            ask(batch, asked)
    assert (asked, Freezing.objects.count()) == ([], 0)


def test_what_is_refused_later_is_said_and_may_be_asked_for_again():
    batch, done, *_ = busy_batch()
    asked = []
    ask(batch, asked)
    for page in done:
        withdraw_rater(rater=page.rater, now=LATER)
    assert not work(asked.pop())
    assert "there is nothing to freeze. Plan a new batch." in freezing_of(batch).error
    assert Snapshot.objects.count() == 0
    batch, *_ = busy_batch()
    Freezing.objects.update(batch=batch)
    assert ask(batch, asked).error == ""
    assert work(asked.pop())


CHANGES = {
    "a submission": lambda _done, held: submit_all(held, value=1, now=LATER),
    "an exclusion": lambda done, _held: exclude_rater(rater=done[0].rater, reason="late", now=LATER),
    "a withdrawal": lambda done, _held: withdraw_rater(rater=done[0].rater, now=LATER),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_while_the_ratings_are_read_is_read_again_under_the_lock(monkeypatch, change):
    batch, done, held, _ = busy_batch()
    asked, read, times = [], freezing._read_ratings, []
    ask(batch, asked)

    def read_before_the_change(*arguments):
        found = read(*arguments)
        if not times:
            CHANGES[change](done, held)
        times.append(len(found.rows))
        return found

    monkeypatch.setattr(freezing, "_read_ratings", read_before_the_change)
    assert work(asked.pop())
    assert times == [9, {"a submission": 12, "an exclusion": 9, "a withdrawal": 6}[change]]
    states = [row["state"] for row in describe_snapshot(Snapshot.objects.get())["ratings"]]
    assert len(states) == times[1]
    assert states.count("excluded") == (6 if change == "an exclusion" else 3)


def test_who_submits_in_the_middle_of_reading_is_read_again_under_the_lock(monkeypatch):
    batch, _, held, _ = busy_batch()
    asked, rows, times = [], queries.rating_rows, []
    ask(batch, asked)

    def submitted_meanwhile(*arguments, **options):
        if not times:
            submit_all(held, value=1, now=LATER)
        times.append(None)
        yield from rows(*arguments, **options)

    monkeypatch.setattr(queries, "rating_rows", submitted_meanwhile)
    assert work(asked.pop())
    assert len(describe_snapshot(Snapshot.objects.get())["ratings"]) == 12


def test_progress_that_cannot_be_stored_holds_nothing_up(monkeypatch):
    """On SQLite the connection that reads cannot write once another one has."""
    batch, *_ = busy_batch()
    asked, update, refused = [], QuerySet.update, []
    ask(batch, asked)

    def locked(rows, **values):
        if values.get("done"):
            refused.append(values)
            raise OperationalError("database is locked")
        return update(rows, **values)

    monkeypatch.setattr(freezing, "TOLD_EVERY", 4)
    monkeypatch.setattr(QuerySet, "update", locked)
    assert work(asked.pop())
    assert refused == [{"done": 4}, {"done": 8}]


def test_it_is_frozen_when_the_ratings_stand_not_when_reading_began():
    batch, *_ = busy_batch()
    asked, ticks = [], count()
    row = ask(batch, asked)
    assert carry_out_freezing(asked.pop(), clock=lambda: LATER + timedelta(seconds=next(ticks)))
    batch.refresh_from_db()
    assert batch.frozen_at == Snapshot.objects.get().frozen_at > LATER
    assert row.batch_id == batch.pk


def text_of(response):
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def test_the_page_says_how_far_the_worker_is(admin_client, monkeypatch):
    batch, *_ = busy_batch()
    page, part = (reverse(f"quality:{name}", args=[batch.pk]) for name in ("freeze", "freezing"))
    assert "A worker is asked to freeze it 0 of about 9 ratings" in text_of(
        admin_client.post(page, follow=True)
    )
    found, read = [], freezing._describe_head
    monkeypatch.setattr(freezing, "TOLD_EVERY", 4)

    def look_meanwhile(*arguments):
        found.append(text_of(admin_client.get(part)))
        return read(*arguments)

    monkeypatch.setattr(freezing, "_describe_head", look_meanwhile)
    assert carry_out_freezing(Freezing.objects.get(), clock=timezone.now)
    assert "A worker freezes it 8 of about 9 ratings read." in found[0]
    assert "The batch is frozen Reports made" in text_of(admin_client.get(part))


def test_the_page_says_why_the_worker_could_not_and_offers_it_again(admin_client):
    batch, *_ = busy_batch()
    page, part = (reverse(f"quality:{name}", args=[batch.pk]) for name in ("freeze", "freezing"))
    admin_client.post(page)
    Freezing.objects.update(status="failed", error="The disk is full.", finished_at=LATER)
    assert "It could not be frozen The disk is full. Ask again." in text_of(admin_client.get(part))
    text = text_of(admin_client.get(page))
    assert ("It could not be frozen The disk is full." in text, "Freeze the batch" in text) == (True, True)
    assert "A worker is asked to freeze it" in text_of(admin_client.post(page, follow=True))


def test_a_page_that_shows_how_far_it_is_is_sent_nothing(researcher_client):
    batch, *_ = busy_batch()
    ask(batch, [])
    part = reverse("quality:freezing", args=[batch.pk])
    shown = re.search(r'data-version="([^"]+)"', researcher_client.get(part).content.decode())[1]
    assert researcher_client.get(part, headers={"Concord-Shown": shown}).status_code == 204
