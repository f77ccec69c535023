"""Hand work that was lost to the workers again; for a timer, say once a minute."""

from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction
from django.utils import timezone

from survey_site.reports.services import requeue_stale_reports
from survey_site.reports.tasks import enqueue_report
from survey_site.scoring.services import requeue_stale_runs
from survey_site.scoring.tasks import enqueue_run


class Command(BaseCommand):
    help = (
        "Puts reports and score runs whose worker died back into the queue, and hands all that waits too "
        "long to the workers again. Safe to run at any time and as often as you like."
    )

    def handle(self, *_args: Any, **_options: Any) -> None:
        now = timezone.now()
        with transaction.atomic():
            reports = requeue_stale_reports(now=now)
            runs = requeue_stale_runs(now=now)
            for report in reports:
                enqueue_report(report)
            for run in runs:
                enqueue_run(run)
        self.stdout.write(f"Handed to the workers: {len(reports)} reports, {len(runs)} score runs.")
