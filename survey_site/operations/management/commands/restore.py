"""manage.py restore: a backup in the place of the site's database."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from survey_site.operations.archive import BackupError
from survey_site.operations.backup import restore_backup


class Command(BaseCommand):
    help = (
        "Put a backup in the place of the site's database. Stop the site first. The file is checked against "
        "its hashes before anything is changed, and the restored rows are counted against it afterwards."
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

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            restored, waiting = restore_backup(
                options["backup"], replace=options["replace"], other_key=options["other_key"]
            )
        except BackupError as error:
            raise CommandError(str(error)) from error
        said = f"{restored.total_rows:,} rows of {len(restored.rows)} tables, as of {restored.made_at}"
        self.stdout.write(f"Restored: {said}; counted, and equal to the backup.")
        if waiting:
            self.stdout.write(
                f"The backup is of an earlier version: run manage.py migrate ({waiting} to apply)."
            )
        self.stdout.write("Start the site again.")
