"""The files of a run that is done, as `judge pairs` or `judge summaries` writes them, and rows as JSON."""

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from meta_eval.files.cells import csv_text
from meta_eval.files.writing import render_records
from meta_eval.ratings.rows import RATING_COLUMNS, rating_row
from survey_site.accounts.models import User
from survey_site.common.errors import ConflictError, NotFoundError
from survey_site.model_raters.models import ModelRun
from survey_site.model_raters.queries import answer_records, mean_records, ratings_of
from survey_site.model_raters.services import record_download

CSV, JSON, JSON_LINES = (
    "text/csv; charset=utf-8", "application/json", "application/jsonl; charset=utf-8"
)  # fmt: skip


def ratings_csv(runs: Iterable[ModelRun]) -> str:
    """What `judge stand-in` reads as MODELS.csv."""
    return csv_text([RATING_COLUMNS, *map(rating_row, ratings_of(runs))])


def _ratings_json(run: ModelRun) -> str:
    rows = [dict(zip(RATING_COLUMNS, rating_row(one), strict=True)) for one in ratings_of([run])]
    return _as_json(rows)


def _means_csv(run: ModelRun) -> str:
    return render_records(mean_records(run), "csv")


def _answers(run: ModelRun) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in answer_records(run))


def _as_json(rows: Any) -> str:
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"


def _judge_file(file: str) -> Callable[[ModelRun], str]:
    def make(run: ModelRun) -> str:
        from survey_site.model_raters.judging import judge_file  # loads what speaks to models

        return judge_file(run, file)

    return make


FILES: Mapping[str, tuple[str, Callable[[ModelRun], str]]] = {
    "ratings.csv": (CSV, lambda run: ratings_csv([run])),
    "ratings.json": (JSON, _ratings_json),
    "means.csv": (CSV, _means_csv),
    "means.json": (JSON, lambda run: _as_json(mean_records(run))),
    "answers.jsonl": (JSON_LINES, _answers),
}
"""By name the type and the maker: ratings as whole numbers; means unrounded, with each order's; every answer
with its raw text.
"""


JUDGE_FILES: Mapping[str, tuple[str, Callable[[ModelRun], str]]] = {
    "scores.json": (JSON, _judge_file("scores.json")),
    "judged.jsonl": (JSON_LINES, _judge_file("judged.jsonl")),
    "run.json": (JSON, _judge_file("run.json")),
    "replies.jsonl": (JSON_LINES, _judge_file("replies.jsonl")),
}
"""Of a judge in readers' places: together the folder that `report --perse` takes."""


def take_run_file(*, run: ModelRun, file: str, by: User, now: datetime) -> tuple[str, str, str]:
    """Name, type and text of a file of a run that is done; that somebody takes it is written down.

    Raises NotFoundError for another file, ConflictError before the run is done.
    """
    files = JUDGE_FILES if run.judges else FILES
    if file not in files:
        raise NotFoundError("A run has no such file.", action=f"Ask for {', '.join(files)}.")
    if not run.is_done:
        raise ConflictError("This model is not done.", action="Its page says how far it is.")
    kind, make = files[file]
    name = f"concord-batch-{run.batch_id}-model-{run.pk}-{file}"
    record_download(run=run, what=name, now=now, by=by)
    return name, kind, make(run)
