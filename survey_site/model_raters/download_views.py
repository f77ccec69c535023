"""A model's ratings to take away, in the files that `judge pairs` writes; each download is written down."""

from typing import cast

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from survey_site.accounts.models import User
from survey_site.accounts.permissions import reader_required
from survey_site.common.errors import ConflictError
from survey_site.model_raters.files import CSV, ratings_csv, take_run_file
from survey_site.model_raters.queries import find_batch, find_run, finished_runs
from survey_site.model_raters.services import record_download


@require_safe
@reader_required
def ratings(request: HttpRequest, pk: int) -> HttpResponse:
    """The ratings of every model that is done: what `judge stand-in` reads as MODELS.csv."""
    batch = find_batch(pk)
    runs = list(finished_runs(batch))
    if not runs:
        raise ConflictError("No model has rated this batch yet.", action="Wait until one is done.")
    name = f"concord-batch-{batch.pk}-models-ratings.csv"
    record_download(run=batch, what=name, now=timezone.now(), by=cast(User, request.user))
    return _send(name, CSV, ratings_csv(runs))


@require_safe
@reader_required
def run_file(request: HttpRequest, pk: int, run: int, file: str) -> HttpResponse:
    """One file of one model: whole ratings, means, or every answer."""
    by = cast(User, request.user)
    return _send(*take_run_file(run=find_run(pk, run), file=file, by=by, now=timezone.now()))


def _send(name: str, kind: str, text: str) -> HttpResponse:
    response = HttpResponse(text, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
