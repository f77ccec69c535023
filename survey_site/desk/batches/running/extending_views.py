"""The pages on which a live batch gets more raters, another time window or more documents."""

from datetime import datetime
from http import HTTPStatus
from typing import Any, cast

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from survey_site.accounts.models import User
from survey_site.accounts.permissions import admin_required
from survey_site.batches.extending import add_documents
from survey_site.batches.models import Batch
from survey_site.batches.planning import plan_more
from survey_site.batches.queries import batch_effort
from survey_site.batches.services import MOST_RATERS, add_raters, require_live
from survey_site.batches.window import move_window
from survey_site.common.moments import in_words
from survey_site.desk.batches.running.extending_forms import DocumentsForm, ExtendForm, WindowForm
from survey_site.desk.lookup import get_batch
from survey_site.survey.people.participation import read_participation


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


@require_http_methods(["GET", "HEAD", "POST"])
@admin_required
def documents(request: HttpRequest, pk: int) -> HttpResponse:
    """POST shows which documents come and what they ask of raters; with action=add it adds them."""
    batch = get_batch(pk)
    require_live(batch)
    form = DocumentsForm(request.POST or None)
    preview: dict[str, Any] = {}
    if request.method == "POST" and form.is_valid():
        if request.POST.get("action") == "add" and _add(request, batch, form):
            return redirect(batch)
        preview = _preview(batch, form)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(
        request, "desk/batches/documents.html", {"batch": batch, "form": form, **preview}, status=status
    )


def _add(request: HttpRequest, batch: Batch, form: DocumentsForm) -> bool:
    try:
        added = add_documents(
            batch=batch, **form.cleaned_data, by=cast(User, request.user), now=timezone.now()
        )
    except ValidationError as error:
        form.add_service_errors(error)
        return False
    messages.success(request, f"{len(added)} questionnaires are added and handed out from now on.")
    return True


def _preview(batch: Batch, form: DocumentsForm) -> dict[str, Any]:
    if form.errors:
        return {}
    data = form.cleaned_data
    try:
        plan = plan_more(batch, documents=data["documents"], keys=data["document_keys"])
    except ValidationError as error:
        form.add_service_errors(error)
        return {}
    keys = sorted({planned.document for planned in plan.questionnaires})
    effort = batch_effort(batch, documents=len(keys), limit=read_participation(batch).limit)
    return {"keys": keys, "plan": plan, "effort": effort}
