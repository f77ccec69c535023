"""Static files of a site that `manage.py serve` runs: collected into the data folder without being asked to.

Browsers are then sent hashed names, compressed, to be kept for good, and an upgrade needs no step more.
"""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings
from django.contrib.staticfiles.apps import StaticFilesConfig
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.management.commands import collectstatic
from django.core.management import call_command

from survey_site.common import stylesheet

_LOCK = "lock"
_COLLECTORS = ("django", "whitenoise")
"""Packages on which it depends what becomes of the sources."""


def collected_files() -> Mapping[str, str]:
    """Variables with which a web server serves collected files; they are collected if they are not there yet.

    None with DEBUG, when files change while they are served, nor where the settings name collected files.
    """
    if settings.DEBUG or settings.STATIC_ROOT:
        return {}
    folder = collect_into(Path(settings.CONCORD_DATA_DIR) / "static" / "collected")
    return {"CONCORD_COLLECTED_STATIC": "true", "CONCORD_STATIC_DIR": str(folder)}


def collect_into(folder: Path) -> Path:
    """The subfolder of `folder` with the collected files. It is called after their content and never changed.

    So a site that runs keeps its files while a later version starts. Of those that start at once, the first
    collects and the others wait for it. What is neither of this version nor of the one before it is removed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _LOCK).open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        wanted = folder / _digest()
        if not wanted.exists():
            _remove_all_but_newest(folder)
            _collect(wanted)
        os.utime(wanted)  # the newest is the one that was served last, also after going back a version
        return wanted


def _collect(wanted: Path) -> None:
    with TemporaryDirectory(dir=wanted.parent, prefix=".") as new:
        call_command(_Collect(Path(new) / "files"), interactive=False, verbosity=0)
        os.sync()  # else a power cut could leave the name, with empty files
        os.rename(Path(new) / "files", wanted)


class _Collect(collectstatic.Command):
    """`manage.py collectstatic` to a folder that the settings of this process do not name."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.storage = stylesheet.SiteFilesStorage(location=folder)


def _digest() -> str:
    """What their folder is called after: all sources, and what makes them into the files that are sent."""
    seen = hashlib.sha256(repr([version(name) for name in _COLLECTORS]).encode())
    seen.update(Path(stylesheet.__file__).read_bytes())
    for finder in get_finders():
        for name, storage in finder.list(StaticFilesConfig.ignore_patterns):
            with storage.open(name) as file:
                content = hashlib.sha256(file.read()).hexdigest()
            seen.update(f"{name}\n{content}\n".encode())
    return seen.hexdigest()[:16]


def _remove_all_but_newest(folder: Path) -> None:
    """Keep the last version. What is unfinished while we have the lock is of a process that was killed."""
    made = [one for one in folder.iterdir() if one.is_dir() and not one.name.startswith(".")]
    newest = max(made, key=lambda one: one.stat().st_mtime, default=None)
    for one in folder.iterdir():
        if one.is_dir() and one != newest:
            shutil.rmtree(one, ignore_errors=True)
