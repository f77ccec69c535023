"""Distances from outside are kept as long as a report rests on them, and no longer."""

import io

import pytest

from survey_site.batches.services import close_batch
from survey_site.common.errors import ConflictError
from survey_site.corpus.queries import load_corpus
from survey_site.keeping.deleting import asked_name, delete_thing
from survey_site.keeping.dependents import fingerprint
from survey_site.reports import inputs
from survey_site.reports.models import Report
from survey_site.scoring.given.queries import reports_on
from survey_site.scoring.given.services import import_distances, remove_distances
from survey_site.scoring.models import GivenDistances
from tests.factories.batches import NOW
from tests.factories.given import distances_table
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch

pytestmark = pytest.mark.django_db


def bring(corpus):
    table = io.BytesIO(distances_table(load_corpus(corpus)))
    return import_distances(corpus=corpus, name="mine", files=[("mine.csv", table)], now=NOW)


def test_whatever_the_distances_are_called_their_reports_are_found():
    report = make_report(built=False)
    corpus = report.batch.corpus
    known = {"book": b"", "pairs": 1, "covered": 1, "wanted": 1, "created_at": NOW}
    names = ("mine", "2024", "in", "isnull", "contains", "range", "a__b", "a_b")
    for name in names:
        row = GivenDistances.objects.create(corpus=corpus, name=name, content_hash="ab", **known)
        report.options["given"] = {name: "other"}
        report.save()
        assert list(reports_on(row)) == []
        report.options["given"] = {name: "ab"}
        report.save()
        assert (list(reports_on(row)), remove_distances(row=row, now=NOW)) == ([report], False)


def test_a_report_on_distances_that_are_removed_while_it_is_asked_for_is_refused(monkeypatch):
    batch = make_rated_batch()
    row = bring(batch.corpus).row
    record = inputs.record_and_read

    def remove_and_record(**asked):
        remove_distances(row=row, now=NOW)
        return record(**asked)

    monkeypatch.setattr(inputs, "record_and_read", remove_and_record)
    with pytest.raises(ConflictError, match="The distances “mine” were removed at this moment"):
        make_report(batch=batch, measures=["mine"], built=False)
    assert not Report.objects.exists()


def test_removed_distances_go_with_the_last_report_on_them(django_capture_on_commit_callbacks):
    batch = close_batch(batch=make_rated_batch(), now=NOW)
    row = bring(batch.corpus).row
    reports = [make_report(batch=batch, measures=["mine"], built=False, seed=seed) for seed in (1, 2)]
    assert not remove_distances(row=row, now=NOW)
    kept = []
    for report in reports:
        with django_capture_on_commit_callbacks(execute=True):
            delete_thing(thing=report, typed=asked_name(report), seen=fingerprint(report), now=NOW)
        kept.append(GivenDistances.objects.count())
    assert kept == [1, 0]
