"""Archive and delete: for admins, and for researchers of the reports and studies that are theirs."""

from http import HTTPStatus
from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from survey_site.accounts.models import User
from survey_site.accounts.permissions import researcher_required
from survey_site.common.errors import InvalidInputError
from survey_site.keeping.archiving import archive, may_archive, take_out
from survey_site.keeping.deleting import delete_thing, foresee
from survey_site.keeping.things import Thing, get_removable, kind_of

LISTS = {
    "batch": ("Batches", reverse_lazy("batches:list")),
    "report": ("Reports", reverse_lazy("reports:list")),
    "corpus": ("Corpora", reverse_lazy("corpus:list")),
    "study": ("Studies", reverse_lazy("studies:list")),
}
"""Title and address of the list in which a thing stands."""


@require_POST
@researcher_required
def archive_it(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    thing = get_removable(kind, pk, request.user)
    archive(thing=thing, by=cast(User, request.user), now=timezone.now())
    messages.success(request, "Archived: lists leave it out. Everything in it can still be read.")
    return redirect(thing)


@require_POST
@researcher_required
def take_it_out(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    thing = get_removable(kind, pk, request.user)
    take_out(thing=thing, by=cast(User, request.user), now=timezone.now())
    messages.success(request, "Taken out of the archive: lists show it again.")
    return redirect(thing)


@require_http_methods(["GET", "HEAD", "POST"])
@researcher_required
def delete_it(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    """GET says what goes and what stands in the way, and asks for the name; POST with it deletes."""
    thing = get_removable(kind, pk, request.user)
    if request.method != "POST":
        return _ask(request, thing)
    name = str(thing)
    typed, seen = request.POST.get("typed", ""), request.POST.get("seen", "")
    try:
        delete_thing(thing=thing, typed=typed, seen=seen, by=cast(User, request.user), now=timezone.now())
    except InvalidInputError as error:
        return _ask(request, thing, typed=typed, fault=error)
    messages.success(request, f"“{name}” is deleted. The audit log keeps that it was here.")
    return redirect(LISTS[kind][1])


def _ask(
    request: HttpRequest, thing: Thing, typed: str = "", fault: InvalidInputError | None = None
) -> HttpResponse:
    context = {
        "thing": thing,
        "kind": kind_of(thing),
        "list_label": LISTS[kind_of(thing)][0],
        "list_url": LISTS[kind_of(thing)][1],
        **foresee(thing, now=timezone.now()),
        "archivable": may_archive(thing) and not thing.archived_at,
        "typed": typed,
        "fault": fault,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if fault else HTTPStatus.OK
    return render(request, "keeping/delete.html", context, status=status)
