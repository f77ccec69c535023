"""What every view of the interface has: the time, who asks, an `ETag`, and lists in pages."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django_filters.rest_framework import CharFilter, DjangoFilterBackend
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.generics import GenericAPIView
from rest_framework.mixins import ListModelMixin
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import ListField, Serializer
from rest_framework.views import APIView

from survey_site.accounts.permissions import Scope
from survey_site.api.conditions import answer_unchanged, tag_of
from survey_site.api.errors import MethodError
from survey_site.api.unknown import refuse_unknown_fields, refuse_unknown_query
from survey_site.projects.access import has_project, visible
from survey_site.projects.gate import require_visible


class NewestFirst(CursorPagination):
    """Pages by cursor: what is added meanwhile moves nothing from one page to the next."""

    ordering = "-pk"
    page_size = 50
    page_size_query_param = "limit"
    max_page_size = 200

    def get_page_size(self, request: Request) -> int:
        """Raises ValidationError for a `limit` that is no number of things."""
        asked = request.query_params.get(self.page_size_query_param)
        if asked is not None and not (asked.isascii() and asked.isdecimal() and int(asked[:9])):
            raise ValidationError({self.page_size_query_param: ["Give a whole number from 1 on."]})
        return min(int((asked or str(self.page_size))[:9]), self.max_page_size)

    def get_schema_operation_parameters(self, view: Any) -> Any:
        parameters = super().get_schema_operation_parameters(view)
        for one in parameters:
            if one["name"] == self.page_size_query_param:
                one["schema"]["minimum"] = 1
        return parameters

    def decode_cursor(self, request: Request) -> Any:
        """Raises NotFound for a cursor that this site never gave."""
        cursor = super().decode_cursor(request)
        if cursor and cursor.position is not None and not cursor.position.isdecimal():
            raise NotFound(self.invalid_cursor_message)
        return cursor


class InOrder(NewestFirst):
    ordering = "pk"


class ApiView(APIView):
    """`scopes`: for each method the scope that a token needs; methods without one are not there."""

    scopes: ClassVar[Mapping[str, Scope]] = {}
    http_method_names = ["get", "head", "post", "patch", "delete"]
    names_a_thing = False
    """Whether the address names something, which the program then may see."""

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        request.now = timezone.now()  # type: ignore[attr-defined]
        return super().initialize_request(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        if str(request.method) not in self.allowed_methods:
            raise MethodError(str(request.method), self.allowed_methods)
        super().initial(request, *args, **kwargs)
        match = request._request.resolver_match
        self.names_a_thing = require_visible(request.user, match.route if match else "", kwargs)
        refuse_unknown_query(self, request)
        refuse_unknown_fields(self, request)

    @property
    def allowed_methods(self) -> list[str]:
        return [*self.scopes, *(["HEAD"] if "GET" in self.scopes else [])]

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        """What was read gets the tag of what it says; whoever has that already is told so."""
        if isinstance(response, Response) and request.method in {"GET", "HEAD"}:
            response = answer_unchanged(request, response, tag_of(response.data))
        done: HttpResponse = super().finalize_response(request, response, *args, **kwargs)
        return done


class ListView(ApiView, ListModelMixin, GenericAPIView):
    """A list in pages, narrowed by `filterset_class`."""

    pagination_class = NewestFirst
    filter_backends = [DjangoFilterBackend]
    filterset_class: Any = None
    by_project = True
    scopes = {"GET": Scope.READ}

    def filter_queryset(self, rows: "QuerySet[Any]") -> "QuerySet[Any]":
        """Raises ValidationError for an empty value where one of some is wanted: it would narrow nothing."""
        filters = self.filterset_class.base_filters if self.filterset_class else {}
        empty = [name for name, text in self.request.query_params.items() if name in filters and not text]
        if wrong := [name for name in empty if not isinstance(filters[name], CharFilter)]:
            raise ValidationError({name: ["Give a value, or leave it out."] for name in wrong})
        found: QuerySet[Any] = super().filter_queryset(rows)
        return found

    def page(self, rows: "QuerySet[Any]", *, context: Mapping[str, Any] | None = None) -> Response:
        """One page of those of these rows that the program may see, as the view's serializer has them.

        What lies below a thing that the address names may be seen with it; all else needs a path to a
        project (`projects.access.PATHS`), or `by_project` False where the rows are of no project.
        """
        if self.by_project and (has_project(rows.model) or not self.names_a_thing):
            rows = visible(rows, self.request.user)
        found = self.paginate_queryset(self.filter_queryset(rows))
        shown = self.get_serializer_class()(found, many=True, context=dict(context or {}))
        return self.get_paginated_response(shown.data)


def checked(shape: "type[Serializer[Any]]", request: Request) -> dict[str, Any]:
    """What was sent, as the shape checks it. Raises the framework's ValidationError by field."""
    given = shape(data=request.data)
    given.is_valid(raise_exception=True)
    found: dict[str, Any] = given.validated_data
    return found


def queried(shape: "type[Serializer[Any]]", request: Request) -> dict[str, Any]:
    """What the query of the address says, checked in the same way."""
    asked: dict[str, Any] = request.query_params.dict()
    several = [name for name, one in shape().fields.items() if isinstance(one, ListField)]
    asked |= {name: request.query_params.getlist(name) for name in several if name in asked}
    given = shape(data=asked)
    given.is_valid(raise_exception=True)
    found: dict[str, Any] = given.validated_data
    return found
