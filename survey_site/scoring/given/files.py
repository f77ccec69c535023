"""From the files of distances that somebody chose to a checked book, with every fault named by file and line.

CSV tables with the columns `first`, `second` and `distance`; or a ZIP archive of such tables, or of the
folders with three CSV files for each system that `distances export` writes.
"""

import shutil
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO, Any

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.csv.layout import COLUMNS, SIGNATURE
from meta_eval.distances.given import read_given
from meta_eval.errors import Fault, InputError
from meta_eval.measures.given import DistanceBook
from survey_site.common.uploading import upload_limit

MOST_FILES = 2_000
LARGEST_RATIO = 2
"""An archive may unpack to so many times what a page takes; one that holds more fills the disk."""
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, OSError)

Chosen = tuple[str, IO[bytes]]
"""The name of a file, and its content."""


def read_distance_files(name: str, files: Sequence[Chosen], corpus: Corpus) -> DistanceBook:
    """The distances in the files, as a measure called `name`.

    Raises InputError with every bad row, and for what is neither a CSV table nor an archive of them.
    """
    with TemporaryDirectory() as temporary, _without(temporary):
        folder = Path(temporary)
        for file, stream in files:
            _lay_out(folder, file, stream)
        if any(folder.glob("*.csv")) and any(path.is_dir() for path in folder.iterdir()):
            message = "there are tables beside the files of systems; upload the one or the other"
            raise InputError([Fault("the files", None, message)])
        return read_given(name, folder, lambda: corpus)


def _lay_out(folder: Path, file: str, stream: IO[bytes]) -> None:
    """Put a table, or what an archive holds, where the library reads it."""
    base = PurePosixPath(file).name
    if base.lower().endswith(".zip"):
        _unpack(folder, base, stream)
    elif base.lower().endswith(".csv"):
        _copy(stream, folder / base, base)
    else:
        raise InputError([Fault(base, None, "is neither a CSV table nor a ZIP archive of them")])


def _unpack(folder: Path, name: str, stream: IO[bytes]) -> None:
    """`zipfile` unpacks no more of a member than the archive says, so what is said is what is checked."""
    try:
        with zipfile.ZipFile(stream) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            if len(members) > MOST_FILES:
                raise InputError([Fault(name, None, f"holds more than {MOST_FILES:,} files")])
            largest = LARGEST_RATIO * upload_limit()
            if sum(member.file_size for member in members) > largest:
                message = f"not read: it unpacks to more than {largest // 1_000_000} MB"
                raise InputError([Fault(name, None, message)])
            for member in members:
                if place := _place(PurePosixPath(member.filename)):
                    with archive.open(member) as content:
                        _copy(content, folder / place, f"{name}/{member.filename}")
    except _UNREADABLE as error:
        raise InputError([Fault(name, None, f"cannot be read as a ZIP archive: {error}")]) from error


def _place(path: PurePosixPath) -> Path | None:
    """Where a member of an archive goes, by its name and folder; None where it is no table."""
    if path.name.startswith(".") or "__MACOSX" in path.parts:
        return None
    if path.name == SIGNATURE:
        return Path(path.name)
    if path.name in COLUMNS and len(path.parts) > 1 and path.parts[-2] not in {"..", "/"}:
        return Path(path.parts[-2], path.name)
    return Path(path.name) if path.suffix.lower() == ".csv" else None


def _copy(content: IO[bytes], path: Path, name: str) -> None:
    if path.exists():
        raise InputError([Fault(name, None, "stands there twice; give each file a name of its own")])
    path.parent.mkdir(exist_ok=True)
    with path.open("wb") as stream:
        shutil.copyfileobj(content, stream)


@contextmanager
def _without(folder: str) -> Iterator[None]:
    """Faults name files as they were chosen, not where they lay for a moment."""
    try:
        yield
    except InputError as error:
        faults = [replace(fault, file=_shown(fault.file, folder)) for fault in error.faults]
        raise InputError(faults, more=error.more) from error


def _shown(file: Any, folder: str) -> str:
    shown = str(file).replace(folder, "").lstrip("/")
    return shown or "the files"
