"""Hand work that was lost to the workers again, without waiting for a worker to look for it."""

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from survey_site.reports.rescue import hand_over_lost_work


class Command(BaseCommand):
    help = (
        "Puts reports, score runs and models' runs whose worker died back into the queue, and hands all that "
        "waits too long to the workers again. Workers do this themselves once a minute. Safe at any time."
    )

    def handle(self, *_args: Any, **_options: Any) -> None:
        reports, runs, asking = hand_over_lost_work(now=timezone.now())
        models = f", {len(asking)} runs of language models" if asking else ""
        self.stdout.write(f"Handed to the workers: {len(reports)} reports, {len(runs)} score runs{models}.")
