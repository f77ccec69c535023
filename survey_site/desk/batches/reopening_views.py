"""The button on the monitor that gives back places whose time is over."""

from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from survey_site.accounts.models import User
from survey_site.accounts.permissions import admin_required
from survey_site.desk.batches.views import get_batch
from survey_site.survey.rating.reopening import reopen_expired


@require_POST
@admin_required
def reopen(request: HttpRequest, pk: int) -> HttpResponse:
    batch = get_batch(pk)
    released = reopen_expired(batch=batch, by=cast(User, request.user), now=timezone.now())
    what = (
        f"{released} place{'' if released == 1 else 's'} given back"
        if released
        else "No claim is past its time"
    )
    messages.success(request, f"{what}. Answers that were given are kept.")
    return redirect(batch)
