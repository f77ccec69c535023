"""A model's ratings to take away, in the files that `judge pairs` writes; each download is written down."""

import json
from collections.abc import Iterable
from typing import cast

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from meta_eval.files.cells import csv_text
from meta_eval.files.writing import render_records
from meta_eval.ratings.rows import RATING_COLUMNS, rating_row
from survey_site.accounts.models import User
from survey_site.accounts.permissions import reader_required
from survey_site.batches.models import Batch
from survey_site.common.errors import ConflictError
from survey_site.model_raters.models import ModelRun
from survey_site.model_raters.queries import answer_records, finished_runs, mean_records, ratings_of
from survey_site.model_raters.services import record_download
from survey_site.model_raters.views import find_batch, find_run

CSV, JSON_LINES = "text/csv; charset=utf-8", "application/jsonl; charset=utf-8"


@require_safe
@reader_required
def ratings(request: HttpRequest, pk: int) -> HttpResponse:
    """The ratings of every model that is done: what `judge stand-in` reads as MODELS.csv."""
    batch = find_batch(pk)
    runs = list(finished_runs(batch))
    if not runs:
        raise ConflictError("No model has rated this batch yet.", action="Wait until one is done.")
    name = f"concord-batch-{batch.pk}-models-ratings.csv"
    return _send(request, batch, name, _ratings_csv(runs), CSV)


@require_safe
@reader_required
def run_ratings(request: HttpRequest, pk: int, run: int) -> HttpResponse:
    """The ratings of one model, whole numbers."""
    row = _done(pk, run)
    return _send(request, row, _name(row, "ratings.csv"), _ratings_csv([row]), CSV)


@require_safe
@reader_required
def means(request: HttpRequest, pk: int, run: int) -> HttpResponse:
    """The same unrounded, with each order's mean."""
    row = _done(pk, run)
    return _send(request, row, _name(row, "means.csv"), render_records(mean_records(row), "csv"), CSV)


@require_safe
@reader_required
def answers(request: HttpRequest, pk: int, run: int) -> HttpResponse:
    """Every answer with its raw text, one line of JSON each."""
    row = _done(pk, run)
    lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in answer_records(row))
    return _send(request, row, _name(row, "answers.jsonl"), "".join(lines), JSON_LINES)


def _done(pk: int, run: int) -> ModelRun:
    row = find_run(pk, run)
    if not row.is_done:
        raise ConflictError("This model is not done rating.", action="Its page says how far it is.")
    return row


def _ratings_csv(runs: Iterable[ModelRun]) -> str:
    return csv_text([RATING_COLUMNS, *map(rating_row, ratings_of(runs))])


def _name(run: ModelRun, file: str) -> str:
    return f"concord-batch-{run.batch_id}-model-{run.pk}-{file}"


def _send(request: HttpRequest, about: ModelRun | Batch, name: str, text: str, kind: str) -> HttpResponse:
    by = cast(User, request.user)
    record_download(run=about, what=name, now=timezone.now(), by=by)
    response = HttpResponse(text, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
