"""Staff's pages of webhooks: the list, one with its log, and what is done by a button."""

from http import HTTPStatus
from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from survey_site.accounts.models import User
from survey_site.accounts.permissions import researcher_required
from survey_site.common.errors import ApplicationError
from survey_site.common.pagination import paginate
from survey_site.webhooks import services
from survey_site.webhooks.access import deliveries_of, endpoints_for
from survey_site.webhooks.forms import EndpointForm
from survey_site.webhooks.models import Endpoint
from survey_site.webhooks.signing import secret_of


@require_http_methods(["GET", "HEAD", "POST"])
@researcher_required
def endpoint_list(request: HttpRequest) -> HttpResponse:
    """GET lists webhooks, POST makes one and shows its secret, which is never shown again."""
    user, made = cast(User, request.user), None
    form = EndpointForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        made = _tried(form, lambda: services.make_endpoint(owner=user, **_sent(form)))
    context = {
        "form": EndpointForm() if made else form,
        "made": made,
        "secret": secret_of(made) if made else "",
        "page": paginate(request, endpoints_for(user), per_page=50),
    }
    return render(request, "webhooks/list.html", context, status=_status(form))


@require_http_methods(["GET", "HEAD", "POST"])
@researcher_required
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    """GET shows a webhook and its log, POST changes where it goes and what it is told of."""
    endpoint = _get(request, pk)
    shown = {"address": endpoint.address, "events": endpoint.events}
    form = EndpointForm(request.POST or None, initial=shown)
    by = cast(User, request.user)
    changed = None
    if request.method == "POST" and form.is_valid():
        changed = _tried(form, lambda: services.change_endpoint(endpoint=endpoint, by=by, **_sent(form)))
    if changed:
        messages.success(request, "Saved.")
        return redirect(endpoint)
    return _page(request, endpoint, form)


@require_POST
@researcher_required
def act(request: HttpRequest, pk: int, what: str) -> HttpResponse:
    """One button: a test event, on, off, delete."""
    endpoint, by = _get(request, pk), cast(User, request.user)
    how: dict[str, Any] = {"endpoint": endpoint, "by": by, "now": timezone.now()}
    if what == "delete":
        services.delete_endpoint(**how)
        messages.success(request, f"The {endpoint} is deleted.")
        return redirect("webhooks:list")
    if what == "test":
        services.send_test(**how)
        messages.success(request, "A worker sends a test event within seconds: the log says how it went.")
    else:
        services.switch_endpoint(on=what == "on", **how)
    return redirect(endpoint)


@require_POST
@researcher_required
def rotate(request: HttpRequest, pk: int) -> HttpResponse:
    """A new secret, shown once on the page that comes back."""
    endpoint, by = _get(request, pk), cast(User, request.user)
    endpoint = services.rotate_secret(endpoint=endpoint, by=by, now=timezone.now())
    form = EndpointForm(initial={"address": endpoint.address, "events": endpoint.events})
    return _page(request, _get(request, pk), form, secret=secret_of(endpoint))


@require_POST
@researcher_required
def replay(request: HttpRequest, pk: int, delivery: int) -> HttpResponse:
    endpoint, by = _get(request, pk), cast(User, request.user)
    found = get_object_or_404(deliveries_of(endpoint, by), pk=delivery)
    services.replay(delivery=found, by=by, now=timezone.now())
    messages.success(request, f"{found.event.uid} is sent again within seconds.")
    return redirect(endpoint)


def _get(request: HttpRequest, pk: int) -> Endpoint:
    return get_object_or_404(endpoints_for(cast(User, request.user)), pk=pk)


def _sent(form: EndpointForm) -> dict[str, Any]:
    return {**form.cleaned_data, "now": timezone.now()}


def _tried(form: EndpointForm, do: Any) -> Any:
    """What it returns; None where it is refused, which the form then says."""
    try:
        return do()
    except ApplicationError as error:
        form.add_error("address" if "address" in error.fields else None, f"{error.message} {error.action}")
        return None


def _page(request: HttpRequest, endpoint: Endpoint, form: EndpointForm, secret: str = "") -> HttpResponse:
    page = paginate(request, deliveries_of(endpoint, cast(User, request.user)), per_page=25)
    context = {"endpoint": endpoint, "form": form, "secret": secret, "page": page}
    return render(request, "webhooks/detail.html", context, status=_status(form))


def _status(form: EndpointForm) -> int:
    return HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
