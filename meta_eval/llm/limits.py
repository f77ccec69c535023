"""How much may be asked: requests, tokens, cost and pace; and what a run is expected to take."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from meta_eval.errors import MetaEvalError


class StoppedError(MetaEvalError):
    """A run that ended early on purpose: what was answered is kept, and the same call goes on from there."""


class LimitError(StoppedError):
    """A limit on requests, tokens or cost is reached, or would be."""


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens cost, in any currency; none is built in, since it would be out of date."""

    prompt: float = 0.0
    completion: float = 0.0

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """The cost of so many tokens."""
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """The most `requests`, `tokens` (prompts and replies) and `cost` of a run, and requests `per_minute`."""

    requests: int | None = None
    tokens: int | None = None
    cost: float | None = None
    per_minute: float | None = None


NO_LIMITS, FREE = Limits(), Price()


@dataclass(frozen=True, slots=True)
class Estimate:
    """What questions will take: `requests` in all, `new` ones that nobody kept, and their tokens.

    `counting` says how `prompt_tokens` were counted. `most_completion_tokens` is the limit of every reply
    added up; repair turns come on top. `cost` is the most, None where no price is known.
    """

    requests: int
    new: int
    prompt_tokens: int
    counting: str
    most_completion_tokens: int
    cost: float | None = None

    @property
    def most_tokens(self) -> int:
        return self.prompt_tokens + self.most_completion_tokens


@dataclass(frozen=True, slots=True)
class Usage:
    """What a run has taken: requests that were sent, retries and failed ones too, and their tokens."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def cost(self, price: Price) -> float:
        """What the tokens cost."""
        return price.of(self.prompt_tokens, self.completion_tokens)

    def plus(self, prompt_tokens: int, completion_tokens: int) -> "Usage":
        """With one more request."""
        return Usage(
            self.requests + 1,
            self.prompt_tokens + prompt_tokens,
            self.completion_tokens + completion_tokens,
        )


class Budget:
    """Keeps asking within its limits, whichever thread asks, and over all runs that are given the same one.

    `usage` is all that was sent: it begins with what was `used` before. `clock` and `sleep` are for the pace.
    """

    def __init__(
        self,
        limits: Limits = NO_LIMITS,
        price: Price = FREE,
        *,
        used: Usage | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.usage = used or Usage()
        self.price = price
        self._limits = limits
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._pending = Usage()
        self._next = clock()

    def require_room(self, expected: Estimate) -> None:
        """Raises `LimitError` where what comes next could exceed a limit, before any of it is sent."""
        more = Usage(expected.new, expected.prompt_tokens, expected.most_completion_tokens)
        for name, used, may_take, most in self._measured(self.usage, more):
            if most is not None and may_take and used + may_take > most:
                raise LimitError(_no_room(name, used, may_take, most))

    def reserve(self, prompt_tokens: int, completion_tokens: int) -> None:
        """Take a request's most tokens out of what is left, and wait for its turn.

        Raises `LimitError` where not so much is left.
        """
        with self._lock:
            pending = self._pending.plus(prompt_tokens, completion_tokens)
            self._require(pending)
            self._pending = pending
            wait = self._turn()
        if wait > 0:
            self._sleep(wait)

    def settle(self, reserved: tuple[int, int], used: tuple[int, int]) -> None:
        """Replace what was reserved by what was used."""
        with self._lock:
            self._pending = Usage(
                self._pending.requests - 1,
                self._pending.prompt_tokens - reserved[0],
                self._pending.completion_tokens - reserved[1],
            )
            self.usage = self.usage.plus(*used)

    def _require(self, pending: Usage) -> None:
        for name, used, reserved, most in self._measured(self.usage, pending):
            if most is not None and used + reserved > most:
                raise LimitError(
                    f"The limit of {most:,} ({name}) is reached after {self.usage.requests:,} requests. What "
                    "was answered is kept where a store is named: raise the limit and call again to go on."
                )

    def _measured(self, first: Usage, second: Usage) -> list[tuple[str, float, float, float | None]]:
        """Each limit: its name, how much of it two usages take, and the most."""
        limits, price = self._limits, self.price
        return [
            ("requests", first.requests, second.requests, limits.requests),
            ("tokens", first.tokens, second.tokens, limits.tokens),
            ("cost", first.cost(price), second.cost(price), limits.cost),
        ]

    def _turn(self) -> float:
        """Seconds until this request may be sent: requests are spaced evenly."""
        if self._limits.per_minute is None:
            return 0.0
        now = self._clock()
        turn = max(now, self._next)
        self._next = turn + 60 / self._limits.per_minute
        return turn - now


def _no_room(name: str, used: float, may_take: float, most: float) -> str:
    """What is said where questions could exceed a limit: of the first ones, and of later ones."""
    used, may_take = round(used, 6), round(may_take, 6)
    if not used:
        return (
            f"This may take {may_take:,} ({name}), above the limit of {most:,}. Nothing was sent: "
            "ask about fewer documents, or raise the limit."
        )
    return (
        f"{used:,} ({name}) are used, and what comes next may take {may_take:,} more: together that is above "
        f"the limit of {most:,}. None of that was sent. What was answered is kept where a store is named: "
        "raise the limit and call again to go on."
    )


class Sends:
    """The sends of one request: each counts and waits for its turn, a retry like the first."""

    def __init__(self, budget: Budget, prompt_tokens: int, most_completion_tokens: int) -> None:
        self._budget = budget
        self._most = prompt_tokens, most_completion_tokens
        self._open = False

    def begin(self) -> None:
        """Before each send; raises `LimitError` where a limit does not let it."""
        self._budget.reserve(*self._most)
        self._open = True

    def refused(self) -> None:
        """The server turned it away, and took no tokens."""
        self.end((0, 0))

    def lost(self) -> None:
        """No reply came of it; the server may have written, and billed, as much as was asked for."""
        self.end(self._most)

    def end(self, used: tuple[int, int]) -> None:
        """It took so many tokens; without a send that began nothing is counted."""
        if self._open:
            self._open = False
            self._budget.settle(self._most, used)
