"""What was found of a subject, and what to do: for `manage.py doctor` and the status page."""

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    FINE = "ok"
    NOTE = "note"
    FAULT = "FAULT"


@dataclass(frozen=True)
class Finding:
    """`note` needs nobody today; a fault keeps people or reports from going on."""

    subject: str
    state: State
    message: str
    action: str = ""
