"""Where plug-ins are found: in a file, or in an installed distribution that names one as an entry point."""

import hashlib
import inspect
import sys
from functools import cache
from importlib.metadata import EntryPoint
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from meta_eval.errors import MeasureError
from meta_eval.measures.plugins import Origin, PluginMeasure, in_words, wrap_class


def load_plugin(path: Path | str) -> type[PluginMeasure]:
    """The measure of a file.

    Parameters
    ----------
    path : path
        A Python file with one class of a measure in it. Its code is run.

    Returns
    -------
    subclass of Measure

    Raises
    ------
    MeasureError
        Where the file cannot be read or run, or holds no such class, or more than one.
    """
    where = Path(path).resolve()
    try:
        code = where.read_bytes()
    except OSError as error:
        raise MeasureError(f"Plug-in {path} cannot be read: {error.strerror}.") from error
    return _load_code(str(where), hashlib.sha256(code).hexdigest())


@cache
def _load_code(path: str, digest: str) -> type[PluginMeasure]:
    """Once for each content of a file."""
    module = _run(path, f"concord_plugin_{digest[:16]}")
    named = [
        one
        for one in vars(module).values()
        if isinstance(one, type) and one.__module__ == module.__name__ and "name" in vars(one)
    ]
    if len(named) != 1:
        raise MeasureError(
            f"Plug-in {path} has {len(named)} classes with a `name`; a plug-in is one class, with `name` and "
            "`distance(self, reference, candidate)`."
        )
    return wrap_class(named[0], Origin(path, digest, load_plugin, path))


def _run(path: str, name: str) -> ModuleType:
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise MeasureError(f"Plug-in {path} is no Python file: its name must end in .py.")
    module = module_from_spec(spec)
    sys.modules[name] = module  # where dataclasses and type hints look for it
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise MeasureError(f"Plug-in {path} cannot be loaded: {in_words(error)}.") from error
    return module


@cache
def wrap_entry_point(entry: EntryPoint) -> type[PluginMeasure]:
    """The measure that an installed distribution names; MeasureError where it cannot be used."""
    try:
        found = entry.load()
        file = inspect.getsourcefile(found)
        digest = hashlib.sha256(Path(file or "").read_bytes()).hexdigest()
    except Exception as error:
        raise MeasureError(
            f"Plug-in {entry.name!r} ({entry.value}) cannot be loaded: {in_words(error)}."
        ) from error
    versions = {entry.dist.name: entry.dist.version} if entry.dist else {}
    made = wrap_class(found, Origin(entry.value, digest, _find_entry_point, entry.name, versions))
    if made.info.id != entry.name:
        raise MeasureError(
            f"Plug-in {entry.value} has the name {made.info.id!r} and its entry point {entry.name!r}; give "
            "both the same."
        )
    return made


def _find_entry_point(name: str) -> type[PluginMeasure]:
    from meta_eval.measures.registry import measure_class

    return measure_class(name)  # type: ignore[return-value]  # what this name was in the first process
