"""Waiting for what workers compute."""

import sys
import time
from collections.abc import Callable
from typing import Protocol, TypeVar

from meta_eval.client.problems import JobFailedError, StillRunningError
from meta_eval.client.sending import Sleep

FIRST_LOOK, LONGEST_LOOK, SLOWER = 0.5, 10.0, 1.5
"""Seconds between the first two looks, at most, and by how much longer each is than the one before."""


class Job(Protocol):
    """What runs in the background."""

    @property
    def id(self) -> int: ...
    @property
    def state(self) -> str: ...
    @property
    def percent(self) -> int: ...
    @property
    def error(self) -> str: ...


J = TypeVar("J", bound=Job)
Told = bool | Callable[[J], object]
"""True to be told on stderr, or what is called with each look."""


def wait_for(
    job: J, read: Callable[[], J], *, timeout: float, progress: "Told[J]", sleep: Sleep, name: str
) -> J:
    """The job once it is done. timeout: seconds after which no more is waited.

    Raises JobFailedError where it fails or was cancelled, StillRunningError when the time is over; the site
    goes on with it then.
    """
    end, pause, tell = time.monotonic() + timeout, FIRST_LOOK, _teller(progress, name)
    while True:
        tell(job)
        if job.state == "done":
            return job
        if job.state == "failed":
            raise JobFailedError(f"{name} {job.id} failed: {job.error or 'the site does not say why'}")
        if time.monotonic() + pause > end:
            what = (
                "no worker has taken it up: is one running?"
                if job.state == "queued"
                else "the site goes on with it: wait again."
            )
            raise StillRunningError(
                f"{name} {job.id} is {job.state} at {job.percent} % after {timeout:g} seconds; {what}"
            )
        sleep(pause)
        pause, job = min(pause * SLOWER, LONGEST_LOOK), read()


def _teller(progress: "Told[J]", name: str) -> Callable[[J], object]:
    if callable(progress):
        return progress
    said: list[str] = []

    def tell(job: J) -> None:
        line = f"{name} {job.id}: {job.state}, {job.percent} %\n"
        if progress and said[-1:] != [line]:
            said.append(line)
            sys.stderr.write(line)

    return tell
