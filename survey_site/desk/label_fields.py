"""The fields for the words of a scale's points, which a plan and its translations ask for alike."""

from django import forms

from survey_site.batches.wording import LABELS


def label_fields() -> list[forms.CharField]:
    """One for each point, from 1 to 6."""
    return [
        forms.CharField(label=f"Label of {point}", max_length=80, required=False)
        for point, _ in enumerate(LABELS, 1)
    ]
