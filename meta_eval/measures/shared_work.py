"""Work that several measures need alike: done once within a block whose writer knows that there are several.

Outside of such a block nothing is kept, so that one measure over a large corpus needs no memory for others.
"""

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar

Made = TypeVar("Made")

MOST_NUMBERS = 1 << 23
"""So many numbers of arrays are kept at most, of 8 bytes each; others are made anew for each measure."""


@dataclass(slots=True)
class _Kept:
    values: dict[Hashable, Any] = field(default_factory=dict)
    numbers: int = 0


_kept: ContextVar[_Kept | None] = ContextVar("work that measures share", default=None)


@contextmanager
def sharing_work() -> Iterator[None]:
    """Within the block `once` keeps what it made; blocks within it share with it.

    Examples
    --------
    >>> with sharing_work():
    ...     [once("pair", lambda: [1, 2], size=len) is once("pair", lambda: [1, 2], size=len)]
    [True]
    """
    token = _kept.set(_kept.get() or _Kept())
    try:
        yield
    finally:
        _kept.reset(token)


def once(key: Hashable, make: Callable[[], Made], *, size: Callable[[Made], int]) -> Made:
    """What `make` gives, made once for each key while work is shared; nobody may change it.

    `size` says how many numbers it holds.
    """
    kept = _kept.get()
    if kept is None:
        return make()
    if key in kept.values:
        found: Made = kept.values[key]
        return found
    made = make()
    numbers = size(made)
    if kept.numbers + numbers <= MOST_NUMBERS:
        kept.values[key] = made
        kept.numbers += numbers
    return made
