"""manage.py import_distances: the same upload as on the web page."""

from argparse import ArgumentParser
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from meta_eval.errors import InputError
from survey_site.common.commands import faults_error
from survey_site.corpus.models import Corpus
from survey_site.scoring.given.services import GivenResult, import_distances


class Command(BaseCommand):
    help = (
        "Store distances that another tool computed as a measure of a corpus. A fault stores nothing and "
        "every fault is listed; the same distances again change nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("corpus", type=int, help="number of the corpus, as in the address of its page")
        parser.add_argument("name", help="what the measure is called")
        parser.add_argument("files", type=Path, nargs="+", help="CSV tables, or a ZIP archive of them")

    def handle(self, *_args: Any, **options: Any) -> None:
        corpus = Corpus.objects.filter(pk=options["corpus"]).first()
        if corpus is None:
            raise CommandError(f"There is no corpus {options['corpus']}; its page has its number.")
        try:
            with ExitStack() as stack:
                files = [(path.name, stack.enter_context(path.open("rb"))) for path in options["files"]]
                result = import_distances(
                    corpus=corpus, name=options["name"], files=files, now=timezone.now()
                )
        except InputError as error:
            raise faults_error(error, self.stderr, outcome="Nothing was stored") from error
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        except OSError as error:
            raise CommandError(f"{error.filename}: cannot be read: {error.strerror}") from error
        self._report(result)

    def _report(self, result: GivenResult) -> None:
        row = result.row
        if not result.created:
            self.stdout.write(f"Already there as {row.name!r}: the same distances, nothing changed.")
            return
        self.stdout.write(
            f"Stored {row.name!r}: {row.pairs:,} pairs; of the {row.wanted:,} that scores ask for it has "
            f"{row.covered:,}."
        )
