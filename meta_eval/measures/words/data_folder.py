"""The folder for what measures remember: jieba's cache."""

import os
import sys
from pathlib import Path

from meta_eval.errors import MeasureError


def data_folder() -> Path:
    """Where it is kept: CONCORD_DATA, else the user's cache folder of this platform."""
    if chosen := os.environ.get("CONCORD_DATA"):
        return Path(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "concord"


def cannot_write(what: str, folder: Path, error: OSError) -> MeasureError:
    """What to raise where the folder cannot be written; `what` is the sentence up to its name."""
    return MeasureError(f"{what} {folder} ({error}). Set CONCORD_DATA to a folder that can be written.")
