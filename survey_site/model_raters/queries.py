"""Reads about models that rate or judge: which are configured, what a batch asks, what a run came to."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.conf import settings
from django.db.models import Avg, Count, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from meta_eval.corpus.documents import GOLD
from meta_eval.ratings.of_models import ModelAnswer, ModelTable
from meta_eval.ratings.rating import RatedPair, Rating, rated_pair
from meta_eval.ratings.rows import sort_ratings
from meta_eval.ratings.table import MODEL_RATER
from survey_site.batches.models import Batch, Item, scored_items
from survey_site.common.errors import InvalidInputError
from survey_site.model_raters.models import ModelRating, ModelRun
from survey_site.scoring.models import JobStatus

_PAIR = ("document", "system", "reader_a", "reader_b")


def configured_models() -> list[str]:
    """The models that the operator of the site allows; empty where none is configured."""
    return list(settings.CONCORD_LLM_MODELS)


def knows_models(batch: Batch) -> bool:
    """Whether pages of the batch may mention models: one is configured, or one has rated it."""
    return bool(configured_models()) or ModelRun.objects.filter(batch=batch).exists()


def pairs_of(batch: Batch) -> list[RatedPair]:
    """The pairs that the batch asks people about, each once, in the order of the plan; no controls."""
    planned = Item.objects.filter(scored_items(), questionnaire__batch=batch)
    columns = (
        "questionnaire__document__key",
        "system__name",
        "questionnaire__reader_a__key",
        "questionnaire__reader_b__key",
    )
    rows = planned.order_by("questionnaire__number", "pk").values_list(*columns)
    return list(dict.fromkeys(rated_pair(document, system or GOLD, a, b) for document, system, a, b in rows))


def pairs_of_run(run: ModelRun) -> list[RatedPair]:
    """The pairs that a run is about, in their order."""
    return [RatedPair(*row) for row in run.ratings.order_by("pk").values_list(*_PAIR)]


def raters_among(runs: "QuerySet[ModelRun]") -> "QuerySet[ModelRun]":
    """Those of runs that rate pairs, as people do."""
    return runs.filter(options__plan__isnull=True)


def judges_among(runs: "QuerySet[ModelRun]") -> "QuerySet[ModelRun]":
    """Those of runs that judge single summaries in readers' places."""
    return runs.filter(options__plan__isnull=False)


def judges_of(batch: Batch) -> "QuerySet[ModelRun]":
    """The judges of a batch, oldest first."""
    return judges_among(ModelRun.objects.filter(batch=batch).select_related("batch", "created_by"))


def runs_of(batch: Batch) -> "QuerySet[ModelRun]":
    """The raters of a batch side by side, oldest first: `pairs`, `rated` of them, and the mean rating."""
    return (
        raters_among(ModelRun.objects.filter(batch=batch))
        .select_related("batch", "created_by")
        .annotate(pairs=Count("ratings"), rated=Count("ratings__rating"), mean_rating=Avg("ratings__rating"))
    )


def get_run(batch: int, pk: int) -> ModelRun:
    rows = ModelRun.objects.select_related("batch__corpus", "batch__upload", "created_by")
    return get_object_or_404(rows, pk=pk, batch=batch)


def find_batch(pk: int) -> Batch:
    """The batch; as if there were no such page where no model is configured and none has rated it."""
    batch = get_object_or_404(Batch.objects.select_related("corpus", "upload"), pk=pk)
    if not knows_models(batch):
        raise Http404
    return batch


def find_run(pk: int, run: int) -> ModelRun:
    return get_run(find_batch(pk).pk, run)


def find_rater(pk: int, run: int) -> ModelRun:
    """A run that rates pairs; as if there were none where it judges."""
    row = find_run(pk, run)
    if row.judges:
        raise Http404
    return row


def finished_runs(batch: Batch | None = None) -> "QuerySet[ModelRun]":
    """Runs with ratings that reports may use, of one batch or of all."""
    done = raters_among(_done())
    return done if batch is None else done.filter(batch=batch)


def finished_judges() -> "QuerySet[ModelRun]":
    """Judges in readers' places whose scores reports may use."""
    return judges_among(_done())


def _done() -> "QuerySet[ModelRun]":
    return ModelRun.objects.filter(status=JobStatus.DONE).select_related("batch")


def runs_named(batch: Batch, numbers: Sequence[int], *, field: str = "model_runs") -> list[ModelRun]:
    """The runs of the batch with these numbers. Raises InvalidInputError, on `field`, for one that it does
    not have.
    """
    found = list(ModelRun.objects.filter(batch=batch, pk__in=numbers).select_related("batch"))
    if missing := sorted(set(numbers) - {one.pk for one in found}):
        words = f"This batch has no run of a model with the number {', '.join(map(str, missing))}."
        raise InvalidInputError(words, action="Ask for its list.", fields={field: [words]})
    return found


def rater_of(run: ModelRun) -> str:
    """What the model is called among raters: nobody can take it for a person."""
    return f"{MODEL_RATER}{run.name}"


def ratings_of(runs: Iterable[ModelRun]) -> list[Rating]:
    """What the models of these runs rated, as `judge pairs` writes it into one file of ratings."""
    by_key = {run.pk: rater_of(run) for run in runs}
    rows = ModelRating.objects.filter(run__in=list(by_key), rating__isnull=False)
    return sort_ratings(
        Rating(document, system, reader_a, reader_b, by_key[run], rating)
        for run, document, system, reader_a, reader_b, rating in rows.order_by("pk")
        .values_list("run", *_PAIR, "rating")
        .iterator()
    )


def mean_records(run: ModelRun) -> list[dict[str, Any]]:
    """One record a pair, unrounded, as `judge pairs` writes `means.csv`."""
    columns = ("mean", "mean_ab", "mean_ba", "sd")
    return [
        {**_named(pair, run), **dict(zip(columns, values, strict=True)), "answers": _counted(answers)}
        for pair, values, answers in _rows(run, columns)
    ]


def answer_records(run: ModelRun) -> Iterator[dict[str, Any]]:
    """One record a question, as `judge pairs` writes `answers.jsonl`."""
    for pair, _, answers in _rows(run, ()):
        for answer in answers:
            yield {**_named(pair, run), **answer}


def model_tables(runs: Iterable[ModelRun]) -> tuple[ModelTable, ...]:
    """What each of these models said, for a report: never one of them among people's ratings."""
    return tuple(ModelTable(rater_of(run), tuple(map(_answer, answer_records(run)))) for run in runs)


def _answer(record: dict[str, Any]) -> ModelAnswer:
    pair = rated_pair(*(record[name] for name in ("doc_id", "system", "reader_a", "reader_b")))
    return ModelAnswer(pair, record["rating"], record["order"], record["draw"], record["reason"])


def _rows(
    run: ModelRun, columns: Sequence[str]
) -> Iterator[tuple[list[str], list[float | None], list[dict[str, Any]]]]:
    rows = run.ratings.order_by("pk").values_list(*_PAIR, *columns, "answers")
    for *values, answers in rows.iterator(chunk_size=500):
        yield values[: len(_PAIR)], values[len(_PAIR) :], answers


def _named(pair: Sequence[str], run: ModelRun) -> dict[str, Any]:
    return {**dict(zip(("doc_id", *_PAIR[1:]), pair, strict=True)), "rater": rater_of(run)}


def _counted(answers: Sequence[dict[str, Any]]) -> int:
    return sum(answer["rating"] is not None for answer in answers)
