"""Where plug-ins are found: in a file, or in an installed distribution that names one as an entry point."""

import hashlib
import sys
from functools import cache
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
    return _load_code(str(where), code)


@cache
def _load_code(path: str, code: bytes) -> type[PluginMeasure]:
    """Once for each content of a file."""
    digest = hashlib.sha256(code).hexdigest()
    named = _named_classes(_run(path, code, f"concord_plugin_{digest[:16]}"))
    if len(named) != 1:
        raise MeasureError(
            f"Plug-in {path} has {len(named)} classes with a `name`; a plug-in is one class, with `name` and "
            "`distance(self, reference, candidate)`."
        )
    return wrap_class(named[0], Origin(path, digest, load_plugin, path))


def _named_classes(module: ModuleType) -> list[type]:
    """The classes of a module that have a name, but for those that others of them are made from."""
    named = [
        one
        for one in dict.fromkeys(value for value in vars(module).values() if isinstance(value, type))
        if one.__module__ == module.__name__ and "name" in vars(one)
    ]
    return [one for one in named if not any(one in other.__mro__[1:] for other in named)]


def _run(path: str, code: bytes, name: str) -> ModuleType:
    """A module made of exactly these bytes: what Python keeps compiled beside a file may be of other ones."""
    if not path.endswith(".py"):
        raise MeasureError(f"Plug-in {path} is no Python file: its name must end in .py.")
    module = ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module  # where dataclasses and type hints look for it
    try:
        exec(compile(code, path, "exec", dont_inherit=True), vars(module))  # noqa: S102 - what it is given for
    except (Exception, SystemExit) as error:  # a script that ends itself ends nothing else
        del sys.modules[name]
        raise MeasureError(f"Plug-in {path} cannot be loaded: {in_words(error)}.") from error
    return module
