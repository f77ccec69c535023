"""WordNet 3.0, read by NLTK from the archive that comes with the package: nothing is downloaded.

The archive is unpacked once per user, into the folder named by CONCORD_DATA or the platform's cache folder.
"""

import os
import shutil
import sys
import tarfile
import tempfile
import warnings
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import nltk.data
from nltk.corpus.reader.wordnet import WordNetCorpusReader
from nltk.data import FileSystemPathPointer

from meta_eval.errors import MeasureError

ARCHIVE = "wordnet-3.0.tar.xz"
FOLDER = "wordnet-3.0"


def data_folder() -> Path:
    """Where unpacked data is kept: CONCORD_DATA, else the user's cache folder of this platform."""
    if chosen := os.environ.get("CONCORD_DATA"):
        return Path(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "concord"


def unpack_wordnet(folder: Path) -> Path:
    """Unpack the archive into `folder` unless it is there, and return its path.

    Safe when several processes do it at once: each unpacks aside, and the first to rename wins.
    """
    target = folder / FOLDER
    if target.is_dir():
        return target
    archive = files("meta_eval").joinpath("data", ARCHIVE)
    if not archive.is_file():
        raise MeasureError(
            f"Measure 'meteor' and preprocessing 'pens' need WordNet, and {archive} is missing. "
            "Reinstall the package, or build the file with meta_eval/data/build_wordnet.py."
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix=f".{FOLDER}-", dir=folder))
    except OSError as error:
        raise MeasureError(
            f"WordNet cannot be unpacked into {folder} ({error}). "
            "Set CONCORD_DATA to a folder that can be written."
        ) from error
    try:
        with as_file(archive) as path, tarfile.open(path) as packed:
            packed.extractall(aside, filter="data")
        _move_into_place(aside / FOLDER, target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return target


def _move_into_place(source: Path, target: Path) -> None:
    try:
        source.rename(target)
    except OSError:
        if not target.is_dir():  # no other process was quicker: a real failure
            raise


class _EnglishReader(WordNetCorpusReader):  # type: ignore[misc]  # NLTK has no types
    """NLTK's reader without the table to other versions of WordNet, which serves other languages only."""

    def map_wn(self, version: str = "wordnet") -> None:
        """No table."""


@cache
def load_wordnet() -> Any:
    """NLTK's reader of WordNet 3.0; about a second the first time in a process."""
    root = unpack_wordnet(data_folder()).resolve()
    if str(root) not in nltk.data.path:
        nltk.data.path.append(str(root))  # NLTK reads corpora only below its own search path
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The multilingual functions are not available")
        return _EnglishReader(FileSystemPathPointer(str(root)), None)


def lemmatise_noun(word: str) -> str:
    """The shortest noun lemma of `word` in WordNet, else `word`: NLTK's WordNetLemmatizer by default."""
    lemmas: list[str] = load_wordnet()._morphy(word, "n")
    return min(lemmas, key=len) if lemmas else word
