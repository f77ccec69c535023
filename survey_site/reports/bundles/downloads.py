"""The sealed bundle of a report as it is taken away: at once, or once a worker has made it."""

import tempfile
from collections.abc import Mapping
from datetime import datetime
from http import HTTPStatus
from typing import Any, cast

from django.http import (
    FileResponse,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    StreamingHttpResponse,
)
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from meta_eval.publish.bundle import write_bundle
from survey_site.accounts.models import User
from survey_site.accounts.permissions import reader_required
from survey_site.batches.services import record_export
from survey_site.common.refreshing import shows
from survey_site.reports.bundles.content import bundle_content
from survey_site.reports.bundles.kept import ask_for_bundle, is_made_at_once, kept_bundle, read_pieces
from survey_site.reports.models import KeptBundle, Report
from survey_site.reports.queries import get_report
from survey_site.reports.tasks import ask_to_make_bundle

ZIP = "application/zip"
_IN_MEMORY = 8 << 20


@require_safe
@reader_required  # type: ignore[arg-type]  # a streamed response is no HttpResponse
def bundle(request: HttpRequest, pk: int) -> HttpResponseBase:
    """The sealed bundle; `?texts=hashes` leaves the texts out. Its name ends in the start of the seal.

    Of a large report a worker makes it: until then this leads to the page that says how far it is.
    """
    report, with_texts = get_report(pk), wants_texts(request.GET)
    by, now = cast(User, request.user), timezone.now()
    found = take_bundle(report=report, with_texts=with_texts, by=by, now=now)
    return redirect(found) if isinstance(found, KeptBundle) else found


@require_safe
@reader_required
def bundle_made(request: HttpRequest, pk: int) -> HttpResponse:
    """How far a worker is with the sealed bundle, and the bundle once it is there."""
    return render(request, "reports/bundle.html", _bundle_context(request, pk))


@require_safe
@reader_required
def bundle_progress(request: HttpRequest, pk: int) -> HttpResponse:
    """The part of that page that changes; nothing new where the page shows it already."""
    context = _bundle_context(request, pk)
    kept = context["kept"]
    if kept and shows(request, kept.version):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    return render(request, "reports/_bundle.html", context)


def _bundle_context(request: HttpRequest, pk: int) -> dict[str, Any]:
    """Without the report's result: this is asked for every few seconds."""
    rows = Report.objects.select_related("batch").defer("result", "survey", "drawings")
    report, with_texts = get_object_or_404(rows, pk=pk), wants_texts(request.GET)
    return {
        "report": report,
        "with_texts": with_texts,
        "kept": kept_bundle(report, with_texts=with_texts),
        "query": "" if with_texts else "?texts=hashes",
    }


def wants_texts(query: Mapping[str, str]) -> bool:
    return query.get("texts") != "hashes"


def take_bundle(
    *, report: Report, with_texts: bool, by: User | None, now: datetime
) -> FileResponse | StreamingHttpResponse | KeptBundle:
    """The sealed bundle, and a note of who takes it; of a large report what a worker has still to make."""
    if is_made_at_once(report):
        return _made_at_once(report, with_texts, by, now)
    kept = ask_for_bundle(report, with_texts=with_texts, now=now, ask=ask_to_make_bundle)
    if not kept.is_done:
        return kept
    _record_bundle(report, kept.seal, by, now)
    headers = {
        "Content-Disposition": f'attachment; filename="{_bundle_name(report, kept.seal)}"',
        "Content-Length": str(kept.size),
    }
    return StreamingHttpResponse(read_pieces(kept), content_type=ZIP, headers=headers)


def _made_at_once(report: Report, with_texts: bool, by: User | None, now: datetime) -> FileResponse:
    content = bundle_content(report)
    stream = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - the response closes it
    seal = write_bundle(stream, content, share_texts=with_texts)
    stream.seek(0)
    _record_bundle(report, seal, by, now)
    name = _bundle_name(report, seal)
    return FileResponse(stream, as_attachment=True, filename=name, content_type=ZIP)


def _bundle_name(report: Report, seal: str) -> str:
    return f"concord-report-{report.pk}-{seal[:12]}.zip"


def _record_bundle(report: Report, seal: str, by: User | None, now: datetime) -> None:
    what = f"sealed bundle of report {report.pk}, seal {seal}"
    record_export(batch=report.batch, what=what, by=by, now=now)
