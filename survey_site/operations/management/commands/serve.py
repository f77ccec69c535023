"""manage.py serve: all processes of a site on one machine, until Ctrl-C."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from survey_site.common.health import waiting_migrations
from survey_site.operations.servers import INTERRUPTED, free_port, interrupted_once, serve_until_interrupt


class Command(BaseCommand):
    help = (
        "Serve the site on this machine: web server, worker and, where CELERY_BROKER_URL is not set, their "
        "broker. Ctrl-C ends them all."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="port of the site (default 8000)")

    def handle(self, *_args: Any, port: int, **_options: Any) -> None:
        try:
            with interrupted_once():
                self._require_migrations()
                if free_port(port) != port:
                    raise CommandError(f"Port {port} is taken. Choose another: --port NUMBER.")
                serve_until_interrupt(port, announce=self._announce, say=self._say)
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)

    def _require_migrations(self) -> None:
        if waiting := waiting_migrations():
            raise CommandError(
                f"Migrations that the database lacks: {waiting}. Run manage.py migrate; where there is "
                "something to lose, manage.py backup first."
            )

    def _announce(self, address: str) -> None:
        self._say(f"The site: {address}/\nCtrl-C ends it.")

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
