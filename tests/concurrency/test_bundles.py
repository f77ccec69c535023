"""Somebody withdraws while a worker stores the sealed bundle of a report that holds their answers."""

from threading import Event

import pytest
from django.db import IntegrityError, connection

from survey_site.reports.bundles import kept as kept_bundles
from survey_site.reports.bundles.kept import ask_for_bundle, make_bundle
from survey_site.reports.models import KeptBundle, KeptBundlePiece
from survey_site.survey.models import Rater
from survey_site.survey.rating.leaving import withdraw_rater
from tests.factories.batches import NOW
from tests.factories.reports import make_report

pytestmark = pytest.mark.django_db(transaction=True)

MEETING_SECONDS = 60
BLOCKED_SECONDS = 1  # what the withdrawal would need by far, were it not kept waiting


@pytest.fixture
def withdrawn(monkeypatch, in_threads):
    """Withdraw while a worker has a piece in hand that it has not stored yet: what becomes of both."""
    monkeypatch.setattr(kept_bundles, "FEW_DOCUMENTS", 0)
    monkeypatch.setattr(kept_bundles, "PIECE", 1000)
    report = make_report(measures=["jsd"], resamples=1000)
    row = ask_for_bundle(report, with_texts=True, now=NOW, ask=lambda _row: None)
    rater = report.batch.people.order_by("pk").first()
    lock, locks, has_one = kept_bundles.lock_row, [], Event()

    def lock_and_wait(rows):
        found = lock(rows)
        locks.append(None)
        if len(locks) == 2:  # the first lock is that under which old pieces are deleted
            has_one.set()
            gone.wait(BLOCKED_SECONDS)
        return found

    gone = Event()
    monkeypatch.setattr(kept_bundles, "lock_row", lock_and_wait)

    def withdraw():
        assert has_one.wait(MEETING_SECONDS)
        withdraw_rater(rater=rater, now=NOW)
        gone.set()

    return lambda: in_threads(lambda: make_bundle(row, clock=lambda: NOW), withdraw)


def test_no_piece_outlives_the_withdrawal(withdrawn):
    assert withdrawn() == [False, None]
    assert (KeptBundle.objects.count(), KeptBundlePiece.objects.count()) == (0, 0)
    assert Rater.objects.exclude(withdrawn_at=None).count() == 1


def test_without_the_lock_the_withdrawal_fails(withdrawn, monkeypatch):
    if connection.vendor == "sqlite":
        pytest.skip("SQLite has one writer at a time: who withdraws waits for the piece in any case.")
    monkeypatch.setattr(kept_bundles, "lock_whole_rows", lambda _rows: None)
    _made, withdrew = withdrawn()
    assert isinstance(withdrew, IntegrityError)
    assert Rater.objects.exclude(withdrawn_at=None).count() == 0
