"""Downloads of a report, for every researcher."""

import io
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.views.decorators.http import require_safe

from meta_eval.publish.figures.drawing import FIGURES, figure_file, figure_images
from meta_eval.publish.figures.style import FIGURE_TYPES, render_figure
from meta_eval.publish.heds import Entry, datasheet_json, datasheet_markdown
from meta_eval.publish.latex import latex_document, latex_tables
from meta_eval.publish.methods import methods_bibtex, methods_paragraph
from meta_eval.publish.pdf import write_pdf
from meta_eval.publish.tables import report_tables, table_csv, write_tables
from meta_eval.publish.xlsx import write_xlsx
from meta_eval.report.view import View, choose_view
from survey_site.accounts.models import User
from survey_site.accounts.permissions import researcher_required
from survey_site.batches.services import record_export
from survey_site.common.errors import NotFoundError
from survey_site.reports.downloads import send_file
from survey_site.reports.exports import finished_result, report_datasheet, write_report_bundle
from survey_site.reports.models import Report

_IN_MEMORY = 8 << 20


def _xlsx(result: dict[str, Any]) -> bytes:
    stream = io.BytesIO()
    write_xlsx(stream, result)
    return stream.getvalue()


def _all_tables(result: dict[str, Any]) -> bytes:
    stream = io.BytesIO()
    write_tables(stream, result)
    return stream.getvalue()


FILES: dict[str, tuple[Callable[[dict[str, Any]], bytes | str], str]] = {
    "report.xlsx": (_xlsx, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "tables.zip": (_all_tables, "application/zip"),
    "methods.md": (methods_paragraph, "text/markdown; charset=utf-8"),
    "methods.tex": (partial(methods_paragraph, form="latex"), "text/x-tex; charset=utf-8"),
    "references.bib": (methods_bibtex, "application/x-bibtex; charset=utf-8"),
}
"""What is made of the result alone, and its type."""


@require_safe
@researcher_required
def file(request: HttpRequest, pk: int, name: str) -> HttpResponse:
    report, (make, content_type) = _get_report(pk), FILES[name]
    return send_file(request, report, make(finished_result(report)), content_type, name)


LATEX: dict[str, Callable[[dict[str, Any], View], str]] = {
    "tables.tex": latex_tables,
    "document.tex": latex_document,
}


@require_safe
@researcher_required
def latex(request: HttpRequest, pk: int, name: str) -> HttpResponse:
    """The tables in LaTeX; the query chooses the surrogate of those that hold for one alone."""
    report = _get_report(pk)
    result = finished_result(report)
    text = LATEX[name](result, choose_view(result, request.GET))
    return send_file(request, report, text, "text/x-tex; charset=utf-8", name)


DATASHEETS: dict[str, tuple[Callable[[Sequence[Entry]], str], str]] = {
    "datasheet.md": (datasheet_markdown, "text/markdown; charset=utf-8"),
    "datasheet.json": (datasheet_json, "application/json"),
}


@require_safe
@researcher_required
def datasheet(request: HttpRequest, pk: int, name: str) -> HttpResponse:
    """The human evaluation datasheet as far as it is known."""
    report, (write, content_type) = _get_report(pk), DATASHEETS[name]
    return send_file(request, report, write(report_datasheet(report)), content_type, name)


@require_safe
@researcher_required
def table(request: HttpRequest, pk: int, name: str) -> HttpResponse:
    """One table of the report as CSV."""
    report = _get_report(pk)
    tables = {table.name: table for table in report_tables(finished_result(report))}
    if name not in tables:
        raise NotFoundError("This report has no such table, or nothing stands in it.")
    return send_file(request, report, table_csv(tables[name]), "text/csv; charset=utf-8", f"{name}.csv")


@require_safe
@researcher_required
def figure(request: HttpRequest, pk: int, name: str, form: str) -> HttpResponse:
    """A figure as a file; the query chooses score, measure and surrogate, as on the page."""
    report = _get_report(pk)
    result = finished_result(report)
    view = choose_view(result, request.GET)
    svg = FIGURES[name](result, view) if name in FIGURES and form in FIGURE_TYPES else ""
    if not svg:
        raise NotFoundError("This report has no such figure, or nothing to draw in it.")
    content, file_name = render_figure(svg, form), figure_file(name, view, form)
    return send_file(request, report, content, FIGURE_TYPES[form], file_name)


@require_safe
@researcher_required
def pdf(request: HttpRequest, pk: int) -> HttpResponse:
    """The whole report as one PDF, with the figures of the scores that the query chooses."""
    report = _get_report(pk)
    result = finished_result(report)
    stream = io.BytesIO()
    about = f"Report {pk} on {report.batch}, ratings as of {report.created_at:%d %B %Y, %H:%M} UTC"
    view = choose_view(result, request.GET)
    figures = figure_images(result, view)
    write_pdf(stream, result, figures=figures, datasheet=report_datasheet(report), about=about, view=view)
    return send_file(request, report, stream.getvalue(), "application/pdf", "report.pdf")


@require_safe
@researcher_required  # type: ignore[arg-type]  # a streamed response is no HttpResponse
def bundle(request: HttpRequest, pk: int) -> FileResponse:
    """The sealed bundle; `?texts=hashes` leaves the texts out. Its name ends in the start of the seal."""
    share_texts = request.GET.get("texts") != "hashes"
    report = _get_report(pk)
    stream = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - the response closes it
    seal = write_report_bundle(stream, report=report, share_texts=share_texts)
    stream.seek(0)
    what = f"sealed bundle of report {pk}, seal {seal}"
    record_export(batch=report.batch, what=what, by=cast(User, request.user), now=timezone.now())
    return FileResponse(
        stream,
        as_attachment=True,
        filename=f"concord-report-{pk}-{seal[:12]}.zip",
        content_type="application/zip",
        headers={"Cache-Control": "private"},
    )


def _get_report(pk: int) -> Report:
    return get_object_or_404(Report.objects.select_related("batch__corpus", "rating_set"), pk=pk)
