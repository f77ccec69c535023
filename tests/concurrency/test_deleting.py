"""A deletion and somebody at work on the same thing: nothing that was begun or thanked for is lost unseen.

The control tests take the locks away and show the race that they prevent.
"""

from contextlib import nullcontext
from datetime import timedelta
from io import BytesIO
from threading import Event
from types import SimpleNamespace

import pytest

from survey_site.batches.models import Batch
from survey_site.batches.services import close_batch
from survey_site.corpus.queries import load_corpus
from survey_site.keeping import deleting
from survey_site.keeping.deleting import asked_name, delete_thing
from survey_site.keeping.dependents import fingerprint
from survey_site.notices.models import NoticeKind, Reading
from survey_site.notices.services import mark_read, notify
from survey_site.reports import services
from survey_site.reports.models import Report
from survey_site.scoring import jobs
from survey_site.scoring.given.services import import_distances, remove_distances
from survey_site.scoring.models import GivenDistances
from survey_site.survey.models import Rating
from survey_site.survey.rating.services import save_open_ratings
from tests.factories.accounts import make_user
from tests.factories.batches import NOW, make_batch
from tests.factories.given import distances_table
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch
from tests.factories.survey import answers_for, make_assignment

pytestmark = pytest.mark.django_db(transaction=True)

MEETING_SECONDS = 60
BLOCKED_SECONDS = 1  # what the other side would need by far, were it not kept waiting
LATER = NOW + timedelta(days=1)


@pytest.fixture
def without_locks(monkeypatch):
    monkeypatch.setattr(deleting, "lock_row", lambda queryset: queryset.get())
    monkeypatch.setattr(deleting, "lock_whole_row", lambda queryset: queryset.get())
    monkeypatch.setattr(deleting, "lock_whole_rows", list)
    monkeypatch.setattr(deleting, "record_action", lambda **_entry: None)
    nothing = SimpleNamespace(atomic=nullcontext, on_commit=lambda _call: None)
    monkeypatch.setattr(deleting, "transaction", nothing)


@pytest.fixture
def at_once(monkeypatch, in_threads):
    """Delete a thing while somebody works on it, who begins once the deletion finds nothing in its way."""

    def run(thing, work):
        looked, worked = Event(), Event()
        describe = deleting.hashes_of

        def wait_and_describe(row):
            looked.set()
            worked.wait(BLOCKED_SECONDS)
            return describe(row)

        def delete():
            seen = fingerprint(thing)
            delete_thing(thing=thing, typed=asked_name(thing), seen=seen, now=LATER)

        def begin():
            assert looked.wait(MEETING_SECONDS)
            result = work()
            worked.set()
            return result

        monkeypatch.setattr(deleting, "hashes_of", wait_and_describe)
        return in_threads(delete, begin)

    return run


def take_up(report):
    return lambda: jobs.take_up(report, now=LATER)


def test_without_the_lock_a_report_goes_while_a_worker_builds_it(at_once, without_locks):
    report = make_report(built=False)
    gone, taken = at_once(report, take_up(report))
    assert (gone, taken, Report.objects.count()) == (None, report, 0)


def test_with_the_lock_the_worker_waits_and_finds_it_gone(at_once):
    report = make_report(built=False)
    assert at_once(report, take_up(report)) == [None, None]
    assert Report.objects.count() == 0


@pytest.fixture
def late(db):
    """A questionnaire of a closed batch that is past its time, and has no answer yet."""
    assignment = make_assignment(make_batch(name="Pilot"))
    close_batch(batch=assignment.rater.batch, now=NOW)
    return assignment


def answer(assignment):
    code, *_ = answers = answers_for(assignment)
    rater, given = assignment.rater, {code: answers[code]}
    return lambda: save_open_ratings(rater=rater, code=assignment.code, answers=given, now=LATER)


def test_without_the_lock_an_answer_is_acknowledged_and_lost(late, at_once, without_locks):
    gone, stored = at_once(Batch.objects.get(), answer(late))
    assert (gone, len(stored), Rating.objects.count()) == (None, 1, 0)


def test_with_the_lock_a_late_answer_is_not_acknowledged(late, at_once):
    assert at_once(Batch.objects.get(), answer(late)) == [None, None]
    assert (Batch.objects.count(), Rating.objects.count()) == (0, 0)


def test_who_reads_a_notice_while_it_is_deleted_waits_and_passes_over_it(monkeypatch, in_threads):
    batch, user = close_batch(batch=make_batch(name="Pilot"), now=NOW), make_user()
    notice = notify(kind=NoticeKind.COMPLETE, batch=batch, key="1", now=NOW)
    begun, read = Event(), Event()
    remove = deleting._delete

    def remove_slowly(rows):
        remove(rows)
        if rows.model is Reading:
            begun.set()
            read.wait(BLOCKED_SECONDS)

    def look():
        assert begun.wait(MEETING_SECONDS)
        mark_read(notice=notice, user=user, now=LATER)
        read.set()

    def delete():
        delete_thing(thing=batch, typed="Pilot", seen=fingerprint(batch), now=LATER)

    monkeypatch.setattr(deleting, "_delete", remove_slowly)
    assert in_threads(delete, look) == [None, None]
    assert (Batch.objects.count(), Reading.objects.count()) == (0, 0)


def test_distances_that_a_report_is_being_asked_for_stay(monkeypatch, in_threads):
    batch = make_rated_batch()
    table = BytesIO(distances_table(load_corpus(batch.corpus)))
    row = import_distances(corpus=batch.corpus, name="mine", files=[("mine.csv", table)], now=NOW).row
    begun, removed = Event(), Event()
    store = services._store_report

    def store_slowly(*asked):
        begun.set()
        removed.wait(BLOCKED_SECONDS)
        return store(*asked)

    def remove():
        assert begun.wait(MEETING_SECONDS)
        gone = remove_distances(row=row, now=LATER)
        removed.set()
        return gone

    monkeypatch.setattr(services, "_store_report", store_slowly)
    report, gone = in_threads(lambda: make_report(batch=batch, measures=["mine"], built=False), remove)
    assert (list(Report.objects.all()), gone) == ([report], False)
    assert GivenDistances.objects.count() == 1
