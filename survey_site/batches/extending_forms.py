"""Forms that add to a live batch."""

from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from survey_site.batches.models import Batch


class MomentField(forms.DateTimeField):
    """A date and time in the site's time zone, to the minute; optional."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
        super().__init__(required=False, widget=widget, **kwargs)


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


class DocumentsForm(forms.Form):
    documents = forms.IntegerField(
        label="How many documents more",
        min_value=1,
        required=False,
        help_text="Drawn with the batch's seed from those that it does not have yet.",
    )
    document_keys = forms.CharField(
        label="Or exactly these documents",
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        help_text="Their ids, separated by spaces or lines.",
    )

    def clean_document_keys(self) -> list[str]:
        return list(dict.fromkeys(self.cleaned_data["document_keys"].split()))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        if cleaned.get("documents") and cleaned.get("document_keys"):
            self.add_error("document_keys", "Give either a number of documents or their ids, not both.")
        elif not cleaned.get("documents") and not cleaned.get("document_keys"):
            self.add_error("documents", "Say how many documents, or which.")
        return cleaned

    def add_service_errors(self, error: ValidationError) -> None:
        """Put what the service says beside its field, or above the form where the form has none."""
        for field, messages in error.message_dict.items():
            self.add_error(field if field in self.fields else None, messages)
