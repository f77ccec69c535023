"""The settings of a draft as they stand: who changes some of them sends the others again as they are."""

from dataclasses import fields
from typing import Any

from survey_site.batches.models import Batch
from survey_site.batches.primary import standing_choice
from survey_site.batches.services import BatchSettings
from survey_site.batches.wording import LABELS, default_wording


def own_wording(batch: Batch) -> dict[str, str]:
    """Question and labels; empty where the words are the default ones, which follow the scale's direction."""
    default = default_wording(batch.scale, batch.language)
    parts = ("question", *LABELS)
    return {part: _own(getattr(batch, part), getattr(default, part)) for part in parts}


def _own(words: str, default: str) -> str:
    return "" if words == default else words


def settings_of(batch: Batch) -> BatchSettings:
    """What `update_batch` takes to leave the draft as it is."""
    names = {one.name for one in fields(BatchSettings)} - {"systems", "primary", "documents"}
    kept: dict[str, Any] = {name: getattr(batch, name) for name in names}
    return BatchSettings(
        **{**kept, **own_wording(batch)},
        systems=list(batch.systems.order_by("position")),
        documents=None if batch.document_keys else batch.documents,
        primary=standing_choice(batch),
    )
