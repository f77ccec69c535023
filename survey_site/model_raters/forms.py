"""The form by which an admin says which models rate a batch, and how they are asked."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from survey_site.common.errors import InvalidInputError
from survey_site.model_raters.choices import MOST_DRAWS, Choice, choices_of
from survey_site.model_raters.queries import configured_models


class ModelsForm(forms.Form):
    """Cleans to `choices`; `seen` names what the person was shown, and `confirmed` says that it may leave."""

    models = forms.MultipleChoiceField(label="Models", widget=forms.CheckboxSelectMultiple)
    both_orders = forms.BooleanField(
        label="Ask each pair in both orders",
        initial=True,
        required=False,
        help_text="Models lean to the first or the second text: both orders show it, and cancel it out.",
    )
    explain = forms.BooleanField(
        label="Ask for a reason before the rating",
        required=False,
        help_text="About 60 tokens more for each answer. Raters are not asked for one.",
    )
    draws = forms.IntegerField(
        label="Draws",
        min_value=1,
        max_value=MOST_DRAWS,
        initial=1,
        help_text="How often each question is asked. More than one needs a temperature above 0.",
    )
    temperature = forms.FloatField(
        label="Temperature",
        min_value=0,
        max_value=2,
        initial=0,
        help_text="0: the model's likeliest reply. Higher: replies differ from draw to draw.",
    )
    seen = forms.CharField(widget=forms.HiddenInput, required=False)
    confirmed = forms.BooleanField(required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = configured_models()
        field = self.fields["models"]
        field.choices = [(name, name) for name in offered]  # type: ignore[attr-defined]
        field.initial = offered[:1]

    @property
    def usual(self) -> list[Choice]:
        """What is chosen before anybody chose."""
        return [Choice(model=name) for name in self.fields["models"].initial]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        names = ("both_orders", "explain", "draws", "temperature")
        if not {"models", *names} <= set(cleaned):
            return cleaned
        try:
            cleaned["choices"] = choices_of(cleaned)
        except InvalidInputError as error:
            raise ValidationError({"draws": f"{error.message} {error.action}"}) from error
        return cleaned
