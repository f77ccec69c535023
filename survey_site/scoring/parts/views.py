"""The page of a run that computes scores: how far it is, its parts, its scores, ending it or trying again."""

from datetime import datetime
from typing import Any, cast

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from meta_eval.files.writing import render_records
from survey_site.accounts.audit import record_action
from survey_site.accounts.models import User
from survey_site.accounts.permissions import reader_required, researcher_required
from survey_site.common.errors import ConflictError
from survey_site.scoring.models import ScoreRun
from survey_site.scoring.parts.queries import parts_of, scores_of
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
    scores = scores_of(run) if run.is_done else None
    return {"run": run, "parts": parts_of(run, now=now), "scores": scores}


@require_safe
@reader_required
def scores(request: HttpRequest, pk: int) -> HttpResponse:
    """The scores of a run that is done, all columns of them, as CSV."""
    run = _get(pk)
    if not run.is_done:
        raise ConflictError(
            "These scores are not computed.", action="The page of the run says how far it is."
        )
    with transaction.atomic():
        record_action(
            action="scores downloaded", subject=run, by=cast(User, request.user), now=timezone.now()
        )
    response = HttpResponse(render_records(run.records, "csv"), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="concord-scores-{run.pk}.csv"'
    return response


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
