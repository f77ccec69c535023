"""Pages on which distances from outside are uploaded for a corpus, listed and removed."""

from http import HTTPStatus
from typing import Any, cast

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from meta_eval.errors import InputError
from survey_site.accounts.models import User
from survey_site.accounts.permissions import admin_required, is_admin, reader_required
from survey_site.common.uploading import Uploads, lead_to, takes_files
from survey_site.corpus.models import Corpus
from survey_site.scoring.given.forms import DistancesForm
from survey_site.scoring.given.queries import distances_of, reports_on
from survey_site.scoring.given.services import GivenResult, import_distances, remove_distances
from survey_site.scoring.models import GivenDistances

_SAFE = ["GET", "HEAD", "POST"]


@require_http_methods(["GET", "HEAD"])
@reader_required
def index(request: HttpRequest, corpus: int) -> HttpResponse:
    """The distances from outside that a corpus has."""
    row = get_object_or_404(Corpus, pk=corpus)
    return render(request, "scoring/distances.html", {"corpus": row, "given": distances_of(row)})


@require_http_methods(_SAFE)
@admin_required
@takes_files(Uploads(allowed=is_admin, command="import_distances"))
def upload(request: HttpRequest, corpus: int) -> HttpResponse:
    """The form; POST uploads, all or nothing."""
    row = get_object_or_404(Corpus, pk=corpus)
    form = DistancesForm(request.POST or None, request.FILES or None)
    faults = None
    if request.method == "POST" and form.is_valid():
        try:
            return _tell(request, _import(request, row, form))
        except InputError as error:
            faults = error
        except ValidationError as error:
            form.add_error(None, error)
    context: dict[str, Any] = {"corpus": row, "form": form, "faults": faults}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if faults or form.errors else HTTPStatus.OK
    return render(request, "scoring/upload_distances.html", context, status=status)


def _import(request: HttpRequest, corpus: Corpus, form: DistancesForm) -> GivenResult:
    return import_distances(
        corpus=corpus,
        name=form.cleaned_data["name"],
        files=form.chosen,
        now=timezone.now(),
        by=cast(User, request.user),
    )


def _tell(request: HttpRequest, result: GivenResult) -> HttpResponse:
    if result.created:
        said = f"“{result.row.name}” is a measure and a surrogate of reports on this corpus now."
        messages.success(request, said)
    else:
        messages.info(request, "These distances were already here. Nothing was stored twice.")
    return lead_to(request, result.row.get_absolute_url())


@require_http_methods(_SAFE)
@admin_required
def remove(request: HttpRequest, corpus: int, pk: int) -> HttpResponse:
    """What rests on the distances; POST removes them."""
    rows = GivenDistances.objects.filter(corpus=corpus, removed_at__isnull=True).defer("book")
    row = get_object_or_404(rows.select_related("corpus"), pk=pk)
    if request.method == "POST":
        gone = remove_distances(row=row, now=timezone.now(), by=cast(User, request.user))
        kept = "" if gone else " The reports that rest on them keep them."
        messages.success(request, f"“{row.name}” was removed.{kept}")
        return redirect(row)
    context = {"row": row, "corpus": row.corpus, "reports": reports_on(row)}
    return render(request, "scoring/remove_distances.html", context)
