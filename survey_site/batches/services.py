"""Plan, launch and close a batch: the only code that writes batches, questionnaires and items."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.dispatch import Signal

from meta_eval.design.plan import SurveyPlan
from survey_site.accounts.audit import record_action
from survey_site.accounts.models import User
from survey_site.batches.effort import pairs_among
from survey_site.batches.models import Batch, default_languages
from survey_site.batches.planning import add_slots, plan_batch, plan_settings, store_plan
from survey_site.batches.primary import (
    PrimaryChoice,
    primary_in_words,
    stands,
    store_primary,
    validate_primary,
)
from survey_site.batches.states import BatchStatus, Scale
from survey_site.batches.validators import (
    chosen_systems,
    require_draft,
    require_offered,
    validate_labels,
    validate_languages,
    validate_middle_labels,
)
from survey_site.batches.window import validate_window
from survey_site.batches.wording import (
    INSTRUCTIONS,
    PARTS,
    default_wording,
    is_default_instructions,
    ours_in,
)
from survey_site.common.errors import ConflictError, InvalidInputError
from survey_site.common.locking import lock_row
from survey_site.corpus.models import Corpus, System


@dataclass(frozen=True, kw_only=True)
class BatchSettings:
    """What an admin decides about a batch.

    systems: those to survey, None for all of the corpus. documents: how many to draw, None for every suitable
    one; document_keys: which ones, instead of drawing. readers: how many of a document, with all pairs among
    them; `reader_pairs` counts any pairs and is not read then. parts_together: the questionnaires of one
    document and reader pair are handed out one after the other. document_shown: whether raters read the
    document. marks_allowed: whether they may say that they cannot judge a pair. equal_pairs_once:
    whether pairs of the same two texts are shown once, and the answer counts for each. one_typography:
    whether raters see all texts of a page typed alike. identical_share, unrelated_share: the per cent of
    questionnaires with such a control. languages: what raters may choose from, that of the wording first;
    none for the site's own. Empty wording means the default of the scale in that language, and of `label_2`
    to `label_5` that only the ends have words. primary: the primary coefficient that is declared, if any.
    """

    name: str
    systems: Sequence[System] | None = None
    documents: int | None = None
    document_keys: Sequence[str] | None = None
    seed: int = 0
    reader_pairs: int = 1
    readers: int | None = None
    systems_per_questionnaire: int = 5
    raters: int = 2
    parts_together: bool = False
    document_shown: bool = True
    marks_allowed: bool = True
    equal_pairs_once: bool = False
    one_typography: bool = False
    identical_share: int = 0
    unrelated_share: int = 0
    scale: str = Scale.SIMILARITY
    question: str = ""
    low_label: str = ""
    label_2: str = ""
    label_3: str = ""
    label_4: str = ""
    label_5: str = ""
    high_label: str = ""
    instructions: str = INSTRUCTIONS
    languages: Sequence[str] = ()
    claim_minutes: int = 60
    opens_at: datetime | None = None
    closes_at: datetime | None = None
    primary: PrimaryChoice = field(default_factory=PrimaryChoice)


def create_batch(
    *, corpus: Corpus, settings: BatchSettings, now: datetime, created_by: User | None = None
) -> Batch:
    """Store a draft. Raises ValidationError by field, also where no plan comes of it, and ConflictError for a
    corpus that is archived.
    """
    require_offered(corpus)
    batch = Batch(corpus=corpus, created_by=created_by, created_at=now)
    with transaction.atomic():
        batch = _save_settings(batch, settings)
        store_primary(batch, settings.primary, now, created_by)
        record_action(action="batch planned", subject=batch, by=created_by, now=now, detail=_declared(batch))
        return batch


def update_batch(*, batch: Batch, settings: BatchSettings, now: datetime, by: User | None = None) -> Batch:
    """Replace the settings of a draft; a launched batch never changes."""
    with transaction.atomic():
        batch = lock_row(Batch.objects.filter(pk=batch.pk))
        require_draft(batch)
        before = _recorded(batch)
        batch = _save_settings(batch, settings)
        store_primary(batch, settings.primary, now, by)
        after = _recorded(batch)
        changed = {name: f"{before[name]} → {after[name]}" for name in after if before[name] != after[name]}
        record_action(action="plan changed", subject=batch, by=by, now=now, detail=changed)
        return batch


def delete_batch(*, batch: Batch, now: datetime, by: User | None = None) -> None:
    """Delete a draft with its wording and who would take part. A launched batch goes with `keeping`."""
    with transaction.atomic():
        batch = lock_row(Batch.objects.select_related("corpus").filter(pk=batch.pk))
        if not batch.is_draft:
            raise ConflictError(
                f"Batch “{batch}” is launched: it is no draft any more.",
                action="Close it instead; a closed batch can be deleted.",
            )
        record_action(
            action="draft deleted", subject=batch, by=by, now=now, detail={"corpus": batch.corpus.name}
        )
        batch.delete()


batch_launched = Signal()
"""Sent with `batch`, `now` and `questionnaires`, their number, in the transaction of the launch."""


def launch_batch(*, batch: Batch, now: datetime, by: User | None = None) -> Batch:
    """Store the planned questionnaires and open the raters' link, all in one transaction.

    Launching a live batch again (a double click) changes nothing and returns it; a closed one is refused.
    """
    with transaction.atomic():
        batch = lock_row(Batch.objects.filter(pk=batch.pk))
        if batch.is_live:
            return batch
        if batch.is_closed:
            raise ConflictError(f"Batch “{batch}” is closed.", action="Plan a new batch instead.")
        if batch.is_over(now):
            raise ConflictError(
                f"The time window of “{batch}” is over: nobody could take part.",
                action="Change its end in the plan, then launch.",
            )
        plan = plan_batch(batch)
        store_plan(batch, plan)
        batch.status, batch.launched_at, batch.plan_notes = BatchStatus.LIVE, now, list(plan.notes)
        batch.save(update_fields=["status", "launched_at", "plan_notes"])
        detail = {"questionnaires": len(plan.questionnaires), "ratings": plan.ratings}
        record_action(action="batch launched", subject=batch, by=by, now=now, detail=detail)
        batch_launched.send(sender=Batch, batch=batch, now=now, questionnaires=len(plan.questionnaires))
        return batch


def close_batch(*, batch: Batch, now: datetime, by: User | None = None) -> Batch:
    """Hand out no more questionnaires; those in progress may still be finished. Idempotent."""
    with transaction.atomic():
        batch = lock_row(Batch.objects.filter(pk=batch.pk))
        if batch.is_draft:
            raise ConflictError(f"Batch “{batch}” was never launched.", action="Launch it first.")
        if batch.is_live:
            batch.status, batch.closed_at = BatchStatus.CLOSED, now
            batch.save(update_fields=["status", "closed_at"])
            record_action(action="batch closed", subject=batch, by=by, now=now)
        return batch


def pause_batch(*, batch: Batch, now: datetime, by: User | None = None) -> Batch:
    """Hand out no questionnaires for a while; what raters have begun they may finish. Idempotent."""
    with transaction.atomic():
        batch = lock_live(batch)
        if batch.paused_at is None:
            batch.paused_at = now
            batch.save(update_fields=["paused_at"])
            record_action(action="batch paused", subject=batch, by=by, now=now)
        return batch


def resume_batch(*, batch: Batch, now: datetime, by: User | None = None) -> Batch:
    """Hand out questionnaires again. Idempotent."""
    with transaction.atomic():
        batch = lock_live(batch)
        if batch.paused_at is not None:
            batch.paused_at = None
            batch.save(update_fields=["paused_at"])
            record_action(action="batch resumed", subject=batch, by=by, now=now)
        return batch


raters_added = Signal()
"""Sent with `batch` and `now`, in the transaction and under the locks of the batch and its questionnaires."""


def add_raters(*, batch: Batch, raters: int, now: datetime, by: User | None = None) -> Batch:
    """Ask `raters` more people for every questionnaire of a live batch; nothing that was rated changes.

    The new places have orders of their own, balanced over the batch like the first ones.
    """
    with transaction.atomic():
        batch = lock_live(batch)
        if not 1 <= raters <= MOST_RATERS - batch.raters:
            raise InvalidInputError(
                f"{raters} more raters would make {batch.raters + raters}; a questionnaire has from 1 to "
                f"{MOST_RATERS}.",
                action="Choose another number.",
            )
        add_slots(batch, raters)
        detail = {"raters": f"{batch.raters} → {batch.raters + raters}"}
        batch.raters += raters
        batch.save(update_fields=["raters"])
        raters_added.send(sender=Batch, batch=batch, now=now)
        record_action(action="raters added", subject=batch, by=by, now=now, detail=detail)
        return batch


def require_unfrozen(batch: Batch) -> None:
    """Raise ConflictError where reports may already cite the batch as it is."""
    if batch.is_frozen:
        raise ConflictError(
            f"Batch “{batch}” is frozen: reports cite it as it is, so nothing that counts can change, and "
            "freezing cannot be undone.",
            action="Plan a new batch, on other documents or with other raters.",
        )


def require_live(batch: Batch) -> None:
    require_unfrozen(batch)
    if not batch.is_live:
        raise ConflictError(f"Batch “{batch}” is not live.", action="Only a live batch can be changed so.")


def lock_live(batch: Batch) -> Batch:
    """The batch under its lock. Raises ConflictError for one that is not live."""
    batch = lock_row(Batch.objects.filter(pk=batch.pk))
    require_live(batch)
    return batch


def record_export(*, batch: Batch, what: str, now: datetime, by: User | None) -> None:
    """Write down that somebody takes ratings out of the site."""
    with transaction.atomic():
        record_action(action="ratings exported", subject=batch, by=by, now=now, detail={"holds": what})


def _recorded(batch: Batch) -> dict[str, Any]:
    """The settings whose change the audit log shows."""
    names = [field.name for field in Batch._meta.concrete_fields if field.name not in _UNRECORDED]
    return {name: getattr(batch, name) for name in names} | {
        "systems": ", ".join(batch.systems.order_by("position").values_list("name", flat=True)),
        "primary": primary_in_words(batch),
    }


def _declared(batch: Batch) -> dict[str, str]:
    """For the audit log, where a primary coefficient was declared."""
    words = primary_in_words(batch)
    return {"primary": words} if words else {}


MOST_RATERS = 50
_AS_GIVEN = (
    *("seed", "reader_pairs", "readers", "systems_per_questionnaire", "raters", "parts_together"),
    *("document_shown", "marks_allowed", "equal_pairs_once", "one_typography"),
    *("identical_share", "unrelated_share", "scale"),
    *("claim_minutes", "opens_at", "closes_at"),
)
_UNRECORDED = {"id", "corpus", "token", "status", "plan_notes", "instructions", "created_by", "created_at"}


def _save_settings(batch: Batch, settings: BatchSettings) -> Batch:
    systems = chosen_systems(batch.corpus, settings.systems)
    _apply_settings(batch, settings)
    batch.clean_fields(exclude=["corpus", "created_by", "documents"])
    plan = _sensible_plan(batch, systems, settings.documents, settings.primary)
    batch.documents = len({one.document for one in plan.questionnaires})
    batch.plan_notes = list(plan.notes)
    with transaction.atomic():
        batch.save()
        batch.systems.set(systems)
    return batch


def _sensible_plan(
    batch: Batch, systems: Sequence[System], documents: int | None, primary: PrimaryChoice
) -> SurveyPlan:
    """The plan of these settings. ValidationError tells at once of all that makes no sense."""
    faults: dict[str, list[ValidationError]] = {}
    with _gathering(faults):
        validate_labels(batch, batch.scale)
    with _gathering(faults):
        validate_middle_labels(batch)
    with _gathering(faults):
        validate_window(batch)
    with _gathering(faults):
        if not stands(batch, primary):
            validate_primary(primary, batch.corpus)
    with _gathering(faults):
        plan = plan_settings(batch, systems, documents)
    if faults:
        raise ValidationError(faults)
    return plan


@contextmanager
def _gathering(faults: dict[str, list[ValidationError]]) -> Iterator[None]:
    try:
        yield
    except ValidationError as error:
        error.update_error_dict(faults)


def _apply_settings(batch: Batch, settings: BatchSettings) -> None:
    batch.languages = list(dict.fromkeys(settings.languages)) or default_languages()
    validate_languages(batch.languages)
    wording = default_wording(settings.scale, batch.language, document_shown=settings.document_shown)
    batch.name = settings.name.strip()
    batch.document_keys = list(dict.fromkeys(settings.document_keys)) if settings.document_keys else None
    for name in _AS_GIVEN:
        setattr(batch, name, getattr(settings, name))
    if batch.readers:
        batch.reader_pairs = pairs_among(batch.readers)
    for part in PARTS:
        setattr(batch, part, _worded(part, getattr(settings, part), getattr(wording, part), batch.language))


def _worded(part: str, written: str, default: str, language: str) -> str:
    """What was written; what is ours, in any language, is ours in that of the batch."""
    written = written.strip().replace("\r\n", "\n")
    if part == "instructions":  # may be none, and follow whether the document is shown
        return default if is_default_instructions(written) else written
    return ours_in(written, language) or written or default
