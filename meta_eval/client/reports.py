"""Reports of a site: asked for, waited for, read as frames, saved as files."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fnmatch import fnmatch
from http import HTTPStatus
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Unpack

import msgspec

from meta_eval.client.batches import Batch, BatchRow
from meta_eval.client.bodies import PIECE
from meta_eval.client.corpora import Archive
from meta_eval.client.frames import csv_frame
from meta_eval.client.keeping import Keepable, Kind
from meta_eval.client.problems import ClientError, NotFoundError
from meta_eval.client.projects import Project
from meta_eval.client.records import Bound, JobState, Part, ReportFile, asked, bound, number_of
from meta_eval.client.sending import Call, Site, decoded, names_of
from meta_eval.client.waiting import Told, wait_for
from meta_eval.client.wishes import ReportFields

if TYPE_CHECKING:
    from pandas import DataFrame

BUNDLE, TABLES = "bundle.zip", "tables/"
ANY = {"Accept": "*/*"}


@dataclass(frozen=True, kw_only=True)
class ReportRow(Keepable):
    """A report as lists show it; `answer` is empty while there is none."""

    kind_of_thing: ClassVar[Kind] = "report"

    id: int
    batch: int
    batch_name: str
    state: JobState
    answer: str
    error: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    archived_at: datetime | None

    def read(self) -> "Report":
        """How far it is now, and what can be taken from it."""
        return Reports(self._site).get(self.id)


@dataclass(frozen=True, kw_only=True)
class Report(ReportRow):
    """One report, as it was when it was read."""

    options: dict[str, Any]
    parts: list[Part]
    inference_percent: int
    failures: list[str]

    @property
    def percent(self) -> int:
        """How far it is, from 0 to 100: its scores and its statistics count alike."""
        shares = [*(part.percent for part in self.parts), self.inference_percent]
        return 100 if self.state == "done" else sum(shares) // len(shares)

    def wait(self, *, timeout: float = 3600, progress: "Told[Report]" = False) -> "Report":
        """The report once it is done. timeout: in seconds; progress: True, or what is called with each look.

        Raises JobFailedError where it fails, StillRunningError when the time is over.
        """
        sleep = self._site.sleep
        return wait_for(self, self.read, timeout=timeout, progress=progress, sleep=sleep, name="Report")

    def retry(self) -> "Report":
        """Compute again what failed; any other report stays as it is."""
        return asked(self._site, Report, self._call("retry_report"))

    def files(self) -> list[ReportFile]:
        """The files that reports give; this one may have nothing for some of them."""
        return self._site.read(list[ReportFile], self._call("list_report_files"))

    def file(self, address: str, **choice: str) -> bytes:
        """One file, as in `files()`. choice: `score`, `measure`, `surrogate`, as on the report's page.

        Raises NotFoundError where the report has nothing for it.
        """
        return self._site.ask(self._file_call(address, choice)).content

    def table(self, name: str) -> "DataFrame":
        """A table (docs/exports.md), such as "leaderboard" or "correlations".

        Raises NotFoundError where the report has no such table, or no rows for it.
        """
        whole = name in {"leaderboard", "correlations"}
        return csv_frame(self.file(f"{name}.csv" if whole else f"{TABLES}{name}.csv"))

    def save(self, folder: str | Path, *, only: str | Sequence[str] = "*") -> list[Path]:
        """The files of the report that hold something, in a folder, each whole or not at all.

        only: which, by address: `["report.json", "tables/*.csv"]`. The sealed bundle comes by `bundle`.
        """
        wanted = names_of(only)
        addresses = [one.address for one in self.files() if one.address != BUNDLE]
        chosen = [one for one in addresses if any(fnmatch(one, pattern) for pattern in wanted)]
        return [path for one in chosen if (path := self._saved(one, Path(folder))) is not None]

    def bundle(self, path: str | Path, *, texts: bool = True, timeout: float = 3600) -> Path:
        """The sealed bundle as a file, which `meta_eval.verify_bundle` computes again.

        texts: whether texts are in it, or hashes in their place. It needs the scopes `ratings` and `read`.
        timeout: in seconds; of a large report a worker makes it first. Raises ConflictError where it could
        not, StillRunningError when the time is over.
        """
        job = _Bundle(self, Path(path), texts).read()
        sleep = self._site.sleep
        wait_for(job, job.read, timeout=timeout, progress=False, sleep=sleep, name="Bundle of report")
        return job.path

    def _saved(self, address: str, folder: Path) -> Path | None:
        path = folder / inside(address)
        try:
            self._written(self._file_call(address, {}), path)
        except NotFoundError:
            return None
        return path

    def _written(self, call: Call, path: Path) -> bytes:
        """Write the file; where a worker has still to make it, none is written, and what the site says of it
        comes back."""
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.part")

        def write(response: Any) -> bytes:
            if response.status_code == HTTPStatus.ACCEPTED:
                return bytes(response.read())
            with part.open("wb") as file:
                for piece in response.iter_bytes(PIECE):
                    file.write(piece)
            return b""

        try:
            if not (told := self._site.take(call, write)):
                os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)
        return told

    def _file_call(self, address: str, choice: Mapping[str, str]) -> Call:
        at = {"id": self.id, "address": address}
        return Call(operation="read_report_file", at=at, query=choice, headers=ANY)

    def _call(self, operation: str, **more: Any) -> Call:
        return Call(operation=operation, at={"id": self.id}, **more)


@dataclass(frozen=True)
class _Bundle:
    """A sealed bundle as what is waited for: each look asks for the file, and the last one writes it."""

    report: Report
    path: Path
    texts: bool
    state: JobState = "queued"
    error: str = ""

    @property
    def id(self) -> int:
        return self.report.id

    @property
    def percent(self) -> int:
        return 100 if self.state == "done" else 0

    def read(self) -> "_Bundle":
        query = {} if self.texts else {"texts": "hashes"}
        told = self.report._written(
            self.report._call("read_report_bundle", query=query, headers=ANY), self.path
        )
        if not told:
            return replace(self, state="done")
        found = decoded(_Told, told)
        return replace(self, state=found.state, error=found.error)


class _Told(msgspec.Struct):
    """What a site says of a bundle that a worker makes."""

    state: JobState
    error: str = ""


def inside(address: str) -> PurePosixPath:
    """The address as a path below a folder. Raises ClientError for one that leads out of it.

    Examples
    --------
    >>> str(inside("tables/leaderboard.csv"))
    'tables/leaderboard.csv'
    """
    path = PurePosixPath(address)
    if path.is_absolute() or ".." in path.parts or "\\" in address or ":" in address or not path.name:
        raise ClientError(f"The site names a file that lies in no folder of a report: {address!r}.")
    return path


@dataclass(frozen=True, kw_only=True)
class Comparison(Bound):
    """Two reports side by side: what differs, and every number that both have (`difference` is b less a)."""

    differences: list[dict[str, Any]]
    alone: list[dict[str, Any]]
    ranking: list[dict[str, Any]]
    scores: list[dict[str, Any]]
    coefficients: list[dict[str, Any]]
    limits: list[str]


class Reports:
    """`concord.reports`."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def list(
        self,
        *,
        q: str | None = None,
        state: str | None = None,
        batch: Batch | BatchRow | int | None = None,
        archive: Archive | None = None,
        project: Project | int | None = None,
    ) -> Iterator[ReportRow]:
        """All reports, newest first, fetched page by page. q: words to look for."""
        query = {"q": q, "state": state, "batch": number_of(batch), "archive": archive}
        query["project"] = number_of(project)
        call = Call(operation="list_reports", query=query)
        return (bound(self._site, one) for one in self._site.pages(ReportRow, call))

    def get(self, id: int) -> Report:
        """The report with this number. Raises NotFoundError."""
        return asked(self._site, Report, Call(operation="read_report", at={"id": id}))

    def create(
        self,
        batch: Batch | BatchRow | int,
        *,
        measures: Sequence[str],
        surrogates: Sequence[str],
        key: str | None = None,
        **options: Unpack[ReportFields],
    ) -> Report:
        """Ask for a report on the batch's ratings as they are now; the same inputs give the same report.

        measures, surrogates: as on a command line. options: what is left out stands as on the site's page.
        Raises InvalidError.
        """
        wanted = {"measures": names_of(measures), "surrogates": names_of(surrogates)}
        sent = {**options, **wanted, "batch": number_of(batch)}
        return asked(self._site, Report, Call(operation="request_report", json=sent, key=key))

    def compare(
        self,
        a: ReportRow | Report | int,
        b: ReportRow | Report | int,
        *,
        score: Literal["perseval", "degress", "egises"] = "perseval",
    ) -> Comparison:
        """What differs between two reports that are done, and every number of this score that both have."""
        query = {"a": number_of(a), "b": number_of(b), "score": score}
        return asked(self._site, Comparison, Call(operation="compare_reports", query=query))
