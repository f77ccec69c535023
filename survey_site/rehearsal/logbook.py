"""What the scripts remember: every request, and every answer with when it was sent and acknowledged.

Times are seconds of the monotonic clock, so "before" is the same for all threads.
"""

import math
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock

from django.utils import timezone


@dataclass
class Write:
    """One value sent for one item. ended: when the answer came, or the script gave up waiting for one."""

    value: int
    sent: float
    ended: float = math.inf
    acknowledged: bool = False

    def precedes(self, other: "Write") -> bool:
        """It was over before the other began; two that overlap may take effect in either order."""
        return self.ended < other.sent


@dataclass(frozen=True)
class Exchange:
    """One request. status: None without an answer; expected: an answer that the script can go on with."""

    rater: int
    action: str
    started: float
    ended: float
    status: int | None
    expected: bool

    @property
    def seconds(self) -> float:
        return self.ended - self.started


@dataclass(frozen=True)
class Return:
    """What a rater who came back found on the page of one claim: item code -> value shown."""

    rater: int
    claim: str
    values: Mapping[str, int | None]


@dataclass
class Logbook:
    """Shared by all threads. Keys of claims and items are the codes that the site gave them."""

    labels: dict[int, str] = field(default_factory=dict)
    writes: dict[tuple[str, str], list[Write]] = field(default_factory=lambda: defaultdict(list))
    claims: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    submitted: dict[str, datetime] = field(default_factory=dict)
    exchanges: list[Exchange] = field(default_factory=list)
    returns: list[Return] = field(default_factory=list)
    failures: list[tuple[int, str]] = field(default_factory=list)
    downtimes: list[tuple[float, float]] = field(default_factory=list)
    events: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    _lock: Lock = field(default_factory=Lock)

    @contextmanager
    def writing(self, claim: str, answers: Mapping[str, int]) -> Iterator[None]:
        """Remember the answers as sent; as acknowledged too if the block ends without an exception."""
        begun = [Write(value, time.monotonic()) for value in answers.values()]
        with self._lock:
            for item, write in zip(answers, begun, strict=True):
                self.writes[claim, item].append(write)
        acknowledged = False
        try:
            yield
            acknowledged = True
        finally:
            ended = time.monotonic()
            for write in begun:
                write.acknowledged, write.ended = acknowledged, ended

    def add_claim(self, rater: int, claim: str) -> None:
        with self._lock:
            self.claims[claim].add(rater)

    def add_submission(self, claim: str) -> None:
        """The site said that the questionnaire is complete; the first time counts."""
        with self._lock:
            self.submitted.setdefault(claim, timezone.now())

    def count(self, event: str) -> None:
        with self._lock:
            self.events[event] += 1

    def claims_of(self, rater: int) -> list[str]:
        return [claim for claim, raters in list(self.claims.items()) if rater in raters]

    def was_down(self, exchange: Exchange) -> bool:
        """The server was down, or went down, while this request was under way."""
        return any(start <= exchange.ended and exchange.started <= end for start, end in self.downtimes)
