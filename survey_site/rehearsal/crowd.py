"""All raters at once, each in a thread, and what becomes of them."""

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Thread

from django.db import connections
from django.urls import reverse

from survey_site.batches.models import Batch
from survey_site.rehearsal.logbook import Logbook
from survey_site.rehearsal.person import GaveUp, Person
from survey_site.rehearsal.scripts import ABSENT, CROWD, Role, Script, play
from survey_site.rehearsal.stage import Stage, Stopped
from survey_site.survey.models import Assignment, RatingHistory

RETURNING_AT_ONCE = 8
QUIET_SECONDS, QUIET_LIMIT_SECONDS = 1.0, 30.0
TICK_SECONDS = 0.1
FAREWELL_SECONDS = 5.0


@dataclass
class Crowd:
    """The raters of one rehearsal, on the site at `address`."""

    scripts: Sequence[Script]
    batch: Batch
    address: str
    logbook: Logbook = field(default_factory=Logbook)

    def __post_init__(self) -> None:
        self.logbook.labels = {script.number: script.label for script in self.scripts}
        self.stage = Stage(
            crowd=self._numbers(CROWD), absent=self._numbers(ABSENT), racers=self._numbers([Role.RACER])
        )
        join_path = reverse("survey:join", args=[self.batch.token])
        self.people = {script: self._person(script, join_path) for script in self.scripts}

    def perform(self, tick: Callable[[], None]) -> None:
        """Run every script to its end; `tick` is called now and then meanwhile."""
        threads = [Thread(target=self._play, args=pair, daemon=True) for pair in self.people.items()]
        for thread in threads:
            thread.start()
        try:
            while any(thread.is_alive() for thread in threads):
                tick()
                time.sleep(TICK_SECONDS)
        finally:
            self._send_home(threads)

    def come_back(self) -> None:
        """Everybody opens their questionnaires once more, when no request is under way any more."""
        wait_until_quiet(self.batch)
        with ThreadPoolExecutor(RETURNING_AT_ONCE) as pool:
            list(pool.map(self._return, self.people.items()))

    def _send_home(self, threads: Sequence[Thread]) -> None:
        """After an interrupt nobody may be left who works on a database that is about to go."""
        if any(thread.is_alive() for thread in threads):
            self.stage.stop.set()
            for thread in threads:
                thread.join(FAREWELL_SECONDS)

    def _numbers(self, roles: Iterable[Role]) -> list[int]:
        return [script.number for script in self.scripts if script.role in set(roles)]

    def _person(self, script: Script, join_path: str) -> Person:
        return Person(
            number=script.number,
            address=self.address,
            join_path=join_path,
            chance=script.chance,
            logbook=self.logbook,
            stage=self.stage,
            scripts=script.role != Role.PLAIN,
        )

    def _play(self, script: Script, person: Person) -> None:
        try:
            self._noting_failure(script, lambda: play(script, person))
        finally:
            self.stage.leave(script.number)
            connections.close_all()

    def _return(self, pair: tuple[Script, Person]) -> None:
        script, person = pair
        self._noting_failure(script, person.come_back)

    def _noting_failure(self, script: Script, act: Callable[[], None]) -> None:
        try:
            act()
        except Stopped:
            pass
        except GaveUp as reason:
            self.logbook.failures.append((script.number, str(reason)))
        except Exception as error:  # whatever it is, it is told in the record
            self.logbook.failures.append((script.number, f"{type(error).__name__}: {error}"))


def wait_until_quiet(batch: Batch) -> None:
    """Requests that nobody waits for may still be at work; wait until they write nothing more."""
    deadline = time.monotonic() + QUIET_LIMIT_SECONDS
    before = None
    while (now := _last_writes(batch)) != before and time.monotonic() < deadline:
        before = now
        time.sleep(QUIET_SECONDS)


def _last_writes(batch: Batch) -> tuple[object, ...]:
    last = RatingHistory.objects.order_by("-pk").values_list("pk", flat=True).first()
    states = Assignment.objects.filter(questionnaire__batch=batch).order_by("pk").values_list("pk", "state")
    return last, *states
