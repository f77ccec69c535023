"""Pages of the reports, for every researcher."""

from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any, cast

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from meta_eval.report.opening import headline_and_rest
from meta_eval.report.view import KINDS, choose_view
from survey_site.accounts.models import User
from survey_site.accounts.permissions import reader_required, researcher_required
from survey_site.batches.models import Batch
from survey_site.common.pagination import paginate
from survey_site.model_raters.queries import configured_models
from survey_site.projects.access import listed, visible
from survey_site.reports.comparison import compare_reports
from survey_site.reports.drawing import kept_drawings
from survey_site.reports.forms import CompareForm, ReportForm
from survey_site.reports.list_forms import ReportFilter
from survey_site.reports.models import Report
from survey_site.reports.papers import lay_out_papers
from survey_site.reports.queries import (
    as_listed,
    get_report,
    list_parts,
    report_list,
    reportable_batches,
)
from survey_site.reports.sections.opening import open_report
from survey_site.reports.sections.page import page_sections
from survey_site.reports.services import request_report, retry_report
from survey_site.reports.tasks import enqueue_report
from survey_site.reports.validators import pairs_in_words
from survey_site.survey.rating_rows import count_pairs_by_ratings

WAITING_LONG = timedelta(seconds=20)


@require_safe
@reader_required
def report_index(request: HttpRequest) -> HttpResponse:
    """All reports; ?q=, ?state= and ?sort= narrow and order them."""
    form = ReportFilter(request.GET)
    page = paginate(request, form.narrow(listed(report_list(), request.user)))
    context = {
        "page": page,
        "form": form,
        "count": listed(Report.objects.all(), request.user).count(),
        "listed": [as_listed(report) for report in page],
        "can_report": listed(reportable_batches(), request.user).exists(),
    }
    return render(request, "reports/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@researcher_required
def new(request: HttpRequest) -> HttpResponse:
    form = ReportForm(
        _asked(request),
        request.FILES or None,
        initial={"batch": request.GET.get("batch")},
        user=request.user,
    )
    if request.method == "POST" and (report := _request(request, form)):
        return redirect(report)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    chosen = request.POST.get("batch") or request.GET.get("batch", "")
    context = {
        "form": form,
        "unfrozen": None if form.errors else _unfrozen(request, request.GET.get("batch", "")),
        "rated": _rated(request, chosen),
        "offer": form.fewer_ratings,
        "begin_judge": _judgeable(request, chosen),
    }
    return render(request, "reports/new.html", context, status=status)


def _judgeable(request: HttpRequest, wanted: str) -> Batch | None:
    """The chosen batch, where the reader may let a model judge its summaries."""
    if not (wanted.isdecimal() and configured_models() and cast(User, request.user).is_admin_role):
        return None
    return visible(reportable_batches(), request.user).filter(pk=wanted, archived_at=None).first()


def _asked(request: HttpRequest) -> QueryDict | None:
    """What was sent; the button that builds a report with fewer ratings stands for their field."""
    if not request.POST:
        return None
    sent = request.POST.copy()
    if "fewer" in sent:
        sent["min_raters"] = str(sent["fewer"])
    return sent


def _rated(request: HttpRequest, wanted: str) -> str:
    """How many pairs of the chosen batch have how many ratings; empty where none is chosen."""
    seen = visible(reportable_batches(), request.user)
    batch = seen.filter(pk=wanted).first() if wanted.isdecimal() else None
    if not batch:
        return ""
    counts = count_pairs_by_ratings(batch)
    so_far = pairs_in_words(counts) if counts else "no pair of two systems' texts has a rating"
    fewer = "" if batch.raters == 1 else ", unless you ask for fewer below"
    return f"So far in “{batch}”: {so_far}. A pair needs {batch.raters}{fewer}."


def _unfrozen(request: HttpRequest, wanted: str) -> Batch | None:
    """The batch that the page was opened for, where freezing it first would be better: no upload."""
    if not wanted.isdecimal():
        return None
    return visible(reportable_batches(), request.user).filter(pk=wanted, frozen_at=None, upload=None).first()


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
@reader_required
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    """The report, or how far it is; the query chooses score, measure, surrogate and order."""
    report = get_report(pk)
    if not report.is_done:
        return render(request, "reports/running.html", _progress(report, timezone.now()))
    result = report.read()
    view = choose_view(result, request.GET)
    with kept_drawings(report):
        context = {
            "report": report,
            "result": result,
            "view": view,
            "kinds": KINDS.items(),
            "opening": open_report(result),
            "sections": page_sections(result, view),
        }
    return render(request, "reports/detail.html", context)


@require_safe
@reader_required
def papers(request: HttpRequest, pk: int) -> HttpResponse:
    """The papers' tables filled by the report; the query chooses measure and surrogate where one is shown."""
    report = get_report(pk)
    if not report.is_done:
        return redirect(report)
    result = report.read()
    view = choose_view(result, request.GET)
    context = {"report": report, "result": result, "view": view, **lay_out_papers(result, view)}
    return render(request, "reports/papers.html", context)


@require_safe
@reader_required
def progress(request: HttpRequest, pk: int) -> HttpResponse:
    """The changing part of the page of an unfinished report."""
    return render(request, "reports/_progress.html", _progress(get_report(pk), timezone.now()))


def _progress(report: Report, now: datetime) -> dict[str, Any]:
    """How far a report is that waits, is at work, or failed."""
    parts = list_parts(report)
    share = (sum(part.share for part in parts) + report.inference_share) / (len(parts) + 1)
    return {
        "report": report,
        "parts": parts,
        "percent": int(100 * share),
        "waits_long": report.is_waiting and now - report.waits_since > WAITING_LONG,
    }


@require_POST
@researcher_required
def retry(_request: HttpRequest, pk: int) -> HttpResponse:
    """Compute again what failed."""
    with transaction.atomic():
        report = retry_report(report=get_report(pk), now=timezone.now())
        if report.is_unfinished:
            enqueue_report(report)
    return redirect(report)


@require_safe
@reader_required
def compare(request: HttpRequest) -> HttpResponse:
    """`?a=` and `?b=` choose the reports, `?score=` what of them; with less there is only the form."""
    chosen = "a" in request.GET and "b" in request.GET
    given: dict[str, Any] = {"data": request.GET} if chosen else {"initial": request.GET.dict()}
    form = CompareForm(**given, user=request.user)
    context: dict[str, Any] = {"form": form}
    if chosen and form.is_valid():
        a, b = form.cleaned_data["a"], form.cleaned_data["b"]
        kind = form.cleaned_data["score"] or next(iter(KINDS))  # what the form then shows
        first, second = a.read(), b.read()
        context |= {"a": a, "b": b, "kind": kind, "title": KINDS[kind]}
        context["sentences"] = [(row, *headline_and_rest(of.answer)) for row, of in ((a, first), (b, second))]
        context["comparison"] = compare_reports(first, second, kind)
    return render(request, "reports/compare.html", context)
