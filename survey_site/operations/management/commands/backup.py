"""manage.py backup: the ratings, in one file, while raters go on."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from survey_site.operations.archive import BackupError
from survey_site.operations.backup import backup_name, make_backup, note_backup


class Command(BaseCommand):
    help = (
        "Write the database and the kept secret key to one file, with the hash of each part. It holds one "
        "moment; raters may go on meanwhile. Keep it as safe as the site: it tells who took part and how."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "folder", type=Path, nargs="?", default=Path(), help="where the file goes (default: here)"
        )
        parser.add_argument(
            "--computed",
            action="store_true",
            help="add distances, contributions and replies of models, which can be had again",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        now = timezone.now()
        target = options["folder"] / f"{backup_name(now)}.tar.gz"
        try:
            made = make_backup(target, now=now, computed=options["computed"])
        except BackupError as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{target}: cannot be written: {error.strerror}") from error
        note_backup(target, now=now)
        size = target.stat().st_size / 1e6
        self.stdout.write(f"{target}: {made.total_rows:,} rows of {len(made.rows)} tables, {size:,.1f} MB.")
        self.stdout.write(f"Secret key {made.key_fingerprint}: {self._where_key(made.files)}")

    def _where_key(self, files: dict[str, str]) -> str:
        if any(name.endswith("secret-key") for name in files):
            return "in the file."
        return "not in the file, since SECRET_KEY sets it. Keep it, too: raters' links are made with it."
