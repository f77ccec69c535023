"""Look for what staff should know of, without waiting for a worker to look."""

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from survey_site.notices.models import Notice
from survey_site.reports.noticing import look_around


class Command(BaseCommand):
    help = (
        "Notes batches that are complete, raters who are flagged, reports that have ended, and mails what is "
        "due. Workers do this themselves every half minute. Safe to run at any time."
    )

    def handle(self, *_args: Any, **_options: Any) -> None:
        before = Notice.objects.count()
        mails = look_around(now=timezone.now())
        self.stdout.write(f"New notices: {Notice.objects.count() - before}. Mails sent: {mails}.")
