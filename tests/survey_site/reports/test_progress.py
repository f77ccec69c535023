"""A report at work: what is told of its progress, and what becomes of one whose worker died."""

from datetime import timedelta

import pytest

from meta_eval.report.inference.infer import PARTS
from survey_site.reports.models import Report
from survey_site.reports.services import build_report, requeue_stale_reports
from survey_site.scoring import jobs
from survey_site.scoring.models import JobStatus
from tests.factories.batches import NOW
from tests.factories.reports import make_report

pytestmark = pytest.mark.django_db


def test_reports_of_dead_workers_are_queued_again():
    dead, alive = make_report(built=False), make_report(built=False)
    for report, beat in ((dead, NOW - 2 * jobs.STALE_AFTER), (alive, NOW)):
        Report.objects.filter(pk=report.pk).update(
            status=JobStatus.RUNNING, heartbeat_at=beat, created_at=NOW - timedelta(days=1)
        )
    assert requeue_stale_reports(now=NOW) == [dead]
    assert build_report(report=dead).status == JobStatus.DONE


def test_progress_names_the_part_at_work():
    seen = []
    report = make_report(built=False)
    build_report(report=report, progress=lambda *step: seen.append(step))
    assert seen == [
        ("automatic scores rouge-l", 0, 0),
        ("automatic scores rouge-l", 3, 3),
        ("automatic scores jsd", 0, 0),
        ("automatic scores jsd", 3, 3),
        ("human scores rouge-l", 0, 0),
        ("human scores rouge-l", 3, 3),
        *(("statistics", done, len(PARTS)) for done in range(len(PARTS) + 1)),
    ]
    stored = Report.objects.get()
    assert (stored.inference_done, stored.inference_total) == (len(PARTS), len(PARTS))
