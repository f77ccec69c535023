"""manage.py import_study: the same upload as on the web page."""

from argparse import ArgumentParser
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from meta_eval.errors import InputError
from survey_site.common.archives import Chosen
from survey_site.common.commands import faults_error
from survey_site.common.errors import ApplicationError
from survey_site.projects.choosing import named_project
from survey_site.studies.files import COMMAND, StudyFiles
from survey_site.studies.services import StudyResult, import_study


class Command(BaseCommand):
    help = (
        "Store the results of a study of summaries of users, as users score wrote them. A fault stores "
        "nothing and every fault is listed; the same files again change nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="what the study is called on the site")
        parser.add_argument(
            "results", type=Path, nargs="+", help="files that users score wrote, or a ZIP archive of them"
        )
        parser.add_argument("--labels", type=Path, help="people's labels, a CSV table")
        parser.add_argument(
            "--trail", type=Path, action="append", default=[], help="a trail.jsonl; may be repeated"
        )

        parser.add_argument(
            "--project", default="", help="name of the project that it is for (default: the only one)"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            with ExitStack() as stack:
                files = self._open(stack, options)
                now = timezone.now()
                project = named_project(options["project"], now=now)
                name = options["name"]
                result = import_study(name=name, files=files, now=now, project=project, most=COMMAND)
        except InputError as error:
            raise faults_error(error, self.stderr, outcome="Nothing was stored") from error
        except ApplicationError as error:
            raise CommandError(f"{error.message} {error.action}") from error
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        except OSError as error:
            raise CommandError(f"{error.filename}: cannot be read: {error.strerror}") from error
        self._report(result)

    def _open(self, stack: ExitStack, options: dict[str, Any]) -> StudyFiles:
        def chosen(path: Path) -> Chosen:
            return path.name, stack.enter_context(path.open("rb"))

        return StudyFiles(
            results=[chosen(path) for path in options["results"]],
            labels=chosen(options["labels"]) if options["labels"] else None,
            trails=[chosen(path) for path in options["trail"]],
        )

    def _report(self, result: StudyResult) -> None:
        study = result.study
        if not result.created:
            self.stdout.write(f"Already there as {study.name!r}: the same files, nothing changed.")
            return
        self.stdout.write(
            f"Stored {study.name!r}: {study.users:,} users, {study.summaries:,} summaries; its page is "
            f"{study.get_absolute_url()}"
        )
