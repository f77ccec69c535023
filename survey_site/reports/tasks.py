"""Thin background tasks of reports, and how a view hands one over."""

import logging

from celery import shared_task
from django.utils import timezone

from survey_site.reports.models import Report
from survey_site.reports.services import build_report
from survey_site.scoring.jobs import is_at_work
from survey_site.scoring.tasks import send_on_commit

log = logging.getLogger(__name__)


@shared_task(name="reports.build_report", acks_late=True)  # type: ignore[untyped-decorator]
def build_report_task(report_id: int) -> None:
    report = Report.objects.select_related("batch__corpus").filter(pk=report_id).first()
    if report is None:
        log.warning("Report %s is gone; nothing to do.", report_id)
        return
    if report.is_failed:
        return  # a message that was left over; whoever tries it again puts it into the queue first
    if not is_at_work(report, now=timezone.now()):  # a message sent twice must not keep a worker waiting
        build_report(report=report)


def enqueue_report(report: Report) -> None:
    """Hand the report to the workers once the transaction is committed."""
    send_on_commit(build_report_task, report.pk)
