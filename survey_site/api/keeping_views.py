"""Batches, reports, corpora and studies: archived, taken out again, deleted once it was seen what goes."""

from http import HTTPStatus
from typing import Any

from django.db import transaction
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from survey_site.accounts.permissions import Scope
from survey_site.api.base_views import ApiView, queried
from survey_site.api.conditions import require_match, tag_of
from survey_site.api.headers import IF_MATCH
from survey_site.api.shapes.keeping import DeletionQuery, KeptShape, kept_record
from survey_site.common.locking import locked
from survey_site.keeping.archiving import archive, take_out
from survey_site.keeping.deleting import delete_thing
from survey_site.keeping.things import KINDS, Thing, get_removable

KIND = OpenApiParameter("kind", str, OpenApiParameter.PATH, enum=list(KINDS))
WHOSE = "Admins anything; researchers the reports that they asked for and the studies that they uploaded."


def _shown(request: Request, thing: Thing) -> dict[str, Any]:
    return dict(KeptShape(kept_record(thing, now=request._request.now)).data)


class Kept(ApiView):
    scopes = {"GET": Scope.REMOVE, "DELETE": Scope.REMOVE}

    @extend_schema(
        operation_id="foresee_deletion",
        summary="What would be deleted with it, and what stands in the way",
        description=WHOSE,
        parameters=[KIND],
        responses=KeptShape,
    )
    def get(self, request: Request, kind: str, pk: int) -> Response:
        return Response(_shown(request, get_removable(kind, pk, request.user)))

    @extend_schema(
        operation_id="delete_thing",
        summary="Delete it with all that goes with it, for good",
        description=f"{WHOSE} Read it first, and send its `asked` as `name` and its `seen`. Refused with 409 "
        "while something stands in the way, and where what goes has changed meanwhile. A draft of a batch "
        "is deleted by `DELETE batches/{id}/`.",
        parameters=[KIND, DeletionQuery, IF_MATCH],
        responses={204: None},
    )
    def delete(self, request: Request, kind: str, pk: int) -> Response:
        asked, thing = queried(DeletionQuery, request), get_removable(kind, pk, request.user)
        require_match(request, _shown(request, thing))
        by, now = request.user, request._request.now
        delete_thing(thing=thing, typed=asked["name"], seen=asked["seen"], by=by, now=now)
        return Response(status=HTTPStatus.NO_CONTENT)


class _Move(ApiView):
    """Into the archive or out of it, under the lock of the thing, as the program has read it."""

    scopes = {"POST": Scope.REMOVE}

    def move(self, request: Request, kind: str, pk: int, do: Any) -> Response:
        get_removable(kind, pk, request.user)
        with transaction.atomic():
            locked(KINDS[kind]._default_manager.filter(pk=pk)).first()
            thing = get_removable(kind, pk, request.user)
            require_match(request, _shown(request, thing))
            do(thing=thing, by=request.user, now=request._request.now)
            shown = _shown(request, get_removable(kind, pk, request.user))
        return Response(shown, headers={"ETag": tag_of(shown)})


class Archive(_Move):
    @extend_schema(
        operation_id="archive_thing",
        summary="Archive it: lists leave it out, everything in it can still be read",
        description=f"{WHOSE} A batch has to be closed.",
        parameters=[KIND, IF_MATCH],
        request=None,
        responses=KeptShape,
    )
    def post(self, request: Request, kind: str, pk: int) -> Response:
        return self.move(request, kind, pk, archive)


class TakeOut(_Move):
    @extend_schema(
        operation_id="take_out_thing",
        summary="Take it out of the archive",
        description=WHOSE,
        parameters=[KIND, IF_MATCH],
        request=None,
        responses=KeptShape,
    )
    def post(self, request: Request, kind: str, pk: int) -> Response:
        return self.move(request, kind, pk, take_out)
