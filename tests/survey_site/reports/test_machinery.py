"""A report whose scores cannot be read for a while is built again, and says why where it ends."""

import errno
import os

import pytest
from django.db import OperationalError

from meta_eval.report.inference import infer
from survey_site.reports import scores
from survey_site.reports.models import Report
from survey_site.reports.services import build_report
from survey_site.scoring import jobs
from survey_site.scoring.models import JobStatus, ScoreRun
from tests.factories.batches import NOW
from tests.factories.machinery import failing, fault, lose_store
from tests.factories.reports import make_report

pytestmark = pytest.mark.django_db(transaction=True)
SAID = f"Interrupted 5 times, the last time by OSError: [Errno {errno.EIO}] {os.strerror(errno.EIO)}."


@pytest.fixture(autouse=True)
def _apart(settings, tmp_path):
    settings.CONCORD_DATA_DIR = tmp_path


@pytest.fixture
def asked():
    """A report that waits to be built anew from runs that are done."""
    report = make_report(measures=["jsd"], surrogates=["jsd"])
    jobs.requeue(report, now=NOW)
    return report, report.result


def end():
    return Report.objects.values_list("status", "error", "interruptions").get()


def test_a_report_goes_on_once_the_store_is_back(asked, monkeypatch, pauses):
    report, before = asked
    lose_store(monkeypatch, times=1)
    again = build_report(report=report)
    assert (end(), pauses) == ((JobStatus.DONE, "", 1), [1])
    assert again.result == before


def test_a_report_goes_on_once_its_scores_can_be_read(asked, monkeypatch, pauses):
    report, before = asked
    monkeypatch.setattr(scores, "load_contributions", failing(scores.load_contributions, fault(errno.EIO), 2))
    again = build_report(report=report)
    assert (end(), pauses) == ((JobStatus.DONE, "", 2), [1, 2])
    assert again.result == before


def test_a_report_goes_on_where_a_part_of_its_statistics_met_the_fault(asked, monkeypatch, pauses):
    report, before = asked
    monkeypatch.setattr(infer, "study_agreement", failing(infer.study_agreement, fault(errno.EIO), 1))
    again = build_report(report=report)
    assert (end(), pauses) == ((JobStatus.DONE, "", 1), [1])
    assert again.result == before


@pytest.mark.parametrize(
    ("module", "name"),
    [(scores, "load_contributions"), (infer, "study_agreement")],
    ids=["scores", "statistics"],
)
def test_a_report_goes_on_where_the_database_was_lost(asked, monkeypatch, pauses, module, name):
    report, before = asked
    lost = OperationalError("the connection is lost")
    monkeypatch.setattr(module, name, failing(getattr(module, name), lost, 1))
    again = build_report(report=report)
    assert (end(), pauses) == ((JobStatus.DONE, "", 1), [1])
    assert again.result == before


def test_scores_that_stay_unreadable_fail_the_report_with_what_to_do(asked, monkeypatch, pauses):
    report, _ = asked
    never = failing(scores.load_contributions, fault(errno.EIO), jobs.MOST_INTERRUPTIONS)
    monkeypatch.setattr(scores, "load_contributions", never)
    build_report(report=report)
    assert (end(), pauses) == ((JobStatus.FAILED, f"{SAID} {jobs.LOOK}", 5), [1, 2, 4, 4])


def test_a_run_that_failed_for_good_is_not_tried_again_with_its_report(asked, monkeypatch, pauses):
    report, _ = asked
    ScoreRun.objects.filter(kind="human").update(status=JobStatus.QUEUED)
    lose_store(monkeypatch, times=jobs.MOST_INTERRUPTIONS)
    again = build_report(report=report)
    assert (end(), pauses) == ((JobStatus.DONE, "", 0), [1, 2, 4, 4])
    (failure,) = again.failures
    assert failure.reason == ScoreRun.objects.get(kind="human").error
