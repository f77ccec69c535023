"""Thin background tasks of reports, and how a view hands one over."""

import logging

from celery import shared_task
from django.utils import timezone

from survey_site.reports.bundles.kept import make_bundle
from survey_site.reports.models import KeptBundle, Report
from survey_site.reports.scores import waits_for_others
from survey_site.reports.services import build_report
from survey_site.reports.typesetting import keep_pdf
from survey_site.scoring.jobs import is_at_work
from survey_site.scoring.models import JobStatus, ScoreRun
from survey_site.scoring.tasks import find_unfinished, send_on_commit

log = logging.getLogger(__name__)


@shared_task(name="reports.build_report", acks_late=True)  # type: ignore[untyped-decorator]
def build_report_task(report_id: int) -> None:
    report = Report.objects.select_related("batch__corpus").filter(pk=report_id).first()
    if report is None:
        log.warning("Report %s is gone; nothing to do.", report_id)
        return
    if report.is_failed:
        return  # a message that was left over; whoever tries it again puts it into the queue first
    # A message sent twice must not keep a worker waiting, nor must parts of scores that others compute.
    if is_at_work(report, now=timezone.now()) or waits_for_others(report):
        return
    report = build_report(report=report, may_leave=True)
    if report.is_waiting and not waits_for_others(report):
        enqueue_report(report)  # the others were done before it was put back
    for run in report.runs.exclude(status__in=(JobStatus.QUEUED, JobStatus.RUNNING)):
        send_waiting_reports(run=run)  # other reports may have waited for what this one computed
    keep_pdf(report)


def send_waiting_reports(*, run: ScoreRun, **_signal: object) -> None:
    """Have the reports built that waited for a run, now that it is over."""
    rows = Report.objects.filter(runs=run, status=JobStatus.QUEUED).defer("result", "drawings")
    for report in rows.order_by("pk"):
        if not waits_for_others(report):
            enqueue_report(report)


def enqueue_report(report: Report) -> None:
    """Hand the report to the workers once the transaction is committed."""
    send_on_commit(build_report_task, report)


@shared_task(name="reports.make_bundle", acks_late=True)  # type: ignore[untyped-decorator]
def make_bundle_task(row_id: int) -> None:
    if row := find_unfinished(KeptBundle.objects.all(), row_id):
        make_bundle(row, clock=timezone.now)


def ask_to_make_bundle(row: KeptBundle) -> None:
    """Hand it to the workers once the transaction is committed."""
    send_on_commit(make_bundle_task, row)
