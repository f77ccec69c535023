"""Pages on which a model is let rate a batch or judge its summaries, watched, and set beside others."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, cast

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from meta_eval.errors import MetaEvalError
from survey_site.accounts.models import User
from survey_site.accounts.permissions import admin_required, reader_required
from survey_site.batches.models import Batch
from survey_site.common.errors import InvalidInputError
from survey_site.model_raters.forms import AskingForm, JudgeForm, ModelsForm
from survey_site.model_raters.models import ModelRun
from survey_site.model_raters.planning import (
    begin,
    host_of,
    prepared_for,
    prepared_judge,
    seen_of,
    total_of,
)
from survey_site.model_raters.queries import configured_models, find_batch, find_run, judges_of, runs_of
from survey_site.model_raters.services import cancel_run, require_rateable, retry_run
from survey_site.model_raters.tasks import enqueue_model_run

if TYPE_CHECKING:
    from survey_site.model_raters.asking import PreparedRun

WAITING_LONG = timedelta(seconds=20)


@require_safe
@reader_required
def index(request: HttpRequest, pk: int) -> HttpResponse:
    """The models that rated or rate this batch, side by side."""
    batch = find_batch(pk)
    runs, judges = list(runs_of(batch)), list(judges_of(batch))
    context = {
        "batch": batch,
        "runs": runs,
        "judges": judges,
        "finished": [run for run in runs if run.is_done],
        "done": any(run.is_done for run in (*runs, *judges)),
        "priced": any(run.cost is not None for run in (*runs, *judges)),
        "can_ask": bool(configured_models()) and not batch.is_draft and not batch.archived_at,
    }
    return render(request, "model_raters/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@admin_required
def new(request: HttpRequest, pk: int) -> HttpResponse:
    """What would leave the machine, and the form; POST shows it for other choices, or begins."""
    batch = _rateable(pk)
    form = ModelsForm(request.POST or None)
    choices = form.cleaned_data["choices"] if form.is_valid() else form.usual
    prepared, problem = _prepare(lambda: prepared_for(batch, choices))
    return _shown_or_begun(request, batch, form, prepared, problem)


@require_http_methods(["GET", "HEAD", "POST"])
@admin_required
def judge(request: HttpRequest, pk: int) -> HttpResponse:
    """As `new`, for a judge in readers' places."""
    batch = _rateable(pk)
    form = JudgeForm(request.POST or None)
    choice = form.cleaned_data["choice"] if form.is_valid() else form.usual
    prepared, problem = _prepare(lambda: prepared_judge(batch, choice))
    return _shown_or_begun(request, batch, form, prepared, problem)


def _rateable(pk: int) -> Batch:
    batch = find_batch(pk)
    if not configured_models():
        raise Http404
    require_rateable(batch)
    return batch


def _shown_or_begun(
    request: HttpRequest, batch: Batch, form: AskingForm, prepared: "list[PreparedRun]", problem: str
) -> HttpResponse:
    """The form with what would leave, or the way to what was begun with what was shown and confirmed."""
    seen = seen_of(prepared)
    if request.method == "POST" and form.is_valid() and "begin" in request.POST and not problem:
        if form.cleaned_data["seen"] != seen:
            form.add_error(None, "You chose otherwise than what you were shown: look at it, then confirm.")
        elif not form.cleaned_data["confirmed"]:
            form.add_error("confirmed", "Confirm that these texts may be sent there.")
        elif runs := _begin(request, batch, prepared, form):
            return redirect(runs[0]) if len(runs) == 1 else redirect("model_raters:list", batch.pk)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors or problem else HTTPStatus.OK
    context: dict[str, Any] = {
        "batch": batch,
        "form": form,
        "prepared": prepared,
        "problem": problem,
        "seen": seen,
        "total": total_of(prepared),
        "host": host_of(prepared),
    }
    template = "model_raters/judge.html" if isinstance(form, JudgeForm) else "model_raters/new.html"
    return render(request, template, context, status=status)


def _prepare(make: "Callable[[], list[PreparedRun]]") -> "tuple[list[PreparedRun], str]":
    """What would be asked, or why nothing can be."""
    try:
        return make(), ""
    except MetaEvalError as error:
        return [], str(error)


def _begin(
    request: HttpRequest, batch: Batch, prepared: "Sequence[PreparedRun]", form: AskingForm
) -> list[ModelRun]:
    """The runs, handed to the workers; none, and the form says why, where they cannot be begun."""
    try:
        runs = begin(batch=batch, prepared=prepared, by=cast(User, request.user), now=timezone.now())
    except InvalidInputError as error:
        form.add_error(None, f"{error.message} {error.action}")
        return []
    if found := [run.name for run in runs if run.is_done]:
        messages.info(request, f"Already done in exactly this way: {', '.join(found)}. Nothing was sent.")
    return runs


@require_safe
@reader_required
def detail(request: HttpRequest, pk: int, run: int) -> HttpResponse:
    """One run: how far it is, what it was asked, and what came of it."""
    return render(request, "model_raters/run.html", _shown(find_run(pk, run), timezone.now()))


@require_safe
@reader_required
def progress(request: HttpRequest, pk: int, run: int) -> HttpResponse:
    """The changing part of the page of a run that is not done."""
    return render(request, "model_raters/_progress.html", _shown(find_run(pk, run), timezone.now()))


def _shown(run: ModelRun, now: datetime) -> dict[str, Any]:
    labels = run.wording.get("labels", {})
    return {
        "run": run,
        "batch": run.batch,
        **(_judged(run) if run.judges else {}),
        "labels": sorted(labels.items(), key=lambda item: int(item[0])),
        "left_out": run.record.get("left_out", {}),
        "rated": run.ratings.filter(rating__isnull=False).count(),
        "pairs": run.ratings.count(),
        "waits_long": run.is_waiting and now - run.waits_since > WAITING_LONG,
    }


def _judged(run: ModelRun) -> dict[str, Any]:
    """Of a judge: perse and perse-own of each system, in the order of the batch."""
    scores = run.record.get("scores", {})
    rows = [
        (name, scores.get(f"perse {name}"), scores.get(f"perse-own {name}"))
        for name in run.options["plan"]["systems"]
    ]
    return {"scores": rows if scores else [], "has_own": run.options["plan"]["own"]}


@require_POST
@admin_required
def cancel(request: HttpRequest, pk: int, run: int) -> HttpResponse:
    """End a run that is not done."""
    row = cancel_run(run=find_run(pk, run), now=timezone.now(), by=cast(User, request.user))
    return redirect(row)


@require_POST
@admin_required
def retry(request: HttpRequest, pk: int, run: int) -> HttpResponse:
    """Go on with a run that failed or was cancelled."""
    with transaction.atomic():
        row = retry_run(run=find_run(pk, run), now=timezone.now(), by=cast(User, request.user))
        if row.is_unfinished:
            enqueue_model_run(row)
    return redirect(row)
