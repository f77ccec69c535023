"""manage.py sweep: remove computed files that nothing in the database stands for any more."""

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from survey_site.keeping.files import sweep


class Command(BaseCommand):
    help = (
        "Remove scores and kept distances of corpora, batches and reports that were deleted. The site does "
        "it with each deletion; this is for one whose process ended between. Safe at any time."
    )

    def handle(self, *_args: Any, **_options: Any) -> None:
        swept = sweep(now=timezone.now())
        self.stdout.write(
            f"Removed: {swept.contributions} files of scores, {swept.distances} shards of distances, "
            f"{swept.given} removed distances from outside"
            + (f", replies of models about {swept.replies} batches." if swept.replies else ".")
        )
