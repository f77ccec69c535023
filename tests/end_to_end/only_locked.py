"""Python as `make demo` leaves it with a newcomer: nothing is found but what the lock names, so no torch."""

import sys
from importlib.metadata import packages_distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
_ALWAYS = {"pip", "setuptools", "concord-meta-eval"}
_HIDING = """
import sys
from importlib.machinery import PathFinder

HIDDEN = frozenset({hidden!r})


class Finder(PathFinder):
    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        return None if fullname.partition(".")[0] in HIDDEN else super().find_spec(fullname, path, target)


sys.meta_path[sys.meta_path.index(PathFinder)] = Finder
"""


def requirements(name: str) -> dict[str, str]:
    """The pin of each package in a file of requirements, by name in normal form, without what it includes."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    named = [Requirement(line.rstrip(" \\")) for line in lines if line[:1].isalnum()]
    return {canonicalize_name(one.name): str(one.specifier) for one in named}


def hide_others(folder: Path) -> str:
    """What to set PYTHONPATH to: a folder whose start-up file hides every other package installed here."""
    found = {*requirements("requirements-base.lock"), *_ALWAYS}
    hidden = [
        module
        for module, of in packages_distributions().items()
        if module not in sys.stdlib_module_names and not found & set(map(canonicalize_name, of))
    ]
    (folder / "sitecustomize.py").write_text(_HIDING.format(hidden=sorted(hidden)), encoding="utf-8")
    return str(folder)
