"""The rules for what is said of a file; services call them, forms show what they raise."""

from django.core.exceptions import ValidationError

from survey_site.batches.models import Batch
from survey_site.batches.states import Scale

MOST_RATERS = 32_767


def validate_upload(batch: Batch) -> None:
    """Raises ValidationError by field. The wording may be empty: then it is not known."""
    if batch.scale not in Scale.values:
        raise ValidationError({"scale": "Say which way the scale runs: a wrong direction turns every score."})
    if not 1 <= batch.raters <= MOST_RATERS:
        raise ValidationError({"raters": f"Give a number from 1 to {MOST_RATERS}."})
    if not batch.name:
        raise ValidationError({"name": "Give the batch a name."})
    if bool(batch.low_label) != bool(batch.high_label):
        raise ValidationError({"high_label": "Give the labels of both ends of the scale, or neither."})
    batch.clean_fields(exclude=_unchecked(batch))


def _unchecked(batch: Batch) -> set[str]:
    """All but the texts that are there, whose length is checked."""
    checked = {"name", "question", "low_label", "high_label"}
    filled = {name for name in checked if getattr(batch, name)}
    return {field.name for field in batch._meta.fields} - filled
