"""The page on which staff watch a batch run, and its buttons. Admins change, every researcher reads."""

from collections.abc import Sequence
from typing import Any, cast

from django.contrib import messages
from django.core.paginator import Page
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from survey_site.accounts.models import User
from survey_site.accounts.permissions import admin_required, is_admin, reader_required
from survey_site.batches.models import Batch
from survey_site.batches.queries import (
    BatchProgress,
    batch_effort,
    batch_pace,
    batch_progress,
    given_names,
    rater_totals,
    raters_at_work,
)
from survey_site.batches.services import close_batch, pause_batch, resume_batch
from survey_site.batches.timing import Completion, completions_of, median_time
from survey_site.common.pagination import paginate
from survey_site.desk.batches.running.next_step import Situation, next_step
from survey_site.desk.batches.running.plots import plot_answers, plot_coverage, plot_times
from survey_site.desk.lookup import get_batch, get_launched
from survey_site.quality.kept import Known, known_of, look_into
from survey_site.quality.queries import snapshot_of
from survey_site.quality.tasks import ask_workers
from survey_site.quality.watching import quality_so_far
from survey_site.survey.people.panels import many_browsers, study_address
from survey_site.survey.people.participation import read_participation
from survey_site.survey.rating.comments import comments_of
from survey_site.survey.rating.reopening import reopen_expired
from survey_site.uploads.queries import upload_of

ASKED = "quality"
"""Parameter of the page that asks for numbers that cost time; without scripts a link sets it."""


@require_safe
@reader_required
def monitor(request: HttpRequest, pk: int) -> HttpResponse:
    batch = get_batch(pk)
    if batch.is_draft:
        effort = batch_effort(batch, limit=read_participation(batch).limit)
        return render(request, "desk/batches/draft.html", {"batch": batch, "effort": effort})
    asked = ASKED in request.GET
    known = look_into(batch, now=timezone.now(), ask=ask_workers) if asked else known_of(batch)
    context = _progress_context(request, batch, known) | {
        "snapshot": snapshot_of(batch) if batch.is_frozen else None,
        "known": known,
    }
    return render(request, "desk/batches/monitor.html", context)


@require_safe
@reader_required
def progress(request: HttpRequest, pk: int) -> HttpResponse:
    """The part of the monitor that changes, for polling."""
    batch = get_launched(pk)
    return render(request, "desk/batches/_progress.html", _progress_context(request, batch, known_of(batch)))


def _progress_context(request: HttpRequest, batch: Batch, known: Known) -> dict[str, Any]:
    """known: of the quality, by now; the next step and the list speak of flagged raters."""
    now = timezone.now()
    so_far = quality_so_far(batch, known)
    progress = batch_progress(batch, now=now)
    completions = [] if upload_of(batch) else completions_of(batch)
    pace = batch_pace(batch, progress, completions, now=now)
    link = request.build_absolute_uri(reverse("survey:join", args=[batch.token]))
    participation = read_participation(batch) if batch.is_live else None
    words = request.GET.get("rater", "").strip()
    raters = _list_raters(request, batch, known, words=words, count=None if words else progress.raters)
    situation = Situation(batch, progress, pace, so_far.flagged if so_far else None, now)
    return {
        "batch": batch,
        "progress": progress,
        "pace": pace,
        "situation": situation,
        "step": next_step(situation),
        "raters": raters,
        "words": words,
        "so_far": so_far,
        "names": given_names(batch) if is_admin(request.user) else [],
        "now": now,
        "early": batch.is_live and batch.is_early(now),
        "over": batch.is_live and batch.is_over(now),
        "comments": comments_of(batch),
        "link": link,
        "address": study_address(link, participation) if participation else link,
        "participation": participation,
        "many_browsers": many_browsers(batch),
        **_pictures(batch, progress, completions),
    }


def _list_raters(
    request: HttpRequest, batch: Batch, known: Known, *, words: str, count: int | None
) -> Page[Any]:
    """A page of the raters whose code has these words in it, with exclusions and flags."""
    raters = paginate(request, raters_at_work(batch, words=words), per_page=50, count=count)
    keys = list(raters.object_list)
    totals = {rater.pk: rater for rater in rater_totals(batch, of=keys).prefetch_related("exclusion")}
    raters.object_list = [totals[key] for key in keys if key in totals]
    flags = {found.code: found.flags for found in known.raters}
    for rater in raters.object_list:
        rater.flags = flags.get(rater.code, ())
        rater.excluded = getattr(rater, "exclusion", None)
    return raters


def _pictures(batch: Batch, progress: BatchProgress, completions: Sequence[Completion]) -> dict[str, Any]:
    """What the plots show; an uploaded batch has none, since nobody knows how its ratings came."""
    if upload_of(batch):
        return {}
    return {
        "coverage": plot_coverage(progress, batch.raters),
        "line": plot_answers(completions),
        "bars": plot_times(completions),
        "median_time": median_time(completions),
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
        else "Every questionnaire in work is still in time"
    )
    messages.success(request, f"{what}. Answers that were given are kept.")
    return redirect(batch)
