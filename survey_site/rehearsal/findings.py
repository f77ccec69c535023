"""What the checks say: which invariant, what is wrong, and where."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from survey_site.rehearsal.logbook import Logbook
from survey_site.rehearsal.snapshot import Snapshot


@dataclass(frozen=True)
class Violation:
    """rater: the script's label; item: its position on the page."""

    invariant: str
    detail: str
    questionnaire: int | None = None
    rater: str | None = None
    item: int | None = None

    def __str__(self) -> str:
        parts = (("questionnaire", self.questionnaire), ("rater", self.rater), ("item", self.item))
        where = ", ".join(f"{name} {value}" for name, value in parts if value is not None)
        return f"[{self.invariant}] {self.detail}" + (f" ({where})" if where else "")


@dataclass(frozen=True)
class Evidence:
    """The database and the scripts' memory, side by side."""

    snapshot: Snapshot
    logbook: Logbook

    def label(self, claim: str) -> str | None:
        """Who was given this claim."""
        raters = sorted(self.logbook.claims.get(claim, ()))
        return ", ".join(self.logbook.labels[number] for number in raters) or None


Findings = Iterator[Violation | None]
"""One for each subject looked at: None where all is well. So a check that looked at nothing shows."""

Check = Callable[[Evidence], Findings]
