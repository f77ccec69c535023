"""Pages of the reports, for every researcher."""

from http import HTTPStatus
from typing import cast

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from meta_eval.publish.figures.drawing import FIGURES, figure_file
from meta_eval.publish.long_form import (
    CORRELATIONS_FILE,
    LEADERBOARD_FILE,
    correlations_csv,
    leaderboard_csv,
    report_json,
)
from meta_eval.report.view import choose_view
from survey_site.accounts.models import User
from survey_site.accounts.permissions import researcher_required
from survey_site.batches.models import Batch
from survey_site.common.errors import NotFoundError
from survey_site.common.pagination import paginate
from survey_site.reports.downloads import send_file
from survey_site.reports.exports import finished_result
from survey_site.reports.forms import ReportForm
from survey_site.reports.models import Report
from survey_site.reports.pages import finished_page, running_page
from survey_site.reports.queries import report_list, reportable_batches
from survey_site.reports.services import request_report, retry_report
from survey_site.reports.tasks import enqueue_report

EXPORTS = {
    LEADERBOARD_FILE: (leaderboard_csv, "text/csv; charset=utf-8"),
    CORRELATIONS_FILE: (correlations_csv, "text/csv; charset=utf-8"),
    "report.json": (report_json, "application/json"),
}


@require_safe
@researcher_required
def report_index(request: HttpRequest) -> HttpResponse:
    context = {"page": paginate(request, report_list()), "can_report": reportable_batches().exists()}
    return render(request, "reports/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@researcher_required
def new(request: HttpRequest) -> HttpResponse:
    form = ReportForm(
        request.POST or None, request.FILES or None, initial={"batch": request.GET.get("batch")}
    )
    if request.method == "POST" and (report := _request(request, form)):
        return redirect(report)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    context = {"form": form, "unfrozen": _unfrozen(request.GET.get("batch", ""))}
    return render(request, "reports/new.html", context, status=status)


def _unfrozen(wanted: str) -> Batch | None:
    """The batch that the page was opened for, where freezing it first would be better."""
    if not wanted.isdecimal():
        return None
    return reportable_batches().filter(pk=wanted, frozen_at=None).first()


def _request(request: HttpRequest, form: ReportForm) -> Report | None:
    if not form.is_valid():
        return None
    now = timezone.now()
    try:
        with transaction.atomic():
            report = request_report(**form.cleaned_data, created_by=cast(User, request.user), now=now)
            if report.is_unfinished:
                enqueue_report(report)
    except ValidationError as error:
        form.add_service_errors(error)
        return None
    if report.created_at < now:
        messages.info(request, "There was a report on exactly these inputs: this is it.")
    return report


@require_safe
@never_cache
@researcher_required
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    report = _get_report(pk)
    if not report.is_done:
        return render(request, "reports/running.html", running_page(report, now=timezone.now()))
    return render(request, "reports/detail.html", finished_page(report, request.GET))


@require_safe
@never_cache
@researcher_required
def progress(request: HttpRequest, pk: int) -> HttpResponse:
    """The changing part of the page of an unfinished report."""
    return render(request, "reports/_progress.html", running_page(_get_report(pk), now=timezone.now()))


@require_POST
@researcher_required
def retry(_request: HttpRequest, pk: int) -> HttpResponse:
    """Compute again what failed."""
    with transaction.atomic():
        report = retry_report(report=_get_report(pk), now=timezone.now())
        if report.is_unfinished:
            enqueue_report(report)
    return redirect(report)


@require_safe
@researcher_required
def export(request: HttpRequest, pk: int, file: str) -> HttpResponse:
    report, (write, content_type) = _get_report(pk), EXPORTS[file]
    return send_file(request, report, write(finished_result(report)), content_type, file)


@require_safe
@researcher_required
def figure(request: HttpRequest, pk: int, name: str) -> HttpResponse:
    """A figure as the page shows it, in the ink of what is around it."""
    report = _get_report(pk)
    result = finished_result(report)
    view = choose_view(result, request.GET)
    svg = FIGURES[name](result, view) if name in FIGURES else ""
    if not svg:
        raise NotFoundError("This report has no such figure, or nothing to draw in it.")
    return send_file(request, report, svg, "image/svg+xml", figure_file(name, view, "svg"))


def _get_report(pk: int) -> Report:
    related = ("batch__corpus", "rating_set", "created_by")
    return get_object_or_404(Report.objects.select_related(*related), pk=pk)
