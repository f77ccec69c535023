"""From the files of distances that somebody chose to a checked book, with every fault named by file and line.

CSV tables with the columns `first`, `second` and `distance`; or a ZIP archive of such tables, or of the
folders with three CSV files for each system that `distances export` writes.
"""

from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import IO

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.csv.layout import COLUMNS, SIGNATURE
from meta_eval.distances.given import read_given
from meta_eval.errors import Fault, InputError
from meta_eval.measures.given import DistanceBook
from survey_site.common.archives import Chosen, copy, temporary_folder, unpack


def read_distance_files(name: str, files: Sequence[Chosen], corpus: Corpus) -> DistanceBook:
    """The distances in the files, as a measure called `name`.

    Raises InputError with every bad row, and for what is neither a CSV table nor an archive of them.
    """
    with temporary_folder() as folder:
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
        unpack(base, stream, folder, _place)
    elif base.lower().endswith(".csv"):
        copy(stream, folder / base, base)
    else:
        raise InputError([Fault(base, None, "is neither a CSV table nor a ZIP archive of them")])


def _place(path: PurePosixPath) -> Path | None:
    """Where a member of an archive goes, by its name and folder; None where it is no table."""
    if path.name == SIGNATURE:
        return Path(path.name)
    if path.name in COLUMNS and len(path.parts) > 1 and path.parts[-2] not in {"..", "/"}:
        return Path(path.parts[-2], path.name)
    return Path(path.name) if path.suffix.lower() == ".csv" else None
