"""Uploaded files laid out in a temporary folder for the library; archives unpacked within bounds."""

import lzma
import shutil
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO, Any

from meta_eval.errors import Fault, InputError
from survey_site.common.uploading import upload_limit

MOST_FILES = 2_000
LARGEST_RATIO = 2
"""The archives of one upload may unpack to so many times what a page takes; more fills the disk."""
_UNREADABLE = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, NotImplementedError, OSError,
    UnicodeDecodeError,
)  # fmt: skip

Chosen = tuple[str, IO[bytes]]
"""The name of a file, and its content."""
Place = Callable[[PurePosixPath], Path | None]
"""Where a member of an archive goes, by its name and folder; None where it is left out."""


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder for the files of an upload; faults name files as they were chosen, not where they lay."""
    with TemporaryDirectory() as temporary:
        try:
            yield Path(temporary)
        except InputError as error:
            faults = [replace(fault, file=_shown(fault.file, temporary)) for fault in error.faults]
            raise InputError(faults, more=error.more) from error


def unpack(name: str, stream: IO[bytes], folder: Path, place: Place) -> None:
    """Lay out what an archive holds. InputError for one that is none, or that holds too much.

    `zipfile` unpacks no more of a member than the archive says, so what is said is what is checked.
    """
    try:
        with zipfile.ZipFile(stream) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            if len(members) > MOST_FILES:
                raise InputError([Fault(name, None, f"holds more than {MOST_FILES:,} files")])
            largest = LARGEST_RATIO * upload_limit()
            if _laid_out(folder) + sum(member.file_size for member in members) > largest:
                message = f"not read: it unpacks to more than {largest // 1_000_000} MB"
                raise InputError([Fault(name, None, message)])
            for member in members:
                if not _of_a_system(path := PurePosixPath(member.filename)) and (to := place(path)):
                    with archive.open(member) as content:
                        copy(content, folder / to, f"{name}/{member.filename}")
    except _UNREADABLE as error:
        raise InputError([Fault(name, None, f"cannot be read as a ZIP archive: {error}")]) from error


def copy(content: IO[bytes], path: Path, name: str) -> None:
    """One file to its place; InputError, which says `name`, where another one has it."""
    if path.exists():
        raise InputError([Fault(name, None, "stands there twice; give each file a name of its own")])
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as stream:
        shutil.copyfileobj(content, stream)


def _laid_out(folder: Path) -> int:
    """Bytes that the files of this upload, unpacked before, take already."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _of_a_system(path: PurePosixPath) -> bool:
    """Whether it is hidden, or one of those that macOS adds."""
    return path.name.startswith(".") or "__MACOSX" in path.parts


def _shown(file: Any, folder: str) -> str:
    shown = str(file).replace(folder, "").lstrip("/")
    return shown or "the files"
