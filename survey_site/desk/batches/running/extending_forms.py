"""Forms that change a live batch."""

from datetime import datetime
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator

from survey_site.batches.models import Batch
from survey_site.desk.batches.form_parts import ChosenDocuments, MomentField


class ExtendForm(forms.Form):
    raters = forms.IntegerField(
        label="More raters for every questionnaire",
        min_value=1,
        initial=1,
        help_text="What is rated stays as it is; every questionnaire gets so many more places.",
    )

    def __init__(self, *args: Any, most: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["raters"].validators.append(MaxValueValidator(most))


class WindowForm(forms.Form):
    """Moves the time window; its beginning too while that still lies ahead."""

    opens_at = MomentField(
        label="Beginning of the time window", help_text="Left empty: the batch opens at once."
    )
    closes_at = MomentField(
        label="End of the time window",
        help_text="Left empty: no end. What raters have begun by then they may finish.",
    )

    def __init__(self, data: Any = None, *, batch: Batch, now: datetime) -> None:
        super().__init__(data, initial={"opens_at": batch.opens_at, "closes_at": batch.closes_at})
        self.opened_at = batch.opens_at
        if not batch.is_early(now) and "opens_at" not in self.data:
            del self.fields["opens_at"]

    def window(self) -> dict[str, datetime | None]:
        """Beginning and end as they are wanted."""
        return {"opens_at": self.opened_at} | self.cleaned_data


class DocumentsForm(ChosenDocuments):
    documents = forms.IntegerField(
        label="How many documents more",
        min_value=1,
        required=False,
        help_text="Drawn with the batch's seed from those that it does not have yet.",
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("documents") and cleaned.get("document_keys"):
            self.add_error("document_keys", "Give either a number of documents or their ids, not both.")
        if not self.errors and not cleaned.get("documents") and not cleaned.get("document_keys"):
            self.add_error("documents", "Say how many documents, or which.")
        return cleaned
