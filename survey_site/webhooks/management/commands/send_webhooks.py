"""Deliver webhooks without waiting for a worker to do it."""

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from survey_site.webhooks.delivering import deliver


class Command(BaseCommand):
    help = (
        "Delivers what happened to the webhooks that ask for it, and tries again what is due. Workers do "
        "this themselves every five seconds. Safe to run at any time."
    )

    def handle(self, *_args: Any, **_options: Any) -> None:
        self.stdout.write(f"Webhooks delivered: {deliver(clock=timezone.now)}.")
