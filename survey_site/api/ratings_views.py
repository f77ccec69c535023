"""The ratings of a batch, as JSON, CSV, JSON Lines or Parquet."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.http import FileResponse, HttpResponseBase, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request

from survey_site.accounts.permissions import Scope
from survey_site.api import ratings
from survey_site.api.base_views import ApiView
from survey_site.api.forms_of_answers import RATING_RENDERERS
from survey_site.api.shapes.ratings import RatingShape
from survey_site.batches.services import record_export
from survey_site.common.errors import InvalidInputError
from survey_site.desk.lookup import get_batch
from survey_site.survey.exports import MORE, described_export, exported_rows
from survey_site.survey.rating_rows import withdrawn_placements

_WRITERS: Mapping[str, Callable[[Any], Iterable[str]]] = {
    "json": ratings.as_json,
    "csv": ratings.as_csv,
    "jsonl": ratings.as_json_lines,
}


class Ratings(ApiView):
    renderer_classes = RATING_RENDERERS
    scopes = {"GET": Scope.RATINGS}

    @extend_schema(
        operation_id="read_ratings",
        summary="All ratings that count, in long form",
        description="One row a rating, in the columns of the site's CSV file, raters by pseudonym. "
        "The header Concord-Withdrawn-Rows says how many rows of people who withdrew there are.",
        parameters=[
            OpenApiParameter(
                "include", str, description=f"What comes besides: {', '.join(MORE)}, with commas between."
            )
        ],
        responses={
            (200, "application/json"): RatingShape(many=True),
            (200, "text/csv"): OpenApiTypes.STR,
            (200, "application/jsonl"): OpenApiTypes.STR,
            (200, "application/vnd.apache.parquet"): OpenApiTypes.BINARY,
        },
    )
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        batch, include = get_batch(pk), _included(request)
        what = described_export(include)
        record_export(batch=batch, what=what, by=request.user, now=request._request.now)
        rows, form = exported_rows(batch, include=include), request.accepted_renderer.format
        kind = f"{request.accepted_renderer.media_type}; charset=utf-8"
        headers = {
            "Content-Disposition": f'attachment; filename="ratings-batch-{batch.pk}.{form}"',
            "Concord-Withdrawn-Rows": str(withdrawn_placements(batch).count()),
        }
        if form == "parquet":
            kind = request.accepted_renderer.media_type
            return FileResponse(ratings.as_parquet(rows), content_type=kind, headers=headers)
        return StreamingHttpResponse(_WRITERS[form](rows), content_type=kind, headers=headers)


def _included(request: Request) -> list[str]:
    include = [one for one in request.query_params.get("include", "").split(",") if one]
    if unknown := sorted(set(include) - set(MORE)):
        raise InvalidInputError(
            f"There are no such ratings: {', '.join(unknown)}.",
            action=f"Choose from {', '.join(MORE)}.",
            fields={"include": [f"Not one of {', '.join(MORE)}."]},
        )
    return include
