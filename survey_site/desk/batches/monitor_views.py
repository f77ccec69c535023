"""The page on which staff watch a batch run, and its buttons. Admins change, every researcher reads."""

from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from survey_site.accounts.models import User
from survey_site.accounts.permissions import admin_required, researcher_required
from survey_site.batches.models import Batch
from survey_site.batches.queries import batch_effort, batch_pace, batch_progress, rater_totals
from survey_site.batches.services import close_batch, pause_batch, resume_batch
from survey_site.common.pagination import paginate
from survey_site.desk.lookup import get_batch
from survey_site.quality.queries import snapshot_of
from survey_site.quality.watching import quality_so_far
from survey_site.survey.people.participation import read_participation
from survey_site.survey.rating.comments import comments_of
from survey_site.survey.rating.reopening import reopen_expired

ASKED = "quality"
"""Parameter of the page that asks for numbers that cost time; without scripts a link sets it."""


@never_cache
@require_safe
@researcher_required
def monitor(request: HttpRequest, pk: int) -> HttpResponse:
    batch = get_batch(pk)
    if batch.is_draft:
        return render(request, "desk/batches/draft.html", {"batch": batch, "effort": batch_effort(batch)})
    context = _progress_context(request, batch) | {
        "link": request.build_absolute_uri(reverse("survey:join", args=[batch.token])),
        "participation": read_participation(batch) if batch.is_live else None,
        "snapshot": snapshot_of(batch) if batch.is_frozen else None,
        "so_far": quality_so_far(batch, now=timezone.now(), compute=ASKED in request.GET),
    }
    return render(request, "desk/batches/monitor.html", context)


@never_cache
@require_safe
@researcher_required
def progress(request: HttpRequest, pk: int) -> HttpResponse:
    """The part of the monitor that changes, for polling."""
    return render(request, "desk/batches/_progress.html", _progress_context(request, get_batch(pk)))


def _progress_context(request: HttpRequest, batch: Batch) -> dict[str, Any]:
    now = timezone.now()
    progress = batch_progress(batch, now=now)
    return {
        "batch": batch,
        "progress": progress,
        "pace": batch_pace(batch, progress, now=now),
        "raters": paginate(request, rater_totals(batch), per_page=50),
        "now": now,
        "early": batch.is_live and batch.is_early(now),
        "over": batch.is_live and batch.is_over(now),
        "comments": comments_of(batch),
    }


@require_http_methods(["GET", "HEAD", "POST"])
@admin_required
def close(request: HttpRequest, pk: int) -> HttpResponse:
    """GET asks for confirmation, POST closes."""
    batch = get_batch(pk)
    if request.method != "POST":
        if not batch.is_live:
            return redirect(batch)
        progress = batch_progress(batch, now=timezone.now())
        return render(request, "desk/batches/close.html", {"batch": batch, "progress": progress})
    close_batch(batch=batch, by=cast(User, request.user), now=timezone.now())
    messages.success(request, "The batch is closed. Questionnaires in progress may still be finished.")
    return redirect(batch)


@require_POST
@admin_required
def pause(request: HttpRequest, pk: int) -> HttpResponse:
    batch = pause_batch(batch=get_batch(pk), by=cast(User, request.user), now=timezone.now())
    messages.success(request, "Paused: nothing is handed out, what is in progress may be finished.")
    return redirect(batch)


@require_POST
@admin_required
def resume(request: HttpRequest, pk: int) -> HttpResponse:
    batch = resume_batch(batch=get_batch(pk), by=cast(User, request.user), now=timezone.now())
    messages.success(request, "Questionnaires are handed out again.")
    return redirect(batch)


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
