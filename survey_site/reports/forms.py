"""The form of a new report; the services decide what makes sense."""

from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError

from meta_eval.distances.computing import NORMALISE
from meta_eval.measures import available_measures
from meta_eval.measures.base import MODES, PREPROCESS, MeasureInfo
from meta_eval.report.options import REPORT_RESAMPLES
from meta_eval.stats.coefficients.registry import COEFFICIENTS, MORE_COEFFICIENTS, REGISTRY
from meta_eval.stats.significance.adjustment import ADJUSTMENTS
from meta_eval.stats.table.resampled import RESAMPLED
from survey_site.batches.models import Batch
from survey_site.reports.published_form import PublishedForm
from survey_site.reports.queries import reportable_batches
from survey_site.reports.services import DEFAULT_BETA

USUAL_MEASURES = ("rouge-l", "rouge-su4", "bleu", "jsd")

PREPARATIONS = (("", "The default of the definition"), *PREPROCESS.items())
MORE = tuple((name, REGISTRY[name].explained) for name in MORE_COEFFICIENTS)
_USUAL = [REGISTRY[name].title for name in COEFFICIENTS]


class BatchChoice(forms.ModelChoiceField):  # type: ignore[type-arg]  # not generic at run time
    def label_from_instance(self, batch: Batch) -> str:
        state = "frozen" if batch.is_frozen else batch.get_status_display().lower()
        return f"{batch.name} ({batch.corpus.name}, {state})"


class ReportForm(PublishedForm):
    batch = BatchChoice(
        queryset=Batch.objects.none(),
        empty_label="Choose …",
        help_text="The report takes its ratings as they are now; what raters do later does not change it.",
    )
    measures = forms.MultipleChoiceField(
        label="Measures of the automatic scores",
        widget=forms.CheckboxSelectMultiple,
        help_text="PerSEval, DEGRESS and EGISES are computed with each, over the whole corpus.",
    )
    surrogates = forms.MultipleChoiceField(
        label="Surrogates of the human scores",
        widget=forms.CheckboxSelectMultiple,
        help_text="They stand in for what nobody rates: distances to the document and to the reference.",
    )
    normalise = forms.ChoiceField(
        label="Weighing of distances",
        choices=NORMALISE.items(),
        initial="document",
        widget=forms.RadioSelect,
        help_text="How far two summaries lie apart is weighed by how far each lies from its document.",
    )
    min_raters = forms.IntegerField(
        label="Ratings that a pair needs",
        min_value=1,
        required=False,
        help_text="Left empty: as many as the batch plans. With less, the report counts such pairs.",
    )
    beta = forms.FloatField(
        label="Beta of the accuracy penalty",
        initial=DEFAULT_BETA,
        help_text="PerSEval uses 1.7.",
    )
    mode = forms.ChoiceField(label="Definition of the measures", choices=MODES.items(), initial="paper")
    preprocess = forms.ChoiceField(label="Preparation of texts", choices=PREPARATIONS, required=False)
    resampled = forms.ChoiceField(
        label="What the intervals are about",
        choices=[(name, info.explained) for name, info in RESAMPLED.items()],
        initial="documents",
        widget=forms.RadioSelect,
        help_text="What is drawn again and again, with replacement.",
    )
    resamples = forms.IntegerField(
        label="Resamples",
        initial=REPORT_RESAMPLES,
        help_text="2,000 are enough to look; take 10,000 for what you publish.",
    )
    adjustment = forms.ChoiceField(
        label="p is adjusted for the number of tests by", choices=ADJUSTMENTS.items(), initial="holm"
    )
    coefficients = forms.MultipleChoiceField(
        label="More coefficients",
        choices=MORE,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=f"Beside {', '.join(_USUAL[:-1])} and {_USUAL[-1]}, in every table.",
    )
    families = forms.CharField(
        label="Families of systems",
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One a line, as “personalised = PENS, GTP”: coefficients within each family show whether "
        "the distance between families is all there is. Systems that you do not name are one more family.",
    )
    seed = forms.IntegerField(
        label="Seed",
        initial=0,
        help_text="The same seed and inputs give the same numbers.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        cast(BatchChoice, self.fields["batch"]).queryset = reportable_batches()
        for name in ("measures", "surrogates"):
            field = cast(forms.MultipleChoiceField, self.fields[name])
            field.choices = [(info.id, _label(info)) for info in available_measures()]
            field.initial = USUAL_MEASURES

    def clean_preprocess(self) -> str | None:
        return self.cleaned_data["preprocess"] or None

    def clean_families(self) -> list[str]:
        return [line.strip() for line in self.cleaned_data["families"].splitlines() if line.strip()]

    def add_service_errors(self, error: ValidationError) -> None:
        """Errors of the service beside the fields that they are about."""
        self.add_error(None, error)


def _label(info: MeasureInfo) -> str:
    return f"{info.title} ({info.id})"
