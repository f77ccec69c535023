"""The page of a run that computes scores: how far it is, its parts, and ending it or trying again."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from survey_site.accounts.permissions import reader_required, researcher_required
from survey_site.scoring.models import ScoreRun
from survey_site.scoring.parts.queries import parts_of
from survey_site.scoring.parts.services import cancel_run, retry_run
from survey_site.scoring.tasks import enqueue_run


@require_safe
@reader_required
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    return render(request, "scoring/run.html", _context(pk, timezone.now()))


@require_safe
@reader_required
def progress(request: HttpRequest, pk: int) -> HttpResponse:
    """The changing part of the page of an unfinished run."""
    return render(request, "scoring/_run_progress.html", _context(pk, timezone.now()))


def _context(pk: int, now: datetime) -> dict[str, Any]:
    run = _get(pk)
    return {"run": run, "parts": parts_of(run, now=now)}


def _get(pk: int) -> ScoreRun:
    rows = ScoreRun.objects.select_related("corpus", "batch").defer("records", "signature")
    return get_object_or_404(rows, pk=pk)


@require_POST
@researcher_required
def cancel(_request: HttpRequest, pk: int) -> HttpResponse:
    """End it: no further part is begun."""
    return redirect(cancel_run(run=_get(pk), now=timezone.now()))


@require_POST
@researcher_required
def retry(_request: HttpRequest, pk: int) -> HttpResponse:
    """Compute again what failed."""
    with transaction.atomic():
        run = retry_run(run=_get(pk), now=timezone.now())
        if run.is_waiting:
            enqueue_run(run)
    return redirect(run)
