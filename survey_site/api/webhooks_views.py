"""Webhooks of programs, what they sent, and what panels say of their people."""

from http import HTTPStatus
from typing import Any

from django.db import transaction
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from survey_site.accounts.permissions import Scope
from survey_site.api.base_views import ApiView, ListView, checked
from survey_site.api.conditions import require_match, tag_of
from survey_site.api.headers import IDEMPOTENCY, IF_MATCH
from survey_site.api.idempotency import once
from survey_site.api.shapes.webhooks import (
    DeliveryShape,
    EndpointChange,
    EndpointRequest,
    EndpointShape,
    EndpointWithSecretShape,
    PanelEventRequest,
    PanelEventShape,
)
from survey_site.common.locking import locked
from survey_site.desk.lookup import get_launched
from survey_site.quality.panel_events import take_panel_event
from survey_site.webhooks import services
from survey_site.webhooks.access import deliveries_of, endpoints_for
from survey_site.webhooks.models import Delivery, Endpoint
from survey_site.webhooks.signing import secret_of


class Webhooks(ListView):
    by_project = False  # they are a person's
    queryset = Endpoint.objects.none()
    serializer_class = EndpointShape
    scopes = {"GET": Scope.WEBHOOKS, "POST": Scope.WEBHOOKS}

    @extend_schema(operation_id="list_webhooks", summary="Your webhooks, newest first; an admin's are all")
    def get(self, request: Request) -> Response:
        return self.page(endpoints_for(request.user))

    @extend_schema(
        operation_id="make_webhook",
        summary="Make a webhook",
        description="The answer holds its secret, which no other answer does.",
        parameters=[IDEMPOTENCY],
        request=EndpointRequest,
        responses={201: EndpointWithSecretShape},
    )
    def post(self, request: Request) -> Response:
        asked = checked(EndpointRequest, request)

        def make() -> Response:
            made = services.make_endpoint(owner=request.user, **asked, now=request._request.now)
            address = reverse("api:webhook", args=[made.pk])
            shown = EndpointShape(made).data
            return Response(shown, status=HTTPStatus.CREATED, headers={"Location": address})

        response = once(request, request.data, make)
        endpoint = get_object_or_404(endpoints_for(request.user), pk=response.data["id"])
        response.data = {**response.data, "secret": secret_of(endpoint)}  # the kept answer holds none
        return response


class OneWebhook(ApiView):
    scopes = {"GET": Scope.WEBHOOKS, "PATCH": Scope.WEBHOOKS, "DELETE": Scope.WEBHOOKS}

    @extend_schema(operation_id="read_webhook", summary="One webhook", responses=EndpointShape)
    def get(self, request: Request, pk: int) -> Response:
        return Response(EndpointShape(_endpoint(request, pk)).data)

    @extend_schema(
        operation_id="change_webhook",
        summary="Change a webhook: where it goes, what it is told of, whether it is on",
        description="What is left out stays. What waits goes to the new address.",
        parameters=[IF_MATCH],
        request=EndpointChange,
        responses=EndpointShape,
    )
    def patch(self, request: Request, pk: int) -> Response:
        asked = checked(EndpointChange, request)
        _endpoint(request, pk)
        with transaction.atomic():
            locked(Endpoint.objects.filter(pk=pk)).first()
            endpoint = _endpoint(request, pk)
            require_match(request, EndpointShape(endpoint).data)
            services.change_some(endpoint=endpoint, asked=asked, **_by(request))
            shown = EndpointShape(_endpoint(request, pk)).data
        return Response(shown, headers={"ETag": tag_of(shown)})

    @extend_schema(
        operation_id="delete_webhook", summary="Delete a webhook and its log", responses={204: None}
    )
    def delete(self, request: Request, pk: int) -> Response:
        services.delete_endpoint(endpoint=_endpoint(request, pk), **_by(request))
        return Response(status=HTTPStatus.NO_CONTENT)


class SendTest(ApiView):
    scopes = {"POST": Scope.WEBHOOKS}

    @extend_schema(
        operation_id="test_webhook",
        summary="Send a test event",
        request=None,
        responses={201: DeliveryShape},
    )
    def post(self, request: Request, pk: int) -> Response:
        made = services.send_test(endpoint=_endpoint(request, pk), **_by(request))
        return Response(DeliveryShape(made).data, status=HTTPStatus.CREATED)


class RotateWebhook(ApiView):
    scopes = {"POST": Scope.WEBHOOKS}

    @extend_schema(
        operation_id="rotate_webhook",
        summary="Make a new secret",
        description="For a day requests carry the signatures of both.",
        request=None,
        responses=EndpointWithSecretShape,
    )
    def post(self, request: Request, pk: int) -> Response:
        services.rotate_secret(endpoint=_endpoint(request, pk), **_by(request))
        endpoint = _endpoint(request, pk)
        return Response(EndpointWithSecretShape(endpoint, context={"secret": secret_of(endpoint)}).data)


class Deliveries(ListView):
    by_project = False  # `deliveries_of` leaves out what the person may not see
    queryset = Delivery.objects.none()
    serializer_class = DeliveryShape
    scopes = {"GET": Scope.WEBHOOKS}

    @extend_schema(operation_id="list_deliveries", summary="What a webhook sent, newest first")
    def get(self, request: Request, pk: int) -> Response:
        return self.page(deliveries_of(_endpoint(request, pk), request.user))


class ReplayDelivery(ApiView):
    scopes = {"POST": Scope.WEBHOOKS}

    @extend_schema(
        operation_id="replay_delivery",
        summary="Send it again",
        description="Under the id that it had, with as many tries as at first.",
        request=None,
        responses=DeliveryShape,
    )
    def post(self, request: Request, pk: int, delivery: int) -> Response:
        found = get_object_or_404(deliveries_of(_endpoint(request, pk), request.user), pk=delivery)
        return Response(DeliveryShape(services.replay(delivery=found, **_by(request))).data)


class PanelEvents(ApiView):
    scopes = {"POST": Scope.PANEL}

    @extend_schema(
        operation_id="take_panel_event",
        summary="Say what a panel knows of somebody: returned, timed out, rejected",
        description="Their open questionnaire goes to others. The same event twice changes nothing.",
        request=PanelEventRequest,
        responses=PanelEventShape,
    )
    def post(self, request: Request, pk: int) -> Response:
        asked = checked(PanelEventRequest, request)
        event, repeated = take_panel_event(
            batch=get_launched(pk),
            event_id=asked["event"],
            participant=asked["participant"],
            status=asked["status"],
            **_by(request),
        )
        said = {"event": asked["event"], "repeated": repeated}
        return Response(PanelEventShape(event, context=said).data)


def _endpoint(request: Request, pk: int) -> Endpoint:
    return get_object_or_404(endpoints_for(request.user), pk=pk)


def _by(request: Request) -> dict[str, Any]:
    return {"by": request.user, "now": request._request.now}
