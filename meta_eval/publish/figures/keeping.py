"""Drawings that are made once: taken again within a process, and from a shelf that somebody keeps.

A drawing is known by the function that makes it, by what that is given, by the code of all figures and of how
numbers read, and by the versions of the libraries that draw: a shelf that was filled by others gives nothing,
so that what is kept is never out of date.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache, wraps
from hashlib import sha256
from pathlib import Path
from typing import ParamSpec, cast

from meta_eval.measures.base import library_versions
from meta_eval.report import numbers

P = ParamSpec("P")
Shelf = dict[str, str]
"""Drawings as SVG by a digest of what they show."""

_MOST_IN_MEMORY = 256
_LIBRARIES = ("altair", "vl-convert-python")
_shelf: ContextVar[Shelf | None] = ContextVar("shelf of drawings", default=None)


@contextmanager
def shelf_of_drawings(shelf: Shelf) -> Iterator[None]:
    """Within it, drawings are taken from the shelf, and those that it lacks are put there.

    Examples
    --------
    >>> shelf: Shelf = {}
    >>> draw = drawn_once(lambda name: f"<svg>{name}</svg>")
    >>> with shelf_of_drawings(shelf):
    ...     draw("a")
    '<svg>a</svg>'
    >>> list(shelf.values())
    ['<svg>a</svg>']
    """
    token = _shelf.set(shelf)
    try:
        yield
    finally:
        _shelf.reset(token)


def drawn_once(draw: Callable[P, str]) -> Callable[P, str]:
    """Make a drawing once for each set of (hashable) arguments; their `repr` says what they hold."""
    # lru_cache forgets what a function is called with, and its type asks for hashable arguments.
    remembered: Callable[P, str] = cast("Callable[P, str]", lru_cache(maxsize=_MOST_IN_MEMORY)(draw))

    @wraps(draw)
    def take_or_draw(*args: P.args, **kwargs: P.kwargs) -> str:
        shelf = _shelf.get()
        if shelf is None:
            return remembered(*args, **kwargs)
        key = _key(draw.__qualname__, args, kwargs)
        if key not in shelf:
            shelf[key] = remembered(*args, **kwargs)
        return shelf[key]

    return take_or_draw


def _key(name: str, args: tuple[object, ...], kwargs: dict[str, object]) -> str:
    return sha256(repr((_code(), name, args, sorted(kwargs.items()))).encode()).hexdigest()


@cache
def _code() -> str:
    """A digest of the code that draws, here and in libraries."""
    return code_digest([*sorted(Path(__file__).parent.glob("*.py")), Path(numbers.__file__)], *_LIBRARIES)


def code_digest(files: Iterable[Path], *libraries: str) -> str:
    """A digest of files and of the installed versions of libraries: what is kept is known by what made it."""
    sources = [file.read_bytes() for file in files]
    return sha256(repr((sources, library_versions(*libraries))).encode()).hexdigest()
