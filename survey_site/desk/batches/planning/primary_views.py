"""The page on which the primary coefficient of a launched batch is declared or changed."""

from http import HTTPStatus
from typing import cast

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from survey_site.accounts.models import User
from survey_site.accounts.permissions import admin_required
from survey_site.batches.declaring import declare_primary
from survey_site.batches.models import Batch
from survey_site.batches.primary import count_ratings, primary_in_words
from survey_site.batches.services import require_unfrozen
from survey_site.desk.batches.planning.primary_forms import PrimaryFields, initial_primary, offer_distances
from survey_site.desk.lookup import get_batch


@require_http_methods(["GET", "HEAD", "POST"])
@admin_required
def primary(request: HttpRequest, pk: int) -> HttpResponse:
    """GET shows what is declared, POST changes it; of a draft the plan's page does."""
    batch = get_batch(pk)
    if batch.is_draft:
        return redirect("batches:edit", batch.pk)
    require_unfrozen(batch)
    form = PrimaryFields(request.POST if request.method == "POST" else None, initial=initial_primary(batch))
    offer_distances(form, batch.corpus)
    if request.method == "POST" and form.is_valid() and _declare(request, batch, form):
        return redirect(batch)
    context = {
        "batch": batch,
        "form": form,
        "standing": primary_in_words(batch),
        "ratings": count_ratings(batch),
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "desk/batches/primary.html", context, status=status)


def _declare(request: HttpRequest, batch: Batch, form: PrimaryFields) -> bool:
    try:
        batch = declare_primary(
            batch=batch, choice=form.primary(), by=cast(User, request.user), now=timezone.now()
        )
    except ValidationError as error:
        form.add_service_errors(error)
        return False
    words = primary_in_words(batch)
    said = f"Primary coefficient: {words}." if words else "No primary coefficient is declared."
    messages.success(request, said)
    return True
