"""manage.py demo: everything the site is for, once, and then the site itself."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.urls import reverse
from django.utils import timezone

from survey_site.demo.services import Demo, prepare_demo
from survey_site.operations.servers import INTERRUPTED, free_port, interrupted_once, serve_until_interrupt


class Command(BaseCommand):
    help = (
        "Load the demo corpus, launch a batch, let simulated raters complete most of it, build the report, "
        "and serve the site. Running it again goes on with what is there."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--no-serve", action="store_true", help="do everything but serve the site")
        parser.add_argument("--port", type=int, default=8000, help="port of the site (default 8000)")

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            with interrupted_once():
                self._run(options)
        except KeyboardInterrupt:
            self._say("\nStopped before the site was ready; `make demo` goes on where it stopped.")
            sys.exit(INTERRUPTED)

    def _run(self, options: dict[str, Any]) -> None:
        self._say("Preparing the database ...")
        call_command("migrate", interactive=False, verbosity=0)
        demo = prepare_demo(now=timezone.now(), say=self._say)
        if options["no_serve"]:
            self._print_addresses(demo, "")
            return
        self._serve(demo, options["port"])

    def _serve(self, demo: Demo, wanted_port: int) -> None:
        port = free_port(wanted_port)
        if port != wanted_port:
            self._say(f"Port {wanted_port} is taken; using {port}.")
        serve_until_interrupt(port, announce=lambda address: self._say_ready(demo, address), say=self._say)

    def _say_ready(self, demo: Demo, address: str) -> None:
        self._print_addresses(demo, address)
        self._say("\nCtrl-C stops it; `make demo` goes on where it stopped.")

    def _print_addresses(self, demo: Demo, address: str) -> None:
        paradoxes = reverse("reports:detail", args=[demo.prompts_report.pk])
        pages = (
            ("Rate one questionnaire yourself", reverse("survey:join", args=[demo.batch.token])),
            ("The correlation report", reverse("reports:detail", args=[demo.report.pk])),
            ("A (scripted) model as rater", demo.model_run.get_absolute_url()),
            (
                "Prompt paradoxes, of two rules",
                f"{paradoxes}#prompts",
            ),
            ("Summaries of users (scripted)", demo.study.get_absolute_url()),
            ("The batch monitor", reverse("batches:monitor", args=[demo.batch.pk])),
            ("Log in", reverse("accounts:login")),
        )
        self._say("\nOpen:")
        for title, path in pages:
            self._say(f"  {title + ':':<34}{address}{path}")
        self._say("\nAccounts (for report, monitor and the rest):")
        for login in demo.logins:
            self._say(f"  {login.role + ':':<12}{login.username}  {login.password}")

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
