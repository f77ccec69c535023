"""What the forms about batches share: fields, and the choice of documents."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError


class MomentField(forms.DateTimeField):
    """A date and time in the site's time zone, to the minute; optional."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
        super().__init__(required=False, widget=widget, **kwargs)


class PercentField(forms.IntegerField):
    """A whole number from 0 to 100; nothing entered is 0."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(min_value=0, max_value=100, initial=0, required=False, **kwargs)

    def clean(self, value: Any) -> int:
        return super().clean(value) or 0


class ServiceForm(forms.Form):
    """A form whose values a service judges."""

    def add_service_errors(self, error: ValidationError) -> None:
        """Put what the service says beside its field, or above the form where the form has none."""
        for field, messages in error.message_dict.items():
            self.add_error(field if field in self.fields else None, messages)


class PickedField(forms.MultipleChoiceField):
    """Any number of ids that were ticked; the service says which of them there are."""

    def validate(self, value: list[str]) -> None:
        """Every id may be sent."""


class ChosenDocuments(ServiceForm):
    """So many documents, or which."""

    documents = forms.IntegerField(
        label="How many documents",
        min_value=1,
        required=False,
        help_text="Drawn with the seed from those that suit the systems and readers chosen.",
    )
    document_keys = forms.CharField(
        label="Or exactly these documents",
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        help_text="Their ids, separated by spaces or lines.",
    )

    def clean_document_keys(self) -> list[str]:
        return list(dict.fromkeys(self.cleaned_data["document_keys"].split()))
