"""The schema of the interface, and the same as a page of the site."""

from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiJsonRenderer2
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from survey_site.accounts.permissions import reader_required
from survey_site.api.base_views import ApiView
from survey_site.api.reference import sections_of


class Schema(ApiView):
    """OpenAPI 3.1. It says what operations there are and nothing of what is stored, so it needs no token.

    It is made once in a process, however often anybody asks for it.
    """

    authentication_classes: list[Any] = []
    permission_classes: list[Any] = []
    renderer_classes = [OpenApiJsonRenderer, OpenApiJsonRenderer2]
    allowed_methods = ["GET", "HEAD"]

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponse:
        return HttpResponse(_schema_text(), content_type=request.accepted_renderer.media_type)


@require_safe
@reader_required
def reference(request: HttpRequest) -> HttpResponse:
    """Every operation with what it takes and gives, by the schema."""
    return render(request, "api/reference.html", {"sections": sections_of(_schema())})


@cache
def _schema() -> dict[str, Any]:
    schema: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return schema


@cache
def _schema_text() -> bytes:
    text: bytes = OpenApiJsonRenderer().render(_schema())
    return text
