"""Trouble for the server at moments that the seed chooses, by how far the rehearsal has come."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from threading import Event

from survey_site.rehearsal.logbook import Logbook
from survey_site.rehearsal.site import WebServer

SERVER, PROCESS = "server", "web process"
PARTS = (PROCESS, SERVER, PROCESS, SERVER, SERVER)
FEW_PLACES = 40  # then two blows less, or the server would be down most of the time
LATEST = 0.9  # the last blow falls when the last places are raced for
LONGEST_DOWN_SECONDS = 1.0
POLL_SECONDS = 0.02


@dataclass(frozen=True)
class Blow:
    """share: how much of all submissions must be in; down: seconds until the server is started again."""

    share: float
    target: str
    down: float


def plan_chaos(*, seed: int, places: int) -> tuple[Blow, ...]:
    """Two web processes and three times the whole server, spread over the rehearsal."""
    chance = Random(f"chaos/{seed}")  # noqa: S311 - reproducible, not secret
    parts = PARTS if places >= FEW_PLACES else PARTS[2:]
    step = LATEST / len(parts)
    return tuple(
        Blow(step * (number + chance.uniform(0.4, 1)), target, chance.uniform(0.1, LONGEST_DOWN_SECONDS))
        for number, target in enumerate(parts)
    )


def cause_chaos(
    *, server: WebServer, logbook: Logbook, seed: int, places: int, stop: Event, say: Callable[[str], None]
) -> None:
    """Strike until all blows have fallen or the rehearsal is over."""
    chance = Random(f"targets/{seed}")  # noqa: S311
    for blow in _when_due(plan_chaos(seed=seed, places=places), logbook, places, stop):
        say(f"SIGKILL to {'the web server' if blow.target == SERVER else 'a web process'}")
        started = time.monotonic()
        if blow.target == SERVER:
            server.kill()
            stop.wait(blow.down)
            server.start()
            logbook.count("server restarts")
        else:
            server.kill_process(chance)
            logbook.count("web processes killed")
        logbook.downtimes.append((started, time.monotonic()))


def _when_due(blows: tuple[Blow, ...], logbook: Logbook, places: int, stop: Event) -> Iterator[Blow]:
    for blow in blows:
        while len(logbook.submitted) < blow.share * places:
            if stop.wait(POLL_SECONDS):
                return
        yield blow
