"""The forms of a new report and of two reports side by side; the services decide what makes sense."""

from collections.abc import Iterator
from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError

from meta_eval.distances.computing import NORMALISE
from meta_eval.errors import InputError
from meta_eval.measures import available_measures
from meta_eval.measures.base import MODES, PREPROCESS, MeasureInfo
from meta_eval.measures.words.tokenisers import TOKENISERS
from meta_eval.report.options import REPORT_RESAMPLES
from meta_eval.report.published.reading import KINDS, PublishedTable, read_published
from meta_eval.report.view import KINDS as SCORES
from meta_eval.scores.penalties import P_ACC
from meta_eval.scores.perseval import EDP_READERS
from meta_eval.stats.coefficients.registry import COEFFICIENTS, MORE_COEFFICIENTS, REGISTRY
from meta_eval.stats.raters.alternative import EPSILON
from meta_eval.stats.significance.adjustment import ADJUSTMENTS
from meta_eval.stats.table.resampled import RESAMPLED
from survey_site.batches.models import Batch
from survey_site.batches.primary import primary_in_words
from survey_site.model_raters.models import ModelRun
from survey_site.model_raters.queries import configured_models, finished_judges, finished_runs
from survey_site.projects.access import listed, visible
from survey_site.reports.models import Report
from survey_site.reports.queries import reportable_batches
from survey_site.reports.services import PENALTY
from survey_site.reports.validators import TOO_FEW
from survey_site.scoring.given.queries import offered_names
from survey_site.scoring.models import GivenDistances, JobStatus

USUAL_MEASURES = ("rouge-l", "rouge-su4", "bleu", "jsd")

TOKENISER_CHOICES = tuple(("" if name == "auto" else name, said) for name, said in TOKENISERS.items())
PREPARATIONS = (("", "The default of the definition"), *PREPROCESS.items())
MORE = tuple((name, REGISTRY[name].explained) for name in MORE_COEFFICIENTS)
_USUAL = [REGISTRY[name].title for name in COEFFICIENTS]
MAX_PUBLISHED_BYTES = 1_000_000
_PREFIX = "published_"


class PublishedForm(forms.Form):
    """One optional file for each kind of published table; cleans to `published` and `same_systems`."""

    same_systems = forms.CharField(
        label="The same systems under other names",
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One a line: the name here = the name in the published tables. Equal names match anyway.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for kind, info in KINDS.items():
            label = f"{info.title}; CSV"
            self.fields[f"{_PREFIX}{kind}"] = forms.FileField(label=label, required=False)

    @property
    def published_fields(self) -> list[forms.BoundField]:
        return [self[f"{_PREFIX}{kind}"] for kind in KINDS]

    @property
    def has_published_errors(self) -> bool:
        names = {f"{_PREFIX}{kind}" for kind in KINDS} | {"same_systems"}
        return bool(names & set(self.errors))

    def clean_same_systems(self) -> dict[str, str]:
        lines = self.cleaned_data["same_systems"].splitlines()
        pairs = [[part.strip() for part in line.split("=", 1)] for line in lines if line.strip()]
        if any(len(pair) < 2 or not all(pair) for pair in pairs):
            raise ValidationError("Write one pair a line: the name here = the name in the table.")
        return dict(pairs)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        cleaned["published"] = list(self._tables(cleaned))
        return cleaned

    def _tables(self, cleaned: dict[str, Any]) -> Iterator[PublishedTable]:
        for kind in KINDS:
            name = f"{_PREFIX}{kind}"
            file = cleaned.pop(name, None)
            if file is not None and file.size > MAX_PUBLISHED_BYTES:
                self.add_error(name, "This is larger than 1 MB; is it the right file?")
            elif file is not None:
                try:
                    yield read_published(file, kind, name=file.name)
                except InputError as error:
                    self.add_error(name, str(error))


class BatchChoice(forms.ModelChoiceField):  # type: ignore[type-arg]  # not generic at run time
    def label_from_instance(self, batch: Batch) -> str:
        state = "frozen" if batch.is_frozen else batch.get_status_display().lower()
        primary = primary_in_words(batch)
        declared = f"; primary: {primary}" if primary else ""
        return f"{batch.name} ({batch.corpus.name}, {state}{declared})"


class ModelRunsChoice(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]  # not generic at run time
    def label_from_instance(self, run: ModelRun) -> str:
        return f"{run.name} (rated {run.batch.name})"


class JudgeRunChoice(forms.ModelChoiceField):  # type: ignore[type-arg]  # not generic at run time
    def label_from_instance(self, run: ModelRun) -> str:
        return f"perse by {run.name} (summaries of {run.batch.name})"


class ReportForm(PublishedForm):
    batch = BatchChoice(
        queryset=Batch.objects.none(),
        empty_label="Choose …",
        help_text="The report takes its ratings as they are now; what raters do later does not change it. "
        "Where the batch declares a primary coefficient, the report goes by it, if its surrogate is ticked.",
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
        help_text="Left empty: as many as the batch plans. It can be fewer, not more.",
    )
    alpha = forms.FloatField(label="Alpha of the accuracy penalty", initial=PENALTY.alpha)
    beta = forms.FloatField(
        label="Beta of the accuracy penalty",
        initial=PENALTY.beta,
        help_text="PerSEval uses alpha 3, beta 1.7 and gamma 4.",
    )
    gamma = forms.FloatField(label="Gamma of the accuracy penalty", initial=PENALTY.gamma)
    p_acc_alpha = forms.FloatField(label="Alpha of P-Acc", initial=P_ACC.alpha)
    p_acc_beta = forms.FloatField(
        label="Beta of P-Acc",
        initial=P_ACC.beta,
        help_text="P-Acc is the accuracy less alpha times the logistic function of beta EGISES.",
    )
    edp_readers = forms.ChoiceField(
        label="Readers whom the penalty of human PerSEval compares",
        choices=(("", "The default of the definition"), *EDP_READERS.items()),
        required=False,
        help_text="The penalty asks how much worse a reader is served than the best and the mean reader.",
    )
    mode = forms.ChoiceField(label="Definition of the measures", choices=MODES.items(), initial="paper")
    preprocess = forms.ChoiceField(label="Preparation of texts", choices=PREPARATIONS, required=False)
    tokeniser = forms.ChoiceField(
        label="Words, for measures that compare words",
        choices=TOKENISER_CHOICES,
        required=False,
        help_text="The report says which was used. English is split into words as the "
        "papers split it, most other languages by Unicode’s rules.",
    )
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
    stability_replacement = forms.BooleanField(
        label="Stability: draw documents with replacement",
        required=False,
        help_text="As PerSEval 7.2 says. Unticked, no sample of the documents holds one twice.",
    )
    model_runs = ModelRunsChoice(
        queryset=ModelRun.objects.none(),
        label="Models as raters",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Their ratings stand beside people’s in a part of their own. No score mixes the two.",
    )
    epsilon = forms.FloatField(
        label="Epsilon of the alternative annotator test",
        initial=EPSILON,
        min_value=0,
        max_value=1,
        required=False,
        help_text="What it is worth to you that a model costs less than a rater, from 0 to 1. The test’s "
        "authors advise 0.2 for experts, 0.15 for skilled raters, 0.1 for crowd workers, and less where "
        "raters agree little. The higher it is, the easier the test is passed: choose it before you look.",
    )
    mixed = forms.BooleanField(
        label="What a mixed survey would buy",
        required=False,
        help_text="Joins few ratings of people with many of a model, in a table of its own that says what "
        "rests on whom. It shows how many ratings of people a model would save, and enters no other number.",
    )
    judge = JudgeRunChoice(
        queryset=ModelRun.objects.none(),
        label="A judge in readers’ places",
        required=False,
        widget=forms.RadioSelect,
        blank=True,  # else radio buttons leave the empty choice out, and one that is chosen stays
        empty_label="None",
        help_text="Its scores, perse and perse-own, have a part of their own, where they are set against "
        "people’s as every measure is. They enter no other score.",
    )
    seed = forms.IntegerField(
        label="Seed",
        initial=0,
        help_text="The same seed and inputs give the same numbers.",
    )

    def __init__(self, *args: Any, user: Any, **kwargs: Any) -> None:
        """Offers what the user may see, and batches of the project that they show."""
        super().__init__(*args, **kwargs)
        wanted = self["batch"].value() or ""
        batches = listed(reportable_batches(), user, wanted).prefetch_related("declarations")
        cast(BatchChoice, self.fields["batch"]).queryset = batches
        self.runs = visible(finished_runs(), user)
        cast(ModelRunsChoice, self.fields["model_runs"]).queryset = self.runs
        self.judges = visible(finished_judges(), user)
        cast(JudgeRunChoice, self.fields["judge"]).queryset = self.judges
        names = offered_names(visible(GivenDistances.objects.all(), user))
        given = [(name, _of_corpora(name, corpora)) for name, corpora in names.items()]
        for name in ("measures", "surrogates"):
            field = cast(forms.MultipleChoiceField, self.fields[name])
            field.choices = [(info.id, _label(info)) for info in available_measures()] + given
            field.initial = USUAL_MEASURES

    def clean_preprocess(self) -> str | None:
        return self.cleaned_data["preprocess"] or None

    def clean_tokeniser(self) -> str | None:
        return self.cleaned_data["tokeniser"] or None

    def clean_families(self) -> list[str]:
        return [line.strip() for line in self.cleaned_data["families"].splitlines() if line.strip()]

    def clean_model_runs(self) -> list[ModelRun]:
        return list(self.cleaned_data["model_runs"])

    def clean_epsilon(self) -> float:
        given = self.cleaned_data["epsilon"]
        return EPSILON if given is None else float(given)

    @property
    def offers_models(self) -> bool:
        """Whether a model has rated any batch; else nothing of models is shown."""
        return self.runs.exists()

    @property
    def offers_judges(self) -> bool:
        """Whether a judge may be chosen, or let judge: one is done, or a model is configured."""
        return self.has_judges or bool(configured_models())

    @property
    def has_judges(self) -> bool:
        return self.judges.exists()

    @property
    def fewer_ratings(self) -> int | None:
        """With how many ratings a pair the report could be built, where it was asked for with too many."""
        errors = self.errors.as_data().get("min_raters", []) if self.is_bound else []
        return next(
            (error.params["offer"] for error in errors if error.code == TOO_FEW and error.params), None
        )

    def add_service_errors(self, error: ValidationError) -> None:
        """Errors of the service beside the fields that they are about."""
        self.add_error(None, error)


def _label(info: MeasureInfo) -> str:
    return f"{info.title} ({info.id})"


def _of_corpora(name: str, corpora: list[str]) -> str:
    return f"{name} (distances from outside, for {', '.join(corpora)})"


class _ReportChoice(forms.ModelChoiceField):  # type: ignore[type-arg]  # not generic at run time
    def label_from_instance(self, report: Report) -> str:
        return f"No. {report.pk}: {report.batch.name}, {report.created_at:%d %b %Y %H:%M}"


class CompareForm(forms.Form):
    a = _ReportChoice(queryset=Report.objects.none(), label="First report", empty_label="Choose …")
    b = _ReportChoice(queryset=Report.objects.none(), label="Second report", empty_label="Choose …")
    score = forms.ChoiceField(choices=list(SCORES.items()), required=False)

    def __init__(self, *args: Any, user: Any, **kwargs: Any) -> None:
        """Offers what the user may see, of the project that they show."""
        super().__init__(*args, **kwargs)
        done = Report.objects.filter(status=JobStatus.DONE).select_related("batch")
        finished = listed(done, user, *(self[name].value() or "" for name in ("a", "b")))
        for name in ("a", "b"):
            cast(_ReportChoice, self.fields[name]).queryset = finished
