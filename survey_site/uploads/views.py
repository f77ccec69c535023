"""The page that makes a batch of ratings that were collected elsewhere."""

from http import HTTPStatus
from typing import cast

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from meta_eval.errors import InputError
from survey_site.accounts.models import User
from survey_site.accounts.permissions import is_researcher, researcher_required
from survey_site.common.uploading import Uploads, lead_to, takes_files
from survey_site.uploads.forms import UploadForm
from survey_site.uploads.services import UploadResult, import_ratings


@require_http_methods(["GET", "HEAD", "POST"])
@researcher_required
@takes_files(Uploads(allowed=is_researcher, command="import_ratings"))
def new(request: HttpRequest) -> HttpResponse:
    """The form, with the corpus of ?corpus= chosen; POST uploads, all or nothing."""
    form = UploadForm(
        request.POST or None,
        request.FILES or None,
        initial={"corpus": request.GET.get("corpus")},
        user=request.user,
    )
    if request.method == "POST" and form.is_valid():
        return _upload(request, form)
    return _page(request, form)


def _upload(request: HttpRequest, form: UploadForm) -> HttpResponse:
    now = timezone.now()
    try:
        file = form.read(now=now)
        result = import_ratings(
            corpus=form.cleaned_data["corpus"],
            file=file,
            settings=form.settings(),
            now=now,
            by=cast(User, request.user),
        )
    except InputError as faults:
        return _page(request, form, faults)
    except ValidationError as error:
        form.add_error(None, error)
        return _page(request, form)
    _tell(request, result, file.taken)
    return lead_to(request, result.batch.get_absolute_url())


def _page(request: HttpRequest, form: UploadForm, faults: InputError | None = None) -> HttpResponse:
    status = HTTPStatus.UNPROCESSABLE_ENTITY if faults or form.errors else HTTPStatus.OK
    return render(request, "uploads/new.html", {"form": form, "faults": faults}, status=status)


def _tell(request: HttpRequest, result: UploadResult, taken: str) -> None:
    if result.created:
        messages.success(
            request, f"The ratings are here ({taken}). Look at their quality, then build a report."
        )
    else:
        messages.info(request, "This file was already here, as the batch below. Nothing was stored twice.")
