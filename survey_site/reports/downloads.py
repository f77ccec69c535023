"""What a report gives to take away: one view sends every file, and writes down who takes it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from meta_eval.publish.files import FILES, ReportFile
from meta_eval.publish.long_form import CORRELATIONS_FILE, LEADERBOARD_FILE
from meta_eval.publish.tables import report_table, table_csv
from survey_site.accounts.audit import record_action
from survey_site.accounts.models import User
from survey_site.accounts.permissions import reader_required
from survey_site.common.errors import NotFoundError
from survey_site.reports.contents import report_content
from survey_site.reports.drawing import kept_drawings
from survey_site.reports.models import Report
from survey_site.reports.queries import get_report
from survey_site.reports.typesetting import take_pdf


def _address(file: ReportFile) -> str:
    if file.folder:
        return f"{file.folder}/{file.name}"
    return f"tables/{file.name}" if file.form == "csv" else file.name


def _whole(name: str) -> ReportFile:
    """A table that is there even where it has no rows."""
    table = name.removesuffix(".csv")
    return replace(
        FILES[name],
        make=lambda content: table_csv(report_table(content.report, table)),
        is_in=lambda _content: True,
    )


ADDRESSES: Mapping[str, ReportFile] = {
    **{_address(file): file for file in FILES.values()},
    **{name: _whole(name) for name in (LEADERBOARD_FILE, CORRELATIONS_FILE)},
}
"""Every file by its address below that of the report."""

NO_FILE = "This report has no such file, or nothing to put into it."


@dataclass(frozen=True)
class MadeFile:
    """A file of a report as it is taken away."""

    name: str
    content_type: str
    content: bytes | str

    def response(self) -> HttpResponse:
        return HttpResponse(
            self.content,
            content_type=self.content_type,
            headers={"Content-Disposition": f'attachment; filename="{self.name}"'},
        )


def files_of(report: Report, query: Mapping[str, str]) -> dict[str, ReportFile]:
    """What `take_file` gives with that query, by address. ConflictError while the report is not finished."""
    content = report_content(report, query)
    with kept_drawings(report):
        return {address: file for address, file in ADDRESSES.items() if file.is_in(content)}


def take_file(
    *, report: Report, address: str, query: Mapping[str, str], by: User | None, now: datetime
) -> MadeFile:
    """Make the file with that address, and write down that it is taken. NotFoundError where it is none."""
    if (wanted := ADDRESSES.get(address)) is None:
        raise NotFoundError(NO_FILE)
    content = report_content(report, query)
    with kept_drawings(report):
        made = take_pdf(report, content) if wanted is FILES["report.pdf"] else wanted.make(content)
    if made is None:
        raise NotFoundError(NO_FILE)
    name = wanted.kept_as(content.view)
    record_download(report=report, file=name, by=by, now=now)
    return MadeFile(f"concord-report-{report.pk}-{name}", wanted.content_type, made)


@require_safe
@reader_required
def file(request: HttpRequest, pk: int, address: str) -> HttpResponse:
    """One file; the query chooses score, measure and surrogate of figures and LaTeX, as on the page."""
    if address not in ADDRESSES:
        raise NotFoundError(NO_FILE)
    by, now = cast(User, request.user), timezone.now()
    return take_file(report=get_report(pk), address=address, query=request.GET, by=by, now=now).response()


@require_safe
@reader_required
def old_figure(request: HttpRequest, pk: int, name: str) -> HttpResponse:
    """Where a figure of the page lay before it had the address of its file."""
    address = reverse("reports:file", args=[pk, f"figures/{name}.svg"])
    query = request.META.get("QUERY_STRING", "")
    return redirect(f"{address}?{query}" if query else address, permanent=True)


def record_download(*, report: Report, file: str, by: User | None, now: datetime) -> None:
    """Write down that somebody takes a file of the report; in the log of its batch."""
    with transaction.atomic():
        detail = {"report": report.pk, "file": file}
        record_action(action="report exported", subject=report.batch, by=by, now=now, detail=detail)
