"""The parts of an inference as they are made, one after another, and those that could not be made."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from meta_eval.errors import MetaEvalError
from meta_eval.report.schema import Problem
from meta_eval.stats.threads import one_thread

log = logging.getLogger(__name__)
_Made = TypeVar("_Made")

InferenceProgress = Callable[[str, int, int], None]
"""Called with the part that begins, how many are done, and how many there are."""
Through = Callable[[Exception], bool]
"""Whether an error ends the whole report, as one of the machine does, instead of being noted of one part."""


def nothing_through(_error: Exception) -> bool:
    """Whatever goes wrong is noted of its part."""
    return False


@dataclass(slots=True)
class Attempts:
    """How many of the `total` parts are done, and which could not be made; what goes `through` is raised."""

    progress: InferenceProgress | None
    total: int
    done: int = 0
    problems: list[Problem] = field(default_factory=list)
    through: Through = nothing_through

    def make(self, part: str, make: Callable[[], _Made], empty: _Made) -> _Made:
        """What `make` returns; where it raises, `empty`, and a problem is noted.

        Its linear algebra keeps to one thread.
        """
        if self.progress:
            self.progress(part, self.done, self.total)
        self.done += 1
        try:
            with one_thread():
                return make()
        except Exception as error:
            if self.through(error):
                raise
            self.problems.append(note_problem(part, error))
            return empty

    def end(self) -> None:
        if self.progress:
            self.progress("inference", self.total, self.total)


def note_problem(part: str, error: Exception) -> Problem:
    """Inputs that do not allow a part are no failure: trying again would change nothing."""
    if isinstance(error, MetaEvalError):
        return Problem(part, str(error), failed=False)
    log.error("Part %s of an inference failed", part, exc_info=error)
    return Problem(part, f"Unexpected error ({type(error).__name__}): {error}", failed=True)
