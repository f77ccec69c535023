"""Freezing a batch: the page that explains and does it, and the snapshot to take away."""

from http import HTTPStatus
from typing import Any, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from survey_site.accounts.models import User
from survey_site.accounts.permissions import admin_required, reader_required
from survey_site.batches.models import Batch
from survey_site.batches.queries import batch_progress
from survey_site.common.refreshing import shows
from survey_site.desk.lookup import get_launched
from survey_site.quality.checking import check_again, checked_of
from survey_site.quality.freeze_jobs import ask_to_freeze, freezing_of
from survey_site.quality.kept import look_into
from survey_site.quality.models import Snapshot
from survey_site.quality.queries import snapshot_of
from survey_site.quality.tasks import ask_for_check, ask_to_freeze_later, ask_workers
from survey_site.quality.watching import quality_so_far


@require_http_methods(["GET", "HEAD", "POST"])
@reader_required
def freeze(request: HttpRequest, pk: int) -> HttpResponse:
    """GET shows the snapshot, or what freezing would do; POST freezes."""
    batch = get_launched(pk)
    if request.method == "POST":
        return _freeze(request, batch)
    context = _frozen_context(snapshot_of(batch)) if batch.is_frozen else _unfrozen_context(batch)
    return render(request, "desk/quality/freeze.html", {"batch": batch, **context})


@admin_required
def _freeze(request: HttpRequest, batch: Batch) -> HttpResponse:
    by = cast(User, request.user)
    ask_to_freeze(batch=batch, by=by, clock=timezone.now, ask=ask_to_freeze_later)
    batch.refresh_from_db()
    if batch.is_frozen:
        messages.success(request, "The batch is frozen. Reports made from now on cite it.")
    return redirect("quality:freeze", batch.pk)


@require_safe
@reader_required
def freezing(request: HttpRequest, pk: int) -> HttpResponse:
    """The part of that page that says how far a worker is with freezing; nothing new where it shows that."""
    batch = get_launched(pk)
    found = freezing_of(batch)
    if found and shows(request, found.version):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    return render(request, "desk/quality/_freezing.html", {"batch": batch, "freezing": found})


@require_http_methods(["GET", "HEAD", "POST"])
@reader_required
def checked(request: HttpRequest, pk: int) -> HttpResponse:
    """The part of that page that says whether the snapshot has its hash; POST checks it again."""
    batch = get_launched(pk)
    snapshot = get_object_or_404(Snapshot.objects.defer("head"), batch=batch)
    if request.method == "POST":
        check_again(snapshot, now=timezone.now(), ask=ask_for_check)
        return redirect("quality:freeze", batch.pk)
    context = _frozen_context(snapshot)
    if shows(request, context["checked"].version):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    return render(request, "desk/quality/_checked.html", {"batch": batch, **context})


def _frozen_context(snapshot: Snapshot | None) -> dict[str, Any]:
    found = snapshot and checked_of(snapshot, now=timezone.now(), ask=ask_for_check)
    return {"snapshot": snapshot, "checked": found}


def _unfrozen_context(batch: Batch) -> dict[str, Any]:
    freezing = freezing_of(batch)
    if freezing and freezing.is_unfinished:
        return {"freezing": freezing}
    progress = batch_progress(batch, now=timezone.now())
    return {"progress": progress, "freezing": freezing, **_flagged_context(batch)}


@require_safe
@reader_required
def flagged(request: HttpRequest, pk: int) -> HttpResponse:
    """The part of that page that a worker's findings change; where it shows them already, nothing."""
    batch = get_launched(pk)
    context = _flagged_context(batch)
    if batch.is_frozen or shows(request, context["version"]):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    return render(request, "desk/quality/_flagged.html", {"batch": batch, **context})


def _flagged_context(batch: Batch) -> dict[str, Any]:
    known = look_into(batch, now=timezone.now(), ask=ask_workers)
    so_far = quality_so_far(batch, known)
    flagged = so_far.flagged if so_far else None
    return {"flagged": flagged, "known": known, "version": f"{known.version}-{known.since}-{flagged}"}
