"""The forms by which an admin says which models rate a batch or judge its summaries, and how."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from survey_site.common.errors import InvalidInputError
from survey_site.model_raters.choices import (
    MOST_DRAWS,
    MOST_PROFILE,
    Choice,
    JudgeChoice,
    choices_of,
    judge_choice_of,
)
from survey_site.model_raters.queries import configured_models


class AskingForm(forms.Form):
    """How often and how freely a model is asked; `seen` names what the person was shown, and `confirmed` says
    that it may leave.
    """

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


class ModelsForm(AskingForm):
    """Cleans to `choices`: a model each, all asked in one way."""

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


class JudgeForm(AskingForm):
    """Cleans to `choice`: one model as a judge in readers' places."""

    model = forms.ChoiceField(label="Model")
    profile_size = forms.IntegerField(
        label="Other articles of a reader that it sees",
        min_value=1,
        max_value=MOST_PROFILE,
        initial=3,
        help_text="Each with the headline that the reader wrote. They say what the reader looks for.",
    )
    own = forms.BooleanField(
        label="Ask for the document's other readers, too",
        initial=True,
        required=False,
        help_text="Shows what fitting a text to its own reader adds. Multiplies the questions by the readers "
        "of a document.",
    )
    shuffled = forms.BooleanField(
        label="Ask under another reader's profile, as a control",
        initial=True,
        required=False,
        help_text="Without it nobody knows whether the judge is personal, or only likes some texts better. "
        "Doubles the questions.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = configured_models()
        field = self.fields["model"]
        field.choices = [(name, name) for name in offered]  # type: ignore[attr-defined]
        field.initial = next(iter(offered), None)

    @property
    def usual(self) -> JudgeChoice:
        """What is chosen before anybody chose."""
        return JudgeChoice(model=self.fields["model"].initial)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not {"model", "profile_size", "draws", "temperature"} <= set(cleaned):
            return cleaned
        try:
            cleaned["choice"] = judge_choice_of(cleaned)
        except InvalidInputError as error:
            raise ValidationError({"draws": f"{error.message} {error.action}"}) from error
        return cleaned
