"""What raters remarked and could not judge, what is excluded, the snapshot: files; and places given back."""

from django.db import transaction
from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from survey_site.accounts.permissions import Scope
from survey_site.api.acting_views import locked_batch
from survey_site.api.base_views import ApiView
from survey_site.api.forms_of_answers import AnyRenderer
from survey_site.api.headers import IF_MATCH
from survey_site.api.shapes.quality import ReopenedShape
from survey_site.common.errors import NotFoundError
from survey_site.desk.files import FILES, send_file
from survey_site.survey.rating.reopening import reopen_expired


class FileOfBatch(ApiView):
    renderer_classes = [AnyRenderer]
    scopes = {"GET": Scope.RATINGS}

    @extend_schema(
        operation_id="read_batch_file",
        summary="Remarks, pairs that nobody could judge, what is excluded, or the snapshot",
        description="The same files as on the pages, raters by pseudonym. That somebody takes one is in the "
        "audit log.",
        parameters=[
            OpenApiParameter("file", str, OpenApiParameter.PATH, enum=list(FILES), description="Which.")
        ],
        responses={
            (200, "text/csv"): OpenApiTypes.STR,
            (200, "application/json"): OpenApiTypes.OBJECT,
        },
    )
    def get(self, request: Request, pk: int, file: str) -> HttpResponseBase:
        if file not in FILES:
            raise NotFoundError("There is no such file.", action=f"Choose one of {', '.join(FILES)}.")
        return send_file(pk, file, by=request.user, now=request._request.now)


class Reopen(ApiView):
    scopes = {"POST": Scope.BATCHES}

    @extend_schema(
        operation_id="reopen_expired",
        summary="Give back every place whose time is over",
        description="Of a live batch. Answers stay; twice changes nothing.",
        parameters=[IF_MATCH],
        request=None,
        responses=ReopenedShape,
    )
    def post(self, request: Request, pk: int) -> Response:
        with transaction.atomic():
            batch = locked_batch(request, pk)
            released = reopen_expired(batch=batch, by=request.user, now=request._request.now)
        return Response(ReopenedShape({"released": released}).data)
