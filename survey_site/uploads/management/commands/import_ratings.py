"""manage.py import_ratings: the same upload as on the web page."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from meta_eval.errors import InputError
from survey_site.batches.states import Scale
from survey_site.common.commands import faults_error
from survey_site.common.errors import ApplicationError
from survey_site.corpus.models import Corpus
from survey_site.corpus.queries import load_corpus
from survey_site.uploads.files import read_rating_file
from survey_site.uploads.services import UploadResult, UploadSettings, import_ratings


class Command(BaseCommand):
    help = (
        "Make a closed batch of ratings that were collected elsewhere. A fault stores nothing and every "
        "fault is listed; the same file with the same settings again changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("corpus", type=int, help="number of the corpus, as in the address of its page")
        parser.add_argument("ratings", type=Path, help="CSV, or the SQLite file of the papers' app")
        parser.add_argument("--name", default="", help="name of the batch (default: from the file name)")
        parser.add_argument(
            "--scale", required=True, choices=Scale.values, help="which way the scale of the raters ran"
        )
        parser.add_argument(
            "--raters",
            type=int,
            help="ratings that a pair needs (default: the most that any system's pair has)",
        )
        parser.add_argument("--question", default="", help="what raters were asked (default: not known)")
        parser.add_argument("--low-label", default="", help="label of 1 (default: not known)")
        parser.add_argument("--high-label", default="", help="label of 6 (default: not known)")

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            self._report(*self._import(options))
        except InputError as error:
            raise faults_error(error, self.stderr, outcome="Nothing was stored") from error
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        except ApplicationError as error:
            raise CommandError(f"{error.message} {error.action}") from error
        except OSError as error:
            raise CommandError(f"{options['ratings']}: cannot be read: {error.strerror}") from error

    def _import(self, options: dict[str, Any]) -> tuple[UploadResult, str]:
        corpus = Corpus.objects.filter(pk=options["corpus"]).first()
        if corpus is None:
            raise CommandError(f"There is no corpus {options['corpus']}; its page has its number.")
        path, now = options["ratings"], timezone.now()
        file = read_rating_file(path, load_corpus(corpus), name=path.name, now=now)
        said = {name: options[name] for name in ("scale", "raters", "question", "low_label", "high_label")}
        settings = UploadSettings(name=options["name"] or "", **said)
        return import_ratings(corpus=corpus, file=file, settings=settings, now=now), file.taken

    def _report(self, result: UploadResult, taken: str) -> None:
        batch = result.batch
        if not result.created:
            self.stdout.write(
                f"Already there as batch {batch.pk}, {batch.name!r}: same file, nothing changed."
            )
            return
        self.stdout.write(
            f"Stored batch {batch.pk}, {batch.name!r}: questionnaires {batch.questionnaires.count()}, "
            f"raters {batch.people.count()}, ratings a pair needs {batch.raters}."
        )
        self.stdout.write(f"Read: {taken}.")
        for note in batch.plan_notes:
            self.stdout.write(f"Note: {note}.")
