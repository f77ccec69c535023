"""manage.py rehearse: does the site keep its promises to raters when everything goes wrong at once?"""

import signal
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from rich.console import Console
from rich.progress import Progress

from survey_site.batches.models import Batch
from survey_site.common.errors import ApplicationError
from survey_site.operations.servers import INTERRUPTED, ServerError
from survey_site.rehearsal.record import Outcome, as_json, as_text
from survey_site.rehearsal.scripts import LEAST_RATERS
from survey_site.rehearsal.services import check_batch, make_rehearsal_batch, rehearse
from survey_site.rehearsal.site import WebServer, own_site


class Command(BaseCommand):
    help = (
        "Let scripted raters work on a site through HTTP (double clicks, two tabs, broken lines, late "
        "submits; with --chaos also killed servers), then check that every answer is there and no place is "
        "taken twice. Starts a site and a database of its own unless --url and --batch name one. Fails on "
        "any violation."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--raters", type=int, default=40, help="scripted raters (default 40)")
        parser.add_argument("--chaos", action="store_true", help="kill the web server and its processes too")
        parser.add_argument("--seed", type=int, default=0, help="the same seed gives the same scripts")
        parser.add_argument("--json", action="store_true", help="print one JSON record")
        parser.add_argument("--web-processes", type=int, default=2, help="of the own site (default 2)")
        parser.add_argument("--url", help="address of a site that runs on this command's database")
        parser.add_argument("--batch", type=int, help="with --url: the number of a live batch without raters")

    def handle(self, *_args: Any, **options: Any) -> None:
        _check(options)
        self._console = Console(stderr=True)
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            outcome = self._run(options)
        except (ApplicationError, ServerError) as error:
            raise CommandError(f"{error} {getattr(error, 'action', '')}".strip()) from error
        except KeyboardInterrupt:
            self._console.print("Interrupted: nothing was checked.")
            sys.exit(INTERRUPTED)
        finally:
            signal.signal(signal.SIGTERM, before)
        self.stdout.write(as_json(outcome) if options["json"] else as_text(outcome))
        if not outcome.passed:
            sys.exit(1)

    def _run(self, options: dict[str, Any]) -> Outcome:
        if options["url"]:
            batch = Batch.objects.filter(pk=options["batch"]).first()
            if batch is None:
                raise CommandError(f"There is no batch {options['batch']} in this command's database.")
            return self._rehearse(check_batch(batch), options["url"], None, options)
        self._console.print("Preparing a database and a site ...")
        with own_site(options["web_processes"]) as server:
            batch = make_rehearsal_batch(raters=options["raters"], seed=options["seed"], now=timezone.now())
            outcome = self._rehearse(batch, server.address, server, options)
            if not outcome.passed:
                server.keep_folder = True
                self._console.print(f"The web server's log is kept in {server.folder}")
            return outcome

    def _rehearse(
        self, batch: Batch, address: str, server: WebServer | None, options: dict[str, Any]
    ) -> Outcome:
        with self._progress() as tick:
            return rehearse(
                batch=batch,
                address=address,
                raters=options["raters"],
                seed=options["seed"],
                server=server,
                chaos=options["chaos"],
                say=self._console.print,
                tick=tick,
            )

    @contextmanager
    def _progress(self) -> Iterator[Any]:
        with Progress(console=self._console, transient=True) as progress:
            task = progress.add_task("Questionnaires submitted", total=None)
            yield lambda done, total: progress.update(task, completed=done, total=total)


def _check(options: dict[str, Any]) -> None:
    if options["raters"] < LEAST_RATERS:
        raise CommandError(f"--raters: at least {LEAST_RATERS}, so that they can race for a place.")
    if options["web_processes"] < 1:
        raise CommandError("--web-processes: at least 1 is needed.")
    if bool(options["url"]) != (options["batch"] is not None):
        raise CommandError("--url and --batch belong together: the site that runs, and what to rate there.")
    if options["url"] and options["chaos"]:
        raise CommandError("--chaos kills the web server, so it needs one of its own: leave out --url.")
