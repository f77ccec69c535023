"""What is declared of a setting; the table of them all is `table`."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Setting:
    """One setting. `default` None means that there is none; `note` says what happens then."""

    name: str
    type: type
    default: Any
    env: str
    help: str
    note: str = ""
