"""How far raters of a batch agree, what each did, what the batch will buy, and the files about them."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Unpack

import msgspec

from meta_eval.client.frames import csv_frame
from meta_eval.client.records import Bound, asked
from meta_eval.client.sending import Call
from meta_eval.client.wishes import PrecisionFields

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, kw_only=True)
class Quality(Bound):
    """What is known of the ratings, as of `at`; `awaited`: a worker finds it out anew."""

    at: datetime | None
    fresh: bool
    awaited: bool
    checked: int
    flagged: int
    assessment: dict[str, Any] | None
    controls: list[dict[str, Any]]
    marks: dict[str, Any] | None


@dataclass(frozen=True, kw_only=True)
class RaterPages(Bound):
    """What one rater did: `submitted` has an entry a page.

    at: when the flags were found out that need others beside the rater; fresh: whether nothing changed since.
    """

    at: datetime | None
    fresh: bool
    awaited: bool
    code: str
    simulated: bool
    flags: list[str]
    excluded: int
    controls: list[dict[str, Any]]
    submitted: list[dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Precision(Bound):
    """`options`: the batch as planned, smaller and larger ones, with what each narrows coefficients to."""

    assumptions: dict[str, Any]
    options: list[dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Snapshot(Bound):
    """`intact`: whether a frozen batch still has its hash; None before the first check has ended."""

    content_hash: str
    ratings: int
    withdrawn: int
    intact: bool | None
    checked_at: datetime | None
    awaited: bool
    error: str


@dataclass(frozen=True, kw_only=True)
class _Reopened:
    released: int


class HasQuality(Bound):
    """A record of a batch, with ratings that can be looked at."""

    id: int

    def quality(self) -> Quality:
        """How far raters agree, what positions do, how controls were rated. NotFoundError for a draft."""
        return asked(self._site, Quality, self._about("read_quality"))

    def rater(self, code: str) -> RaterPages:
        """What one rater did, page by page. It needs the scope `ratings`."""
        call = Call(operation="read_rater", at={"id": self.id, "code": code})
        return asked(self._site, RaterPages, call)

    def precision(self, **assumed: Unpack[PrecisionFields]) -> Precision:
        """What the batch will buy under these assumptions; what is left out is as on the site's page.

        Raises InvalidError for assumptions that cannot hold together, or fewer than three systems.
        """
        return asked(self._site, Precision, self._about("plan_precision", query=assumed))

    def comments(self) -> "DataFrame":
        """What raters remarked, a row each, in the columns of `comments.csv` (docs/exports.md)."""
        return self._table("comments.csv")

    def marks(self) -> "DataFrame":
        """The pairs that raters could not judge, in the columns of `marks.csv`."""
        return self._table("marks.csv")

    def excluded(self) -> "DataFrame":
        """The ratings that are excluded, with the reasons, in the columns of `excluded.csv`."""
        return self._table("excluded.csv")

    def snapshot(self) -> Snapshot:
        """The hash of a frozen batch, and whether its snapshot has it. Raises NotFoundError without one."""
        return asked(self._site, Snapshot, self._about("read_snapshot"))

    def check_snapshot(self) -> Snapshot:
        """The same, with every row hashed anew; of a large one a worker does it (`awaited`)."""
        return asked(self._site, Snapshot, self._about("check_snapshot"))

    def snapshot_content(self) -> dict[str, Any]:
        """The snapshot itself: `content_hash`, `head` and `ratings`."""
        found: dict[str, Any] = msgspec.json.decode(self._file("snapshot.json"))
        return found

    def reopen_expired(self) -> int:
        """Give back every place whose time is over; how many. Raises ConflictError unless it is live."""
        return self._site.read(_Reopened, self._about("reopen_expired")).released

    def _about(self, operation: str, **more: Any) -> Call:
        return Call(operation=operation, at={"id": self.id}, **more)

    def _file(self, name: str) -> bytes:
        call = Call(operation="read_batch_file", at={"id": self.id, "file": name}, headers={"Accept": "*/*"})
        return self._site.ask(call).content

    def _table(self, name: str) -> "DataFrame":
        return csv_frame(self._file(name))
