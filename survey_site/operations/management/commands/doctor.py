"""manage.py doctor: what is wrong with this installation, and what to do about it."""

import sys
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from survey_site.operations.doctor import examine
from survey_site.operations.findings import State


class Command(BaseCommand):
    help = (
        "Look at settings, storage, database, clock, broker, workers, waiting work, models and GPU, and say "
        "what to do. Exit status 1 where something keeps people or reports from going on."
    )
    requires_system_checks: list[str] = []  # what they find is among the findings

    def handle(self, *_args: Any, **_options: Any) -> None:
        faults = 0
        for finding in examine(now=timezone.now):
            faults += finding.state is State.FAULT
            self.stdout.write(f"{finding.state.value:<5}  {finding.subject:<10}  {finding.message}")
            if finding.action:
                self.stdout.write(f"{'':<19}-> {finding.action}")
        self.stdout.write(f"{faults} fault{'s' * (faults != 1)}." if faults else "No faults.")
        if faults:
            sys.exit(1)
