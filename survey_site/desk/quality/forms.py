"""The forms that exclude and that state assumptions."""

from typing import Any, cast

from django import forms

from meta_eval.errors import InputError
from meta_eval.stats.raters.precision import Assumptions
from survey_site.batches.models import Batch
from survey_site.batches.states import BatchStatus
from survey_site.desk.rate_field import RateField
from survey_site.projects.access import visible
from survey_site.quality.checks import CheckedRater
from survey_site.quality.precision import assumptions_from

EVERYTHING = "rater"


class ExclusionForm(forms.Form):
    what = forms.ChoiceField(label="What does not count", widget=forms.RadioSelect, initial=EVERYTHING)
    reason = forms.CharField(
        max_length=300, help_text="Reports repeat it. Name no person and nothing that tells who it is."
    )

    def __init__(self, *args: Any, checked: CheckedRater, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        counted = [page for page in checked.submitted if not page.reason]
        numbers = [(str(page.assignment.pk), page.assignment.questionnaire.number) for page in counted]
        self.fields["what"].choices = [  # type: ignore[attr-defined]
            (EVERYTHING, "Everything by this rater, also what is still to come"),
            *((pk, f"Only questionnaire {number}") for pk, number in numbers),
        ]


class PrecisionForm(forms.Form):
    """What is assumed of systems, documents and raters. All in points of the scale of 1 to 6."""

    correlation = forms.FloatField(
        label="True correlation of the measure",
        min_value=-0.99,
        max_value=0.99,
        help_text="With the human score, over systems.",
    )
    other = forms.FloatField(
        label="True correlation of a second measure",
        min_value=-0.99,
        max_value=0.99,
        help_text="From which the first is to be told apart.",
    )
    between = forms.FloatField(
        label="Correlation of the two measures",
        min_value=-0.99,
        max_value=0.99,
        required=False,
        help_text="With each other, over systems. Empty: they share only what raters see, too.",
    )
    system_sd = forms.FloatField(
        label="Systems differ by",
        min_value=0.01,
        max_value=5,
        help_text="Standard deviation of their true mean ratings.",
    )
    interaction_sd = forms.FloatField(
        label="A document changes a system by",
        min_value=0,
        max_value=5,
        help_text="Standard deviation of what a document and reader pair add to one system.",
    )
    error_sd = forms.FloatField(
        label="A single rating strays by",
        min_value=0,
        max_value=5,
        help_text="Standard deviation between raters of one pair.",
    )
    earlier = forms.ModelChoiceField(
        Batch.objects.none(),
        required=False,
        label="Take the three numbers from an earlier batch",
        empty_label="No, as stated here",
    )
    rate = RateField()

    def __init__(self, *args: Any, user: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        launched = Batch.objects.exclude(status=BatchStatus.DRAFT).order_by("-created_at")
        cast("forms.ModelChoiceField[Batch]", self.fields["earlier"]).queryset = visible(launched, user)

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        try:
            if not self.errors:
                Assumptions(**self.correlations())
        except InputError as error:
            raise forms.ValidationError(f"{error}.".capitalize()) from error
        return data

    def correlations(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in ("correlation", "other", "between")}

    def assumptions(self) -> Assumptions:
        """As stated, or as an earlier batch says. Raises InvalidInputError where that cannot tell."""
        if earlier := self.cleaned_data["earlier"]:
            return assumptions_from(earlier, **self.correlations())
        names = ("system_sd", "interaction_sd", "error_sd")
        return Assumptions(**self.correlations(), **{name: self.cleaned_data[name] for name in names})
