"""The files of a batch that staff take away, but for its ratings: made as they are read, and written down."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404

from survey_site.accounts.models import User
from survey_site.batches.models import Batch
from survey_site.batches.services import record_export
from survey_site.common.csvfile import in_blocks
from survey_site.desk.lookup import get_batch, get_launched
from survey_site.quality.exports import excluded_lines
from survey_site.quality.freezing import snapshot_pieces
from survey_site.quality.models import Snapshot
from survey_site.survey.rating.comments import comment_lines
from survey_site.survey.rating.marked import mark_lines

CSV, JSON = "text/csv", "application/json"


@dataclass(frozen=True)
class Content:
    """What is sent: as which file, and what the audit log says was taken."""

    batch: Batch
    name: str
    taken: str
    lines: Iterator[str]


def _comments(pk: int) -> Content:
    batch = get_batch(pk)
    return Content(batch, f"comments-batch-{pk}.csv", "comments", comment_lines(batch))


def _marks(pk: int) -> Content:
    batch = get_batch(pk)
    return Content(batch, f"marks-batch-{pk}.csv", "marks", mark_lines(batch))


def _excluded(pk: int) -> Content:
    batch = get_launched(pk)
    return Content(batch, f"excluded-batch-{pk}.csv", "excluded", excluded_lines(batch))


def _snapshot(pk: int) -> Content:
    found = get_object_or_404(Snapshot.objects.select_related("batch"), batch=pk)
    name = f"snapshot-batch-{pk}-{found.content_hash[:12]}.json"
    return Content(found.batch, name, f"snapshot {found.content_hash}", snapshot_pieces(found))


@dataclass(frozen=True)
class BatchFile:
    """Its type, and what finds its content. Raises Http404 or NotFoundError where there is none."""

    media_type: str
    find: Callable[[int], Content]


FILES: Mapping[str, BatchFile] = {
    "comments.csv": BatchFile(CSV, _comments),
    "marks.csv": BatchFile(CSV, _marks),
    "excluded.csv": BatchFile(CSV, _excluded),
    "snapshot.json": BatchFile(JSON, _snapshot),
}
"""By the end of its address."""


def send_file(pk: int, name: str, *, by: User, now: datetime) -> StreamingHttpResponse:
    """The file of this batch. Raises KeyError for a name that is none."""
    file = FILES[name]
    content = file.find(pk)
    record_export(batch=content.batch, what=content.taken, by=by, now=now)
    charset = "; charset=utf-8" if file.media_type == CSV else ""
    return StreamingHttpResponse(
        in_blocks(content.lines),
        content_type=f"{file.media_type}{charset}",
        headers={"Content-Disposition": f'attachment; filename="{content.name}"'},
    )
