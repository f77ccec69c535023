"""Files of a report on their way out: each is sent as a download and written down in the audit log."""

from datetime import datetime
from typing import cast

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from survey_site.accounts.audit import record_action
from survey_site.accounts.models import User
from survey_site.reports.models import Report


def send_file(
    request: HttpRequest, report: Report, content: bytes | str, content_type: str, name: str
) -> HttpResponse:
    """The file `name` of the report, to be kept by whoever asked, and the entry that they did."""
    record_download(report=report, file=name, by=cast(User, request.user), now=timezone.now())
    return HttpResponse(
        content,
        content_type=content_type,
        headers={
            "Content-Disposition": f'attachment; filename="concord-report-{report.pk}-{name}"',
            "Cache-Control": "private",
        },
    )


def record_download(*, report: Report, file: str, by: User | None, now: datetime) -> None:
    """Write down that somebody takes a file of the report; in the log of its batch."""
    with transaction.atomic():
        detail = {"report": report.pk, "file": file}
        record_action(action="report exported", subject=report.batch, by=by, now=now, detail=detail)
