"""From the files that somebody chose to checked results, with every fault named; and how they are kept.

Results are the folder that `users score` writes, as a ZIP archive or as its files. Beside them may stand
people's labels, a CSV table, and trails of how summaries came about, JSONL files of `users summarise`.
"""

import hashlib
import io
import shutil
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import IO

from meta_eval.errors import Fault, InputError
from meta_eval.publish.users_report import REPORT_FILES, Findings, find, report_html
from meta_eval.studies.users.agreement import read_labels
from meta_eval.studies.users.checking import Most, require_sound
from meta_eval.studies.users.results import PREDICTIONS, QUALITY, RUN, SCORES, read_results
from survey_site.common.archives import Chosen, copy, temporary_folder, unpack
from survey_site.common.digest import digest
from survey_site.studies.page import page_of

RESULTS = (RUN, SCORES, QUALITY, PREDICTIONS)
LABELS = "labels.csv"
MOST_TRAILS = 20
PAGE = Most(10_000, 20_000, "`manage.py import_study` takes more")
"""What an upload in a browser may hold: some twenty seconds, in which somebody waits."""
COMMAND = Most(50_000, 200_000, "`users report` makes the report of more")
LARGEST_JSON = 1_000_000
"""Bytes of run.json and of scores.json: read whole, a file takes many times its size in memory."""
_EPOCH = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, kw_only=True)
class StudyFiles:
    """What somebody chose: results, and what may stand beside them."""

    results: Sequence[Chosen]
    labels: Chosen | None = None
    trails: Sequence[Chosen] = ()

    @property
    def source(self) -> str:
        """The names of what was chosen."""
        chosen = [*self.results, *([self.labels] if self.labels else []), *self.trails]
        return ", ".join(name for name, _ in chosen)


@dataclass(frozen=True, kw_only=True)
class ReadStudy:
    """The files: under which names they are kept, all of them packed, and what a report finds in them."""

    names: Sequence[str]
    content_hash: str
    packed: bytes
    findings: Findings


def read_study_files(chosen: StudyFiles, most: Most) -> ReadStudy:
    """Checked results, at most so many; scores must follow from predictions. InputError with every fault."""
    if len(chosen.trails) > MOST_TRAILS:
        raise InputError([Fault("the trails", None, f"are more than {MOST_TRAILS} files")])
    with temporary_folder() as folder:
        for name, stream in chosen.results:
            _lay_out(folder, PurePosixPath(name).name, stream)
        _require_all(folder)
        results = read_results(folder)
        require_sound(results, folder, most)
        trails = [folder / f"trail-{number}.jsonl" for number, _ in enumerate(chosen.trails, start=1)]
        for path, (name, stream) in zip(trails, chosen.trails, strict=True):
            copy(stream, path, name)
        labels = None
        if chosen.labels:
            copy(chosen.labels[1], folder / LABELS, chosen.labels[0])
            labels = read_labels(folder / LABELS, name=chosen.labels[0])
        with _as_chosen({str(path): name for path, (name, _) in zip(trails, chosen.trails, strict=True)}):
            findings = find(results, labels=labels, trails=trails)
        _require_drawn(findings)
        paths = sorted(folder.iterdir())
        return ReadStudy(
            names=[path.name for path in paths],
            content_hash=digest({path.name: _hash(path) for path in paths}),
            packed=_pack(paths),
            findings=findings,
        )


@contextmanager
def files_in(name: str, stream: IO[bytes]) -> Iterator[StudyFiles]:
    """What one archive holds: results, and beside them labels.csv and files trail*.jsonl, as in the folder.

    Raises InputError for what is no archive, and for any other file.
    """
    with temporary_folder() as folder, ExitStack() as opened:
        unpack(name, stream, folder, lambda path: _place_any(name, path))
        streams = {path.name: opened.enter_context(path.open("rb")) for path in sorted(folder.iterdir())}
        labels = streams.pop(LABELS, None)
        trails = [(one, streams.pop(one)) for one in list(streams) if one not in RESULTS]
        results = list(streams.items())
        yield StudyFiles(results=results, labels=(LABELS, labels) if labels else None, trails=trails)


def _place_any(archive: str, path: PurePosixPath) -> Path | None:
    is_beside = path.name == LABELS or path.match("trail*.jsonl")
    return Path(path.name) if is_beside else _place(archive, path)


@contextmanager
def _as_chosen(names: Mapping[str, str]) -> Iterator[None]:
    """Faults name files as they were chosen, not as they are kept."""
    try:
        yield
    except InputError as error:
        faults = [replace(one, file=names.get(str(one.file), one.file)) for one in error.faults]
        raise InputError(faults, more=error.more) from error


def _require_drawn(findings: Findings) -> None:
    """What cannot be drawn now could never be: refused here, it is no page that fails for good."""
    try:
        page_of(findings)
        report_html(findings, "")
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        message = f"give no report ({type(error).__name__}: {error}); write them with `users score` again"
        raise InputError([Fault("the results", None, message)]) from error


def _lay_out(folder: Path, name: str, stream: IO[bytes]) -> None:
    if name.lower().endswith(".zip"):
        unpack(name, stream, folder, lambda path: _place(name, path))
    elif name in RESULTS:
        copy(stream, folder / name, name)
    else:
        raise InputError([Fault(name, None, _NOT_WANTED)])


def _place(archive: str, path: PurePosixPath) -> Path | None:
    if path.name in REPORT_FILES:
        return None
    if path.name not in RESULTS:
        raise InputError([Fault(f"{archive}/{path}", None, _NOT_WANTED)])
    return Path(path.name)


_NOT_WANTED = f"is no file of `users score`, which are {', '.join(RESULTS)}"


def _require_all(folder: Path) -> None:
    lacking = [name for name in (RUN, SCORES, QUALITY) if not (folder / name).exists()]
    if lacking:
        message = f"lack {', '.join(lacking)}; upload the whole folder that `users score` wrote"
        raise InputError([Fault("the results", None, message)])
    large = [name for name in (RUN, SCORES) if (folder / name).stat().st_size > LARGEST_JSON]
    if large:
        message = f"is larger than {LARGEST_JSON // 1_000_000} MB, which no run of `users score` writes"
        raise InputError([Fault(name, None, message) for name in large])


def _hash(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _pack(paths: Sequence[Path]) -> bytes:
    """An archive of the files; the same files give the same bytes. None of them is held whole."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in paths:
            member = zipfile.ZipInfo(path.name, date_time=_EPOCH)
            member.compress_type, member.file_size = zipfile.ZIP_DEFLATED, path.stat().st_size
            with path.open("rb") as content, archive.open(member, "w") as packed:
                shutil.copyfileobj(content, packed)
    return stream.getvalue()


def kept_file(packed: bytes, name: str) -> bytes:
    """One of the files, as it was uploaded."""
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        return archive.read(name)


def repacked(packed: bytes, changed: Mapping[str, bytes]) -> bytes:
    """The archive with other contents for some of its files. None of the others is held whole."""
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(packed)) as archive,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as written,
    ):
        for member in archive.infolist():
            other = changed.get(member.filename)
            copied = zipfile.ZipInfo(member.filename, date_time=_EPOCH)
            copied.compress_type = zipfile.ZIP_DEFLATED
            copied.file_size = member.file_size if other is None else len(other)
            content = archive.open(member.filename) if other is None else io.BytesIO(other)
            with content, written.open(copied, "w") as target:
                shutil.copyfileobj(content, target)
    return stream.getvalue()
