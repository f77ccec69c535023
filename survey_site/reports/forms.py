"""The form of a new report; the services decide what makes sense."""

from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError

from meta_eval.measures import available_measures
from meta_eval.measures.base import MeasureInfo
from meta_eval.report.inference.infer import DEFAULT_RESAMPLES
from survey_site.batches.models import Batch
from survey_site.reports.published_form import PublishedForm
from survey_site.reports.queries import reportable_batches
from survey_site.reports.services import DEFAULT_BETA

USUAL_MEASURES = ("rouge-l", "rouge-su4", "bleu", "jsd")

NORMALISE = (
    ("document", "By the distance to the document, as in the papers"),
    ("none", "Not at all: bare distances, for corpora without document texts"),
)
MODES = (("paper", "As the papers define them"), ("kdm", "As the authors’ released code computes them"))
PREPROCESS = (
    ("", "The default of the definition"),
    ("none", "None: texts as they are"),
    ("pens", "PENS: lower case; no punctuation, digits or stop words; lemmas"),
)


RESAMPLED = (
    ("documents", "Documents: would other documents say the same of these systems?"),
    ("systems", "Systems: would other systems say the same on these documents?"),
    ("documents and systems", "Documents and systems: would other systems say the same, too?"),
    ("raters", "Raters: would other people say the same of these documents?"),
    ("raters within documents", "Documents and the raters of each: wide, the most cautious choice"),
)
ADJUSTMENTS = (
    ("holm", "Holm: of twenty tables at most one holds any false finding"),
    ("benjamini-hochberg", "Benjamini-Hochberg: of twenty findings at most one is false, on average"),
)
MORE_COEFFICIENTS = (
    ("kendall-c", "Kendall’s τ-c, for scores with unequal numbers of ties"),
    ("pairwise-accuracy", "Pairwise accuracy with ties: the share of pairs of systems ordered alike"),
)


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
        choices=NORMALISE,
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
    mode = forms.ChoiceField(label="Definition of the measures", choices=MODES, initial="paper")
    preprocess = forms.ChoiceField(label="Preparation of texts", choices=PREPROCESS, required=False)
    resampled = forms.ChoiceField(
        label="What the intervals are about",
        choices=RESAMPLED,
        initial="documents",
        widget=forms.RadioSelect,
        help_text="What is drawn again and again, with replacement.",
    )
    resamples = forms.IntegerField(
        label="Resamples",
        initial=DEFAULT_RESAMPLES,
        help_text="2,000 are enough to look; take 10,000 for what you publish.",
    )
    adjustment = forms.ChoiceField(
        label="p is adjusted for the number of tests by", choices=ADJUSTMENTS, initial="holm"
    )
    coefficients = forms.MultipleChoiceField(
        label="More coefficients",
        choices=MORE_COEFFICIENTS,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Beside Pearson’s r, Spearman’s ρ and Kendall’s τ-b, in every table.",
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
