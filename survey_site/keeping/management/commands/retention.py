"""manage.py retention: what is held of raters of old batches, and with --delete, delete it."""

import json
import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from survey_site.keeping.retention import RetentionReport, RetentionRule, retain


class Command(BaseCommand):
    help = (
        "Say what is held of the raters of batches that were closed long ago: keyed hashes of their ids and "
        "links, names, answers about themselves. --delete deletes it; ratings stay, under pseudonyms."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--days", type=int, help="since the batch was closed (CONCORD_RETENTION_DAYS)")
        parser.add_argument("--batch", type=int, metavar="NUMBER", help="this batch alone")
        parser.add_argument(
            "--remarks", action="store_true", help="remarks and reasons in raters' own words, too"
        )
        parser.add_argument("--delete", action="store_true", help="delete it; for good")
        parser.add_argument(
            "--out", type=Path, help="folder of the report (default: retention in the data folder)"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        days = settings.CONCORD_RETENTION_DAYS if options["days"] is None else options["days"]
        if days is None or days < 0:
            raise CommandError(
                "How long is personal data kept? Set CONCORD_RETENTION_DAYS or give --days, at least 0."
            )
        now = timezone.now()
        rule = RetentionRule(days=days, remarks=options["remarks"], batch=options["batch"])
        folder = options["out"] or Path(settings.CONCORD_DATA_DIR) / "retention"
        name = f"retention-{now:%Y%m%d-%H%M%S}{'' if options['delete'] else '-dry'}"
        for report in retain(rule=rule, delete=options["delete"], now=now):
            _keep(report, folder, name)
        self.stdout.write(report.text())
        self.stdout.write(f"Written to {folder / name}.json and .txt")


def _keep(report: RetentionReport, folder: Path, name: str) -> None:
    """Both files, each whole or as it was before."""
    record = json.dumps(report.record(), indent=2, ensure_ascii=False) + "\n"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in (
            (folder / f"{name}.json", record),
            (folder / f"{name}.txt", report.text()),
        ):
            half = file.with_name(f".{file.name}")
            half.write_text(text, encoding="utf-8")
            os.replace(half, file)
    except OSError as error:
        raise CommandError(f"{folder}: the report cannot be written: {error.strerror}") from error
