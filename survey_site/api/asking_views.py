"""Scores and reports that are asked for; workers compute them, and the address in `Location` says how far."""

from http import HTTPStatus
from io import BytesIO
from typing import Any

from django.db import transaction
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from meta_eval.report.published.reading import read_published
from survey_site.accounts.permissions import Scope
from survey_site.api import reports_views as reading
from survey_site.api.base_views import ApiView, checked
from survey_site.api.headers import IDEMPOTENCY
from survey_site.api.idempotency import once
from survey_site.api.shapes.reports import (
    OneReportShape,
    OneScoreRunShape,
    ReportRequest,
    ScoreRunRequest,
)
from survey_site.batches.models import Batch
from survey_site.corpus.models import Corpus
from survey_site.desk.lookup import get_launched
from survey_site.model_raters.queries import runs_named
from survey_site.projects.access import get_visible_or_404
from survey_site.reports.models import Report
from survey_site.reports.queries import get_report, reportable_batches
from survey_site.reports.services import request_report, retry_report
from survey_site.reports.tasks import enqueue_report
from survey_site.scoring.adapters import MeasureChoice
from survey_site.scoring.models import ScoreRun
from survey_site.scoring.parts.services import cancel_run, retry_run
from survey_site.scoring.services import request_automatic, request_human_of
from survey_site.scoring.tasks import enqueue_run
from survey_site.scoring.validators import validate_without_model


class ScoreRuns(reading.ScoreRuns):
    scopes = {"GET": Scope.READ, "POST": Scope.REPORTS}

    @extend_schema(
        operation_id="request_scores",
        summary="Ask for automatic scores of a corpus, or human scores of a batch",
        description="The same scores are computed once: asking again gives the run that there is. A measure "
        "over a model (bertscore, infolm, ...) is refused with 422: ask for a report with it. Where a batch "
        "has very many ratings they are those of the moment when a worker reads them.",
        parameters=[IDEMPOTENCY],
        request=ScoreRunRequest,
        responses={202: OneScoreRunShape},
    )
    def post(self, request: Request) -> Response:
        asked = checked(ScoreRunRequest, request)
        _require_seen(asked, request)

        def make() -> Response:
            run = _requested(asked, request._request.now)
            if run.is_unfinished:
                enqueue_run(run)
            return _accepted("api:score-run", run, OneScoreRunShape(run).data)

        return once(request, request.data, make)


def _require_seen(asked: dict[str, Any], request: Request) -> None:
    """Raises Http404 for what the program may not see; an answer that is kept is no way round it."""
    for name, model in (("corpus", Corpus), ("batch", Batch)):
        if name in asked:
            get_visible_or_404(model, request.user, asked[name])


def _requested(asked: dict[str, Any], now: Any) -> ScoreRun:
    choice = MeasureChoice(
        spec=asked["measure"],
        mode=asked["mode"],
        preprocess=asked.get("preprocess"),
        tokeniser=asked.get("tokeniser"),
    )
    validate_without_model(choice)
    shared = {"choice": choice, "normalise": asked["normalise"], "now": now}
    if "corpus" in asked:
        return request_automatic(corpus_row=get_object_or_404(Corpus, pk=asked["corpus"]), **shared)
    batch = get_launched(asked["batch"])
    return request_human_of(batch=batch, min_raters=asked.get("min_raters"), **shared)


class CancelRun(ApiView):
    scopes = {"POST": Scope.REPORTS}

    @extend_schema(
        operation_id="cancel_scores",
        summary="End a run of scores; one that is over stays as it is",
        request=None,
        responses=OneScoreRunShape,
    )
    def post(self, request: Request, pk: int) -> Response:
        run = cancel_run(run=get_object_or_404(ScoreRun, pk=pk), now=request._request.now)
        return Response(OneScoreRunShape(run).data)


class RetryRun(ApiView):
    scopes = {"POST": Scope.REPORTS}

    @extend_schema(
        operation_id="retry_scores",
        summary="Compute again a run that failed or was cancelled; any other stays as it is",
        request=None,
        responses={202: OneScoreRunShape},
    )
    def post(self, request: Request, pk: int) -> Response:
        with transaction.atomic():
            run = retry_run(run=get_object_or_404(ScoreRun, pk=pk), now=request._request.now)
            if run.is_waiting:
                enqueue_run(run)
            return _accepted("api:score-run", run, OneScoreRunShape(run).data)


class Reports(reading.Reports):
    scopes = {"GET": Scope.READ, "POST": Scope.REPORTS}

    @extend_schema(
        operation_id="request_report",
        summary="Ask for a report on a batch's ratings as they are now",
        description=(
            "The same inputs give the same report. Where a batch has very many ratings they are those of the "
            "moment when a worker reads them, which `created_at` is then. What is left out stands as on the "
            "site's page."
        ),
        parameters=[IDEMPOTENCY],
        request=ReportRequest,
        responses={202: OneReportShape},
    )
    def post(self, request: Request) -> Response:
        asked = checked(ReportRequest, request)
        _require_seen(asked, request)
        pk = asked.pop("batch")

        def make() -> Response:
            batch = get_object_or_404(reportable_batches(), pk=pk)
            wanted = {**asked, **_beside(asked, batch)}
            report = request_report(batch=batch, **wanted, created_by=request.user, now=request._request.now)
            return _sent(report)

        return once(request, request.data, make)


def _beside(asked: dict[str, Any], batch: Batch) -> dict[str, Any]:
    """The published tables and runs of models that stand beside, as the service takes them.

    Raises InputError with every fault of a table, InvalidInputError for a run that there is not.
    """
    found: dict[str, Any] = {}
    if "published" in asked:
        tables = [(one["kind"], one["name"], BytesIO(one["content"].encode())) for one in asked["published"]]
        found["published"] = [read_published(file, kind, name=name) for kind, name, file in tables]
    if "model_runs" in asked:
        found["model_runs"] = runs_named(batch, asked["model_runs"])
    if "judge" in asked:
        (found["judge"],) = runs_named(batch, [asked["judge"]], field="judge")
    return found


class Retry(ApiView):
    scopes = {"POST": Scope.REPORTS}

    @extend_schema(
        operation_id="retry_report",
        summary="Compute again what failed; any other report stays as it is",
        request=None,
        responses={202: OneReportShape},
    )
    def post(self, request: Request, pk: int) -> Response:
        with transaction.atomic():
            return _sent(retry_report(report=get_report(pk), now=request._request.now))


def _sent(report: Report) -> Response:
    """The report, which workers go on with where it is not finished."""
    if report.is_unfinished:
        enqueue_report(report)
    return _accepted("api:report", report, OneReportShape(get_report(report.pk)).data)


def _accepted(route: str, row: Report | ScoreRun, shown: Any) -> Response:
    address = reverse(route, args=[row.pk])
    return Response(shown, status=HTTPStatus.ACCEPTED, headers={"Location": address})
