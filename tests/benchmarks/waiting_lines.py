"""Lines of requests and of parts of runs, as a simulation: who comes first is served first.

What `scaling.py` prints comes of these: raters' requests, which wait for a web process and for a core of the
database, and workers that take the parts of a run. Each cost is one that docs/scaling.md or
docs/performance.md holds.
"""

import heapq
import random
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from statistics import median, quantiles

Steps = Generator[tuple["Station | None", float], None, None]
"""What somebody does, step after step: so many seconds at a station, or on their own."""


class Clock:
    """Carries out what happens, in the order of time."""

    def __init__(self) -> None:
        self.now = 0.0
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._turns = count()

    def after(self, seconds: float, act: Callable[[], None]) -> None:
        heapq.heappush(self._due, (self.now + seconds, next(self._turns), act))

    def begin(self, steps: Steps, *, at: float = 0.0) -> None:
        self.after(at - self.now, partial(self._go_on, steps))

    def _go_on(self, steps: Steps) -> None:
        for station, seconds in steps:
            if station is None:
                self.after(seconds, partial(self._go_on, steps))
            else:
                station.serve(seconds, partial(self._go_on, steps))
            return

    def run(self) -> None:
        while self._due:
            self.now, _, act = heapq.heappop(self._due)
            act()


class Station:
    """So many servers and one line; who came first is served first."""

    def __init__(self, clock: Clock, servers: int) -> None:
        self._clock, self._free = clock, servers
        self._line: deque[tuple[float, Callable[[], None]]] = deque()

    def serve(self, seconds: float, then: Callable[[], None]) -> None:
        self._line.append((seconds, then))
        self._take()

    def _take(self) -> None:
        while self._free and self._line:
            seconds, then = self._line.popleft()
            self._free -= 1
            self._clock.after(seconds, partial(self._end, then))

    def _end(self, then: Callable[[], None]) -> None:
        self._free += 1
        then()
        self._take()


# --- people who rate ----------------------------------------------------------------------------------------


A_STATEMENT = 1.08 / 200 / 16
"""Seconds of the database's processor: 200 starts of 16 statements each took 1.08."""
A_COMMIT = 0.005
"""Seconds until a disk has confirmed, which keeps nobody else waiting: assumed."""


@dataclass(frozen=True)
class Cost:
    """Seconds of a web process that a request takes, its statements, and whether it writes."""

    web: float
    statements: int
    writes: bool = False


@dataclass
class Site:
    """Stations and waits of one simulation; on one machine both stations are its cores."""

    clock: Clock
    web: Station
    database: Station
    waits: dict[str, list[float]] = field(default_factory=dict)
    counted_from: float = 0.0

    def request(self, kind: str) -> Steps:
        """Python before and after the database's answer; what a rater waits is noted."""
        came, cost = self.clock.now, COSTS[kind]
        yield self.web, cost.web / 2
        yield self.database, shares(kind)[1]
        if cost.writes:
            yield None, A_COMMIT
        yield self.web, cost.web / 2
        if came >= self.counted_from:
            self.waits.setdefault(kind, []).append(self.clock.now - came)


COSTS = {
    "first page": Cost(0.0030, 2),
    "start": Cost(0.0070, 9, writes=True),
    "questionnaire": Cost(0.0044, 5),
    "rating": Cost(0.0019, 4, writes=True),
    "submit": Cost(0.0035, 11, writes=True),
    "last page": Cost(0.0028, 3),
}
"""The first three together are what 200 starts took of the web processes (2.88 s)."""
PAIRS = 6
THINKING = {"first page": 30.0, "questionnaire": 60.0, "rating": 15.0}
"""Seconds on average, exponentially distributed; the article is read before the first rating."""
BEFORE_RATING = ("first page", "start", "questionnaire")
WHOLE = (*BEFORE_RATING, *["rating"] * PAIRS, "submit", "last page")


def shares(kind: str) -> tuple[float, float]:
    """Seconds of a web process and of the database that a request takes."""
    return COSTS[kind].web, COSTS[kind].statements * A_STATEMENT


def one_site(web: int, database: int, *, same_cores: bool = False) -> Site:
    clock = Clock()
    first = Station(clock, web)
    return Site(clock, first, first if same_cores else Station(clock, database))


def rater(site: Site, draw: random.Random, requests: Iterable[str] = WHOLE) -> Steps:
    """Somebody who comes, rates one questionnaire and thinks after what needs it."""
    for kind in requests:
        yield from site.request(kind)
        if kind in THINKING:
            yield None, draw.expovariate(HURRY / THINKING[kind])


HURRY, SETTLED, COUNTED = 10.0, 30.0, 3000


def busiest_hour(a_day: float, web: int, database: int, *, seed: int = 1) -> Site:
    """The busiest of eight hours, at three times the mean rate, until some three thousand people have come.

    People think so many times faster, since lines depend on how many requests come, not on how long one of
    them stays away; what comes before the lines have settled is not counted.
    """
    site, draw = one_site(web, database), random.Random(seed)
    site.counted_from, rate = SETTLED, busiest_rate(a_day)
    for at in arrivals(draw, rate, SETTLED + COUNTED / rate):
        site.clock.begin(rater(site, draw), at=at)
    site.clock.run()
    return site


def busiest_rate(a_day: float) -> float:
    """People a second."""
    return 3 * a_day / (8 * 3600)


def arrivals(draw: random.Random, rate: float, end: float) -> Iterator[float]:
    at = draw.expovariate(rate)
    while at < end:
        yield at
        at += draw.expovariate(rate)


def wave(people: int, web: int, database: int, *, within: float, same_cores: bool = False) -> list[float]:
    """Seconds until each has their first questionnaire, of people who come within so many seconds."""
    site, draw, took = one_site(web, database, same_cores=same_cores), random.Random(1), list[float]()

    def start() -> Steps:
        came = site.clock.now
        for kind in BEFORE_RATING:
            yield from site.request(kind)
        took.append(site.clock.now - came)

    for _ in range(people):
        site.clock.begin(start(), at=draw.uniform(0, within))
    site.clock.run()
    return took


def closed_loop(people: int, seconds: float, *, cores: int, own: float) -> tuple[float, float, float, float]:
    """All come at once and rate without a pause on these cores, which the program that plays them shares.

    own: the processor's seconds of that program for a request. Answers a second, median and 95th percentile
    of a rating, and the slowest start, as `side_by_side` prints them.
    """
    site = one_site(cores, cores, same_cores=True)
    starts, answers = list[float](), 0

    def play() -> Steps:
        nonlocal answers
        while site.clock.now < seconds:
            came = site.clock.now
            for kind in WHOLE:
                yield site.web, own
                yield from site.request(kind)
                answers += kind == "rating" and site.clock.now < seconds
                if kind == BEFORE_RATING[-1]:
                    starts.append(site.clock.now - came)

    for _ in range(people):
        site.clock.begin(play())
    site.clock.run()
    ratings = site.waits["rating"]
    return answers / seconds, median(ratings), upper(ratings), max(starts)


def upper(values: list[float]) -> float:
    return quantiles(values, n=20)[-1] if len(values) > 1 else values[0]


# --- workers ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """A run in parts. Each worker first loads the corpus; one joins in the end what all computed.

    Seconds: of a part on average, its spread (the standard deviation by the mean), of what a part costs
    besides, which is spread over workers too, of loading, and of joining.
    """

    parts: int
    part: float
    spread: float = 0.3
    besides: float = 0.0
    loading: float = 0.0
    joining: float = 0.0

    @property
    def alone(self) -> float:
        return self.loading + self.parts * (self.part + self.besides) + self.joining


LOST_AFTER, FOUND_EVERY, STARTED_AFTER = 10.0, 5.0, 5.0
"""Seconds: silent for so long, a worker is taken for dead; others look so often; a new one starts."""


def carry_out(
    run: Run, workers: int, *, joins: Iterable[float] = (), kills_an_hour: float = 0.0, seed: int = 1
) -> float:
    """Seconds until the run is over.

    joins: when others come to help; kills_an_hour: how often a worker is killed, of each. What it was at is
    put back once it is found, and another worker takes its place.
    """
    clock, draw = Clock(), random.Random(seed)
    waiting, done, ended = deque(costs_of_parts(run, draw)), 0, 0.0

    def worker() -> Steps:
        nonlocal done, ended
        death = clock.now + (draw.expovariate(kills_an_hour / 3600) if kills_an_hour else float("inf"))
        yield None, run.loading
        while done < run.parts:
            if not waiting:
                yield None, 0.2
                continue
            cost = waiting.popleft()
            if clock.now + cost > death:
                yield None, max(0.0, death - clock.now)
                clock.after(LOST_AFTER + draw.uniform(0, FOUND_EVERY), partial(waiting.append, cost))
                clock.begin(worker(), at=clock.now + STARTED_AFTER)
                return
            yield None, cost
            done += 1
            ended = clock.now

    for at in (*[0.0] * workers, *joins):
        clock.begin(worker(), at=at)
    clock.run()
    return ended + run.joining


def costs_of_parts(run: Run, draw: random.Random) -> list[float]:
    """Gamma distributed: what a part costs is a sum of many pairs, and never below 0."""
    if not run.spread:
        return [run.part + run.besides] * run.parts
    shape = 1 / run.spread**2
    return [draw.gammavariate(shape, run.part / shape) + run.besides for _ in range(run.parts)]


def corpus_run(documents: int, pair: float) -> Run:
    """Ten systems, five readers, 390 pairs a document, parts of 200,000 pairs."""
    parts = max(1, round(documents * 390 / 200_000))
    return Run(
        parts,
        part=documents * 390 * pair / parts,
        besides=0.02,
        loading=documents * LOADING,
        joining=documents * JOINING,
    )


LOADING, JOINING = 0.00015, 0.00004
"""Seconds a document: for a worker to load it from the database, and for who joins to read its scores."""
MEASURES = {"rouge-l": 0.6e-3 / 390, "chrf": 107e-6}
