"""What staff are told of: listed, and marked as read."""

from http import HTTPStatus

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from survey_site.accounts.permissions import Scope
from survey_site.api.base_views import ApiView, ListView
from survey_site.api.filters import NoticeFilterSet
from survey_site.api.shapes.notices import NoticeShape
from survey_site.notices.models import Notice, NoticeKind
from survey_site.notices.queries import notices_for
from survey_site.notices.services import mark_all_read, mark_read

ONE_S_OWN = "It changes nothing but what you have read, so that it needs no more than `read`."


def _untold(request: Request) -> list[str]:
    """A notice of a flagged rater names the rater, as a token may only with the scope `ratings`."""
    return [] if Scope.RATINGS in request.auth.scopes else [NoticeKind.FLAGGED]


def _told(request: Request) -> "QuerySet[Notice]":
    return notices_for(request.user).exclude(kind__in=_untold(request))


class Notices(ListView):
    queryset = Notice.objects.none()
    serializer_class = NoticeShape
    filterset_class = NoticeFilterSet

    @extend_schema(
        operation_id="list_notices",
        summary="What you are told of, newest first",
        description="Notices of flagged raters name them: a token needs the scope `ratings` for these.",
    )
    def get(self, request: Request) -> Response:
        return self.page(_told(request))


class ReadNotice(ApiView):
    scopes = {"POST": Scope.READ}

    @extend_schema(
        operation_id="mark_notice_read",
        summary="Mark a notice as read",
        description=ONE_S_OWN,
        request=None,
        responses=NoticeShape,
    )
    def post(self, request: Request, pk: int) -> Response:
        mark_read(
            notice=get_object_or_404(_told(request), pk=pk),
            user=request.user,
            now=request._request.now,
        )
        return Response(NoticeShape(get_object_or_404(_told(request), pk=pk)).data)


class ReadNotices(ApiView):
    scopes = {"POST": Scope.READ}

    @extend_schema(
        operation_id="mark_notices_read",
        summary="Mark all notices as read",
        description=ONE_S_OWN,
        request=None,
        responses={204: None},
    )
    def post(self, request: Request) -> Response:
        mark_all_read(user=request.user, now=request._request.now, but=_untold(request))
        return Response(status=HTTPStatus.NO_CONTENT)
