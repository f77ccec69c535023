"""Staff pages of batches. Admins change, every researcher reads."""

from datetime import datetime
from http import HTTPStatus
from typing import Any, cast

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from survey_site.accounts.models import User
from survey_site.accounts.permissions import admin_required, researcher_required
from survey_site.batches.models import Batch
from survey_site.batches.queries import batch_effort, batch_list, batch_pace, batch_progress, rater_totals
from survey_site.batches.services import (
    MOST_RATERS,
    add_raters,
    close_batch,
    create_batch,
    delete_batch,
    launch_batch,
    pause_batch,
    require_live,
    resume_batch,
    update_batch,
)
from survey_site.batches.window import in_words, move_window
from survey_site.common.errors import NotFoundError
from survey_site.common.pagination import paginate
from survey_site.corpus.models import Corpus
from survey_site.desk.batches.extending_forms import ExtendForm, WindowForm
from survey_site.desk.batches.planning_forms import PRESETS, BatchForm, initial_values


@require_safe
@researcher_required
def batch_index(request: HttpRequest) -> HttpResponse:
    return render(request, "desk/batches/list.html", {"page": paginate(request, batch_list())})


@require_http_methods(["GET", "HEAD", "POST"])
@admin_required
def new(request: HttpRequest) -> HttpResponse:
    """Plan a batch on the corpus of ?corpus=; without it, choose one first."""
    wanted = request.GET.get("corpus", "")
    if wanted.isdecimal():
        return _planning_page(request, get_object_or_404(Corpus, pk=wanted), None)
    return render(
        request, "desk/batches/choose_corpus.html", {"corpora": Corpus.objects.order_by("-created_at")}
    )


@require_http_methods(["GET", "HEAD", "POST"])
@admin_required
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    batch = get_batch(pk)
    if not batch.is_draft:
        messages.warning(request, "A launched batch is not changed any more. Plan a new one instead.")
        return redirect(batch)
    return _planning_page(request, batch.corpus, batch)


def _planning_page(request: HttpRequest, corpus: Corpus, batch: Batch | None) -> HttpResponse:
    preset = PRESETS.get(request.GET.get("preset", ""))
    initial = initial_values(batch) if batch else preset
    form = BatchForm(request.POST or None, corpus=corpus, initial=initial)
    wants_estimate = request.POST.get("action") == "estimate"
    if request.method == "POST" and not wants_estimate and (saved := _save(request, form, batch)):
        return redirect(saved)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors and not wants_estimate else HTTPStatus.OK
    context = {"form": form, "corpus": corpus, "batch": batch}
    context |= _effort_of(form if form.is_bound else _untouched(form))
    return render(request, "desk/batches/plan.html", context, status=status)


def _save(request: HttpRequest, form: BatchForm, batch: Batch | None) -> Batch | None:
    if not form.is_valid():
        return None
    settings, admin, now = form.settings(), cast(User, request.user), timezone.now()
    try:
        if batch:
            return update_batch(batch=batch, settings=settings, by=admin, now=now)
        return create_batch(corpus=form.corpus, settings=settings, created_by=admin, now=now)
    except ValidationError as error:
        form.add_service_errors(error)
        return None


def _untouched(form: BatchForm) -> BatchForm:
    """The form as it is sent where nothing is changed."""
    data = {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}
    data["systems"] = [system.pk for system in data["systems"]]
    return BatchForm(data, corpus=form.corpus)


def _effort_of(form: BatchForm) -> dict[str, Any]:
    effort, shortfall = form.effort()
    return {"effort": effort, "shortfall": shortfall}


@require_safe
@admin_required
def effort(request: HttpRequest) -> HttpResponse:
    """A fragment for the planning page: what the numbers entered so far ask of raters."""
    wanted = request.GET.get("corpus", "")
    corpus = get_object_or_404(Corpus, pk=wanted if wanted.isdecimal() else None)
    return render(request, "desk/batches/_effort.html", _effort_of(BatchForm(request.GET, corpus=corpus)))


@never_cache
@require_safe
@researcher_required
def monitor(request: HttpRequest, pk: int) -> HttpResponse:
    batch = get_batch(pk)
    if batch.is_draft:
        return render(request, "desk/batches/draft.html", {"batch": batch, "effort": batch_effort(batch)})
    link = request.build_absolute_uri(reverse("survey:join", args=[batch.token]))
    return render(request, "desk/batches/monitor.html", _progress_context(request, batch) | {"link": link})


@never_cache
@require_safe
@researcher_required
def progress(request: HttpRequest, pk: int) -> HttpResponse:
    """The part of the monitor that changes, for polling."""
    return render(request, "desk/batches/_progress.html", _progress_context(request, get_batch(pk)))


def _progress_context(request: HttpRequest, batch: Batch) -> dict[str, object]:
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
    }


@require_http_methods(["GET", "HEAD", "POST"])
@admin_required
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """GET asks for confirmation, POST deletes a draft."""
    batch = get_batch(pk)
    if request.method != "POST":
        if not batch.is_draft:
            return redirect(batch)
        return render(request, "desk/batches/delete.html", {"batch": batch})
    delete_batch(batch=batch, by=cast(User, request.user), now=timezone.now())
    messages.success(request, f"The draft “{batch}” is deleted.")
    return redirect("batches:list")


@require_http_methods(["GET", "HEAD", "POST"])
@admin_required
def launch(request: HttpRequest, pk: int) -> HttpResponse:
    """GET asks for confirmation, POST launches."""
    batch = get_batch(pk)
    if request.method != "POST":
        if not batch.is_draft:
            return redirect(batch)
        context = {"batch": batch, "effort": batch_effort(batch), "over": batch.is_over(timezone.now())}
        return render(request, "desk/batches/launch.html", context)
    launch_batch(batch=batch, by=cast(User, request.user), now=timezone.now())
    messages.success(request, "The batch is live. How raters get in stands below.")
    return redirect(batch)


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


@require_http_methods(["GET", "HEAD", "POST"])
@admin_required
def extend(request: HttpRequest, pk: int) -> HttpResponse:
    """GET asks how many raters more, POST adds them."""
    batch = get_batch(pk)
    require_live(batch)
    form = ExtendForm(request.POST or None, most=MOST_RATERS - batch.raters)
    if request.method == "POST" and form.is_valid():
        more = form.cleaned_data["raters"]
        batch = add_raters(batch=batch, raters=more, by=cast(User, request.user), now=timezone.now())
        messages.success(request, f"Every questionnaire now has {batch.raters} places.")
        return redirect(batch)
    return _extend_page(request, batch, form, WindowForm(batch=batch, now=timezone.now()))


@require_POST
@admin_required
def window(request: HttpRequest, pk: int) -> HttpResponse:
    """Move the time window: its end, and its beginning while that lies ahead."""
    batch, now = get_batch(pk), timezone.now()
    form = WindowForm(request.POST, batch=batch, now=now)
    if form.is_valid():
        try:
            moved = move_window(batch=batch, **form.window(), by=cast(User, request.user), now=now)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, _describe_move(batch, moved, now))
            return redirect(batch)
    return _extend_page(request, batch, ExtendForm(most=MOST_RATERS - batch.raters), form)


def _describe_move(before: Batch, after: Batch, now: datetime) -> str:
    said = []
    if after.opens_at and after.opens_at != before.opens_at:
        said.append(
            f"The batch opens on {in_words(after.opens_at)}." if after.is_early(now) else "It is open."
        )
    if after.closes_at != before.closes_at:
        end = f"is {in_words(after.closes_at)}" if after.closes_at else "is taken away"
        said.append(f"The end of the time window {end}.")
    return " ".join(said) or "The time window stays as it is."


def _extend_page(
    request: HttpRequest, batch: Batch, form: ExtendForm, window_form: WindowForm
) -> HttpResponse:
    wrong = form.errors or window_form.errors
    context = {"batch": batch, "form": form, "window_form": window_form}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if wrong else HTTPStatus.OK
    return render(request, "desk/batches/extend.html", context, status=status)


def get_batch(pk: int) -> Batch:
    return get_object_or_404(Batch.objects.select_related("corpus", "created_by", "upload"), pk=pk)


def get_surveyed(pk: int) -> Batch:
    """A batch that people rate on this site; NotFoundError where its ratings were uploaded."""
    batch = get_batch(pk)
    if hasattr(batch, "upload"):
        raise NotFoundError(
            "Nobody takes part in this batch here: its ratings were uploaded.",
            action="Its page says from which file.",
        )
    return batch


def get_launched(pk: int) -> Batch:
    """A batch that raters could have rated; NotFoundError for a draft."""
    batch = get_batch(pk)
    if batch.is_draft:
        raise NotFoundError("This batch has no ratings yet.", action="Launch it first.")
    return batch
