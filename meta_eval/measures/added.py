"""Measures that somebody brought: what is installed beside this package, and what a block of work adds.

An installed one is an entry point of the group `concord.measures`, or a file that `install_files` was given
when the process began. What `adding` adds holds within its block alone, so that two pieces of work may use
one name for different distances.
"""

import hashlib
import inspect
import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from meta_eval.errors import MeasureError
from meta_eval.measures.base import Measure
from meta_eval.measures.built_in import BUILT_IN
from meta_eval.measures.finding_plugins import load_plugin
from meta_eval.measures.plugins import Origin, PluginMeasure, in_words, wrap_class

GROUP = "concord.measures"
"""The group of entry points in which a distribution names its measures."""


@dataclass(frozen=True, slots=True)
class RefusedFile:
    """A file whose plug-in is not there, and why, as a sentence."""

    path: Path
    reason: str


log = logging.getLogger(__name__)
_INSTALLED: dict[str, type[Measure]] = {}
_REFUSED: list[RefusedFile] = []
_ADDED: ContextVar[Mapping[str, type[Measure]] | None] = ContextVar("added measures", default=None)


@contextmanager
def adding(measures: Iterable[type[Measure]], *, instead: bool = False) -> Iterator[None]:
    """Within the block these measures are there, under their own ids.

    With `instead` they stand in place of others that were brought under the same ids.

    Raises
    ------
    MeasureError
        For a name that another measure has.
    """
    there = _ADDED.get() or {}
    token = _ADDED.set({**there, **_with_more({}, measures)} if instead else _with_more(there, measures))
    try:
        yield
    finally:
        _ADDED.reset(token)


def install_files(paths: Iterable[Path]) -> tuple[RefusedFile, ...]:
    """The plug-ins of these files are there for the whole process; of two lists the last one counts.

    A file that cannot be used is passed over, so that it keeps nothing else from working.

    Returns
    -------
    tuple of RefusedFile
        The files that were passed over; `refused_files` gives them again.
    """
    found: dict[str, type[Measure]] = {}
    refused = []
    for path in paths:
        try:
            found = _with_more(found, [load_plugin(path)])
        except Exception as error:  # it is code of other people's
            refused.append(RefusedFile(path, _why_refused(path, error)))
    _INSTALLED.clear()
    _INSTALLED.update(found)
    _REFUSED[:] = refused
    return tuple(refused)


def _why_refused(path: Path, error: Exception) -> str:
    why = str(error) if isinstance(error, MeasureError) else f"{in_words(error)}."
    return why if str(path) in why else f"Plug-in {path} cannot be used: {why}"


def refused_files() -> tuple[RefusedFile, ...]:
    """The files that `install_files` passed over."""
    return tuple(_REFUSED)


def _with_more(there: Mapping[str, type[Measure]], more: Iterable[type[Measure]]) -> dict[str, type[Measure]]:
    found = dict(there)
    for measure in more:
        name = measure.info.id
        if name in BUILT_IN:
            raise MeasureError(f"{name!r} is the name of a measure of this package; choose another name.")
        if name in found:
            raise MeasureError(f"Two measures have the name {name!r}; choose another name for one of them.")
        found[name] = measure
    return found


@cache
def _entry_points() -> Mapping[str, EntryPoint]:
    found = {entry.name: entry for entry in entry_points(group=GROUP)}
    for name in sorted(found.keys() & BUILT_IN.keys()):
        log.warning("An entry point is called %s, as a measure of this package is; it is passed over.", name)
        del found[name]
    return found


def added_ids() -> tuple[str, ...]:
    """Their ids: of installed distributions, of installed files, of this piece of work."""
    return tuple(dict.fromkeys([*_entry_points(), *_INSTALLED, *(_ADDED.get() or {})]))


def added_class(measure_id: str) -> type[Measure] | None:
    """The class of one, None where there is none; MeasureError where an installed one cannot be loaded."""
    for known in (_ADDED.get() or {}, _INSTALLED):
        if measure_id in known:
            return known[measure_id]
    entry = _entry_points().get(measure_id)
    return _wrap_entry_point(entry) if entry else None


@cache
def _wrap_entry_point(entry: EntryPoint) -> type[PluginMeasure]:
    """The measure that an installed distribution names; MeasureError where it cannot be used."""
    try:
        found = entry.load()
        file = inspect.getsourcefile(found)
        digest = hashlib.sha256(Path(file or "").read_bytes()).hexdigest()
        versions = {entry.dist.name: entry.dist.version} if entry.dist else {}
        made = wrap_class(found, Origin(entry.value, digest, _find_entry_point, entry.name, versions))
    except MeasureError:
        raise
    except (Exception, SystemExit) as error:  # it is code of other people's
        raise MeasureError(
            f"Plug-in {entry.name!r} ({entry.value}) cannot be loaded: {in_words(error)}."
        ) from error
    if made.info.id != entry.name:
        raise MeasureError(
            f"Plug-in {entry.value} has the name {made.info.id!r} and its entry point {entry.name!r}; give "
            "both the same."
        )
    return made


def _find_entry_point(name: str) -> type[PluginMeasure]:
    return added_class(name)  # type: ignore[return-value]  # what this name was in the first process
