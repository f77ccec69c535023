"""Let a model rate a batch, or judge in readers' places: request a run, ask, cancel, try again.

A run is a row keyed by its requests, and a job as those of scores are (`scoring.jobs`). A model's ratings
stand in a table of their own; no score pools them with people's.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone

from meta_eval.distances.store.files import StoreError
from meta_eval.errors import MetaEvalError
from survey_site.accounts.audit import record_action
from survey_site.accounts.models import User
from survey_site.batches.models import Batch
from survey_site.common.errors import ApplicationError, ConflictError, InvalidInputError, NotFoundError
from survey_site.common.locking import lock_row
from survey_site.model_raters.cancelling import CANCELLED, CANCELLED_ACTION
from survey_site.model_raters.models import ModelRating, ModelRun
from survey_site.model_raters.queries import configured_models
from survey_site.model_raters.storage import forget_replies
from survey_site.scoring import jobs

if TYPE_CHECKING:
    from survey_site.model_raters.asking import PreparedRun

GOES_ON = "The replies so far are kept: once that is mended, try again, and it goes on from there."


def require_rateable(batch: Batch) -> None:
    """Raises ConflictError for a batch whose questions may still change, and for an archived one."""
    if batch.is_draft:
        raise ConflictError(
            "This batch is a draft: its pairs and words may still change.", action="Launch it first."
        )
    if batch.archived_at:
        raise ConflictError(
            "This batch is archived: nothing new is begun on it.", action="Take it out of the archive first."
        )


def request_runs(
    *, batch: Batch, prepared: "Sequence[PreparedRun]", now: datetime, by: User | None = None, note: str = ""
) -> list[ModelRun]:
    """The runs of what was confirmed; the same requests about a batch give the same run.

    One that failed or was cancelled goes back into the queue. The caller enqueues those that are not done.
    Raises ConflictError for a batch that cannot be rated now, InvalidInputError where a run may need more
    tokens than the operator allows, NotFoundError where the batch is deleted meanwhile.
    """
    for one in prepared:
        if one.above_limit:
            raise InvalidInputError(
                f"{one.choice.model} may need {one.expected.most_tokens:,} tokens, above the limit of this "
                "site.",
                action="Ask for less, such as fewer draws, or let the operator raise "
                "CONCORD_LLM_TOKENS_PER_RUN.",
            )
    with transaction.atomic():
        try:
            row = lock_row(Batch.objects.filter(pk=batch.pk))
        except Batch.DoesNotExist as error:
            raise NotFoundError("This batch was deleted.", action="Go back to the list.") from error
        require_rateable(row)
        return [_request(row, one, now, by, note) for one in prepared]


def _request(batch: Batch, prepared: "PreparedRun", now: datetime, by: User | None, note: str) -> ModelRun:
    """Under the batch's lock, so that no two runs of it take one name."""
    key = prepared.key
    if known := ModelRun.objects.filter(key=key).first():
        if known.is_failed:
            known.options = _confirmed_again(known, prepared)
            known.save(update_fields=["options"])
            _record_confirmed(known, prepared, by, now)
        return retry_run(run=known, now=now, by=by)
    run = ModelRun.objects.create(
        key=key,
        batch=batch,
        name=_free_name(batch, prepared.choice.model),
        options=prepared.options,
        wording=prepared.wording_record,
        note=note,
        total=prepared.expected.requests,
        created_by=by,
        created_at=now,
    )
    rows = [
        ModelRating(
            run=run,
            document=pair.doc_id,
            system=pair.system,
            reader_a=pair.reader_a,
            reader_b=pair.reader_b,
        )
        for pair in prepared.pairs
    ]
    ModelRating.objects.bulk_create(rows, batch_size=500)
    _record_confirmed(run, prepared, by, now)
    return run


def _confirmed_again(run: ModelRun, prepared: "PreparedRun") -> dict[str, Any]:
    """Where it goes and what it costs, as confirmed just now; hosts that were sent texts stay named."""
    earlier = [one for one in run.hosts if one != prepared.host] if run.requests else []
    return {**prepared.options, **({"earlier_hosts": earlier} if earlier else {})}


def _record_confirmed(run: ModelRun, prepared: "PreparedRun", by: User | None, now: datetime) -> None:
    asked = {
        "requests": prepared.expected.new,
        "prompt tokens": prepared.expected.prompt_tokens,
        "draws": prepared.choice.draws,
    }
    detail = {
        "run": run.pk,
        "model": prepared.choice.model,
        "sent to": prepared.host or "nowhere: kept replies alone",
    }
    if run.judges:
        documents = {"documents": len(run.options["plan"]["only"]), "shuffled": run.options["shuffled"]}
        _record("model asked to judge", run, by, now, {**detail, **documents, **asked})
    else:
        pairs = {"pairs": len(prepared.pairs), **asked, "both orders": run.options["both_orders"]}
        _record("model asked to rate", run, by, now, {**detail, **pairs})


def _free_name(batch: Batch, model: str) -> str:
    """The model's name; with a number where another run of the batch asks the same model otherwise."""
    taken = set(ModelRun.objects.filter(batch=batch).values_list("name", flat=True))
    number, name = 1, model
    while name in taken:
        number += 1
        name = f"{model} ({number})"
    return name


def execute_run(*, run: ModelRun, clock: jobs.Clock = timezone.now) -> ModelRun:
    """Ask unless it is done; the row says how it ended, a failure with its reason.

    While another process asks the same run this one waits for it, and takes over if it dies.
    """
    mine = jobs.take_up_or_wait(run, clock=clock)
    if mine is None:
        return run

    def ask() -> dict[str, Any]:
        from survey_site.model_raters import asking, judging  # load what speaks to models

        try:
            return judging.ask_judge(mine) if mine.judges else asking.ask_model(mine)
        except StoreError as error:
            # No interruption: each try would pay again for the replies that could not be kept.
            raise MetaEvalError(str(error)) from error

    expected = (MetaEvalError, ApplicationError)
    done = jobs.carry_out(mine, ask, clock=clock, expected=expected, reason_of=_reason_of)
    if not done and not ModelRun.objects.filter(pk=mine.pk).exists():
        forget_replies()  # what was under way when its batch was deleted has been kept since
    return mine


def _reason_of(error: MetaEvalError | ApplicationError) -> str:
    """With what to do: whatever ended the run, its replies are kept."""
    said = jobs.reason_of(error)
    return said if getattr(error, "action", "") else f"{said} {GOES_ON}"


def cancel_run(*, run: ModelRun, now: datetime, by: User | None = None) -> ModelRun:
    """End a run that is not done: at once where no worker asks, else as soon as its worker sees it."""
    with transaction.atomic():
        run = lock_row(ModelRun.objects.filter(pk=run.pk))
        if not run.is_unfinished or run.cancelled_at:
            return run
        run.cancelled_at = now
        run.save(update_fields=["cancelled_at"])
        if not jobs.is_at_work(run, now=now):
            jobs.fail(run, now=now, error=f"{CANCELLED} {CANCELLED_ACTION}")
        _record("model run cancelled", run, by, now, {"run": run.pk, "model": run.name})
        return run


def retry_run(*, run: ModelRun, now: datetime, by: User | None = None) -> ModelRun:
    """Put a run that failed or was cancelled back into the queue; any other stays as it is.

    Raises ConflictError where its model is none of the site's any more, and as `require_rateable` does.
    """
    with transaction.atomic():
        run = lock_row(ModelRun.objects.filter(pk=run.pk))
        if run.is_failed:
            require_rateable(run.batch)
            _require_configured(run)
            run.cancelled_at = None
            run.save(update_fields=["cancelled_at"])
            jobs.requeue(run, now=now)
            _record("model run tried again", run, by, now, {"run": run.pk, "model": run.name})
        return run


def _require_configured(run: ModelRun) -> None:
    model = run.options["model"]
    if run.options["kind"] == "http" and model not in configured_models():
        raise ConflictError(
            f"This site no longer allows the model {model}.",
            action="Choose another model, or let the operator add it to CONCORD_LLM_MODEL.",
        )


def record_download(*, run: ModelRun | Batch, what: str, now: datetime, by: User | None) -> None:
    """Write down that somebody takes a model's ratings out of the site."""
    batch = run.batch if isinstance(run, ModelRun) else run
    with transaction.atomic():
        detail = {"holds": what}
        record_action(action="model ratings exported", subject=batch, by=by, now=now, detail=detail)


def requeue_stale_model_runs(*, now: datetime) -> list[ModelRun]:
    """Runs of killed processes, back in the queue, and runs that wait too long; the caller enqueues them."""
    return jobs.requeue_stale(ModelRun.objects.all(), now=now)


def _record(action: str, run: ModelRun, by: User | None, now: datetime, detail: dict[str, Any]) -> None:
    record_action(action=action, subject=run.batch, by=by, now=now, detail=detail)
