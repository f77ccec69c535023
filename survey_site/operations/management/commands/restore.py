"""manage.py restore: a backup in the place of the site's database."""

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from survey_site.operations.archive import BackupError
from survey_site.operations.restoring import Restored, restore_backup


class Command(BaseCommand):
    help = (
        "Put a backup in the place of the site's database. Stop the site first: while it is in use, nothing "
        "is restored. The file is checked against its hashes, what it replaces is kept as a backup, and its "
        "rows are counted, before anything is changed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("backup", type=Path, help="a file that `backup` wrote")
        parser.add_argument(
            "--replace",
            action="store_true",
            help="let the present database go, though it has users or corpora",
        )
        parser.add_argument(
            "--other-key",
            action="store_true",
            help="go on with another SECRET_KEY; raters' old links then end",
        )
        parser.add_argument(
            "--while-in-use",
            action="store_true",
            help="go on though the site is in use; what people answer until then is in the kept backup alone",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            done = restore_backup(
                options["backup"],
                now=timezone.now(),
                replace=options["replace"],
                other_key=options["other_key"],
                while_in_use=options["while_in_use"],
            )
        except BackupError as error:
            raise CommandError(str(error)) from error
        for line in self._lines(done):
            self.stdout.write(line)

    def _lines(self, done: Restored) -> Iterator[str]:
        restored = done.manifest
        said = f"{restored.total_rows:,} rows of {len(restored.rows)} tables, as of {restored.made_at}"
        yield f"Restored: {said}; counted, and equal to the backup."
        yield f"Data folder: {done.files:,} files restored; all others stay as they were."
        if done.kept:
            yield f"What was there before is kept: {done.kept}"
        if done.signs:
            yield (
                f"The site was in use ({'; '.join(done.signs)}): what people answered since the backup is in "
                "the file that is kept, and no longer on the site."
            )
        if done.waiting:
            yield f"The backup is of an earlier version: run manage.py migrate ({done.waiting} to apply)."
        yield "Start the site again."
