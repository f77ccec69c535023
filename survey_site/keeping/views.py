"""Archive and delete: for admins, and for researchers of the reports that they asked for."""

from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from survey_site.accounts.models import User
from survey_site.accounts.permissions import researcher_required
from survey_site.keeping.archiving import archive, take_out
from survey_site.keeping.things import get_removable


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
