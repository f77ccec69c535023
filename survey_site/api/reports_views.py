"""Score runs and reports: how far they are, what came out, and every file that a report gives."""

from http import HTTPStatus

from django.http import HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from survey_site.accounts.permissions import Scope
from survey_site.accounts.tokens import require_scope
from survey_site.api.base_views import ApiView, ListView, queried
from survey_site.api.filters import ReportFilterSet, ScoreRunFilterSet
from survey_site.api.forms_of_answers import AnyRenderer, file_answers
from survey_site.api.shapes.reports import (
    BundleQuery,
    BundleShape,
    FileShape,
    OneReportShape,
    OneScoreRunShape,
    ReportShape,
    ScoreRunShape,
)
from survey_site.common.errors import ConflictError, NotFoundError
from survey_site.reports.bundles import downloads as bundle_downloads
from survey_site.reports.downloads import ADDRESSES, NO_FILE, files_of, take_file
from survey_site.reports.models import KeptBundle, Report
from survey_site.reports.queries import get_report, report_list
from survey_site.scoring.models import ScoreRun

BUNDLE = "bundle.zip"
VIEWED = ("score", "measure", "surrogate")
"""What the query chooses of a file's figures and tables."""
LOOK_AGAIN_SECONDS = 2
_CHOICES = [OpenApiParameter(name, str, description=f"The {name}, by its id.") for name in VIEWED]


class ScoreRuns(ListView):
    queryset = ScoreRun.objects.none()
    serializer_class = ScoreRunShape
    filterset_class = ScoreRunFilterSet
    scopes = {"GET": Scope.READ}

    @extend_schema(operation_id="list_score_runs", summary="All runs of scores, newest first")
    def get(self, _request: Request) -> Response:
        return self.page(ScoreRun.objects.defer("records", "signature", "options"))


class OneScoreRun(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        operation_id="read_score_run",
        summary="One run: how far it is and, once it is done, its scores",
        responses=OneScoreRunShape,
    )
    def get(self, _request: Request, pk: int) -> Response:
        return Response(OneScoreRunShape(get_object_or_404(ScoreRun, pk=pk)).data)


class Reports(ListView):
    queryset = Report.objects.none()
    serializer_class = ReportShape
    filterset_class = ReportFilterSet
    scopes = {"GET": Scope.READ}

    @extend_schema(operation_id="list_reports", summary="All reports, newest first")
    def get(self, _request: Request) -> Response:
        return self.page(report_list())


class OneReport(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        operation_id="read_report",
        summary="One report: how far it is, its parts and its answer",
        responses=OneReportShape,
    )
    def get(self, _request: Request, pk: int) -> Response:
        return Response(OneReportShape(get_report(pk)).data)


class Files(ApiView):
    scopes = {"GET": Scope.READ}

    @extend_schema(
        operation_id="list_report_files",
        summary="The files that a report gives",
        description="Those alone that it has something for. The query chooses score, measure and surrogate "
        "as for one file. Until the report is done, the answer is 409.",
        parameters=_CHOICES,
        responses=FileShape(many=True),
    )
    def get(self, request: Request, pk: int) -> Response:
        found = files_of(get_report(pk), request.query_params)
        files = {one: (file.title, file.content_type) for one, file in found.items()}
        files[BUNDLE] = ("Sealed bundle", bundle_downloads.ZIP)
        rows = [
            {"address": address, "title": title, "content_type": kind}
            for address, (title, kind) in files.items()
        ]
        return Response(FileShape(rows, many=True).data)


class OneFile(ApiView):
    renderer_classes = [AnyRenderer]
    scopes = {"GET": Scope.READ}

    @extend_schema(
        operation_id="read_report_file",
        summary="One file of a report",
        description="The query chooses score, measure and surrogate as on the page of the report. The type "
        "of the answer is that of the file.",
        parameters=[
            OpenApiParameter("address", str, OpenApiParameter.PATH, description="As in the list of files."),
            *_CHOICES,
        ],
        responses=file_answers(one.content_type for one in ADDRESSES.values()),
    )
    def get(self, request: Request, pk: int, address: str) -> HttpResponseBase:
        if address not in ADDRESSES:
            raise NotFoundError(NO_FILE, action="Ask for the list of files.")
        report, query, by, now = get_report(pk), request.query_params, request.user, request._request.now
        return take_file(report=report, address=address, query=query, by=by, now=now).response()


class Bundle(ApiView):
    """It holds every rating with the rater's pseudonym, so that it needs what the ratings need."""

    renderer_classes = [AnyRenderer]
    scopes = {"GET": Scope.RATINGS}

    @extend_schema(
        operation_id="read_report_bundle",
        summary="The sealed bundle of a report",
        description="It holds the report and every rating by pseudonym: the token needs the scope `read` "
        "besides. `texts=hashes` leaves the texts out. Of a large report a worker makes it: the answer is "
        "202 until it is there, and 409 with the reason where it could not be made.",
        parameters=[BundleQuery],
        responses={
            (HTTPStatus.OK, bundle_downloads.ZIP): OpenApiTypes.BINARY,
            (HTTPStatus.ACCEPTED, "application/json"): BundleShape,
        },
    )
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        require_scope(request.auth, Scope.READ)
        with_texts = "texts" not in queried(BundleQuery, request)
        report, by, now = get_report(pk), request.user, request._request.now
        found = bundle_downloads.take_bundle(report=report, with_texts=with_texts, by=by, now=now)
        return _not_made_yet(found) if isinstance(found, KeptBundle) else found


def _not_made_yet(kept: KeptBundle) -> JsonResponse:
    """How far a worker is. Raises ConflictError where it could not make it."""
    if kept.is_failed:
        raise ConflictError(f"The bundle could not be made: {kept.error}", action="Ask again in a minute.")
    shown = BundleShape(kept).data
    return JsonResponse(shown, status=HTTPStatus.ACCEPTED, headers={"Retry-After": LOOK_AGAIN_SECONDS})
