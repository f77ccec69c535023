"""The page that adds documents to a live batch: first what it would mean, then the deed."""

from http import HTTPStatus
from typing import Any, cast

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from survey_site.accounts.models import User
from survey_site.accounts.permissions import admin_required
from survey_site.batches.extending import add_documents
from survey_site.batches.models import Batch
from survey_site.batches.planning import plan_more
from survey_site.batches.queries import batch_effort
from survey_site.batches.services import require_live
from survey_site.desk.batches.extending_forms import DocumentsForm
from survey_site.desk.batches.views import get_batch


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
    return {"keys": keys, "plan": plan, "effort": batch_effort(batch, documents=len(keys))}
