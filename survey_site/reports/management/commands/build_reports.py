"""Build what waits, in this process: for a machine without workers."""

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from survey_site.reports.models import Report
from survey_site.reports.services import build_report, requeue_stale_reports
from survey_site.reports.typesetting import keep_pdf
from survey_site.scoring.models import JobStatus


class Command(BaseCommand):
    help = (
        "Builds every report that waits, and those whose worker died, in this process and without a broker."
    )

    def handle(self, *_args: Any, **_options: Any) -> None:
        requeue_stale_reports(now=timezone.now())
        waiting = (
            Report.objects.filter(status=JobStatus.QUEUED).select_related("batch__corpus").order_by("pk")
        )
        for report in waiting:
            built = build_report(report=report, progress=self._say)
            keep_pdf(built)
            self.stdout.write(f"{built}: {built.get_status_display().lower()}{self._why(built)}")
        if not waiting:
            self.stdout.write("No report waits.")

    def _say(self, part: str, done: int, total: int) -> None:
        unit = "parts" if part == "statistics" else "documents"
        self.stderr.write(f"  {part}" + (f": {done} of {total} {unit}" if total else ""))

    def _why(self, report: Report) -> str:
        return f" ({report.error})" if report.error else ""
