"""The planning form: what an admin enters becomes `BatchSettings`; the services decide what makes sense."""

from typing import Any, cast

from django import forms
from django.conf import settings

from meta_eval.design.plan import CONTROLS
from survey_site.batches.effort import Effort, estimate_effort, reading_load, suitable_documents
from survey_site.batches.models import Batch
from survey_site.batches.services import BatchSettings
from survey_site.batches.states import Scale
from survey_site.batches.wording import INSTRUCTIONS, WORDING, default_wording
from survey_site.common.languages import site_languages
from survey_site.corpus.models import Corpus, System
from survey_site.desk.batches.form_parts import ChosenDocuments, MomentField, PercentField
from survey_site.desk.batches.primary_forms import PrimaryFields, initial_primary

SIMILARITY, DISSIMILARITY = WORDING[Scale.SIMILARITY], WORDING[Scale.DISSIMILARITY]


PRESETS = {
    "perseval": {"reader_pairs": 1, "systems_per_questionnaire": 5, "raters": 2},
    "icopernicus": {"reader_pairs": 3, "systems_per_questionnaire": 9, "raters": 1},
}
"""The published designs (protocol 6); anything between is possible."""


def _default_hint(of_similarity: str, of_dissimilarity: str) -> str:
    return f"Left empty: “{of_similarity}” for similarity, “{of_dissimilarity}” for dissimilarity."


class SystemChoices(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    widget = forms.CheckboxSelectMultiple

    def label_from_instance(self, system: System) -> str:
        return system.name


class BatchForm(PrimaryFields, ChosenDocuments):
    field_order = ("name", "systems")  # before the choice of documents, as on the page

    name = forms.CharField(max_length=200, help_text="For you and your colleagues; raters never see it.")
    systems = SystemChoices(queryset=System.objects.none())
    seed = forms.IntegerField(
        min_value=0,
        max_value=2**31 - 1,
        initial=0,
        help_text="The same seed and settings give the same plan, questionnaire by questionnaire.",
    )
    reader_pairs = forms.IntegerField(
        label="Reader pairs per document",
        min_value=1,
        max_value=1000,
        initial=1,
        help_text="PerSEval: 1. iCOPERNICUS: 3.",
    )
    systems_per_questionnaire = forms.IntegerField(
        min_value=1,
        max_value=50,
        initial=5,
        help_text="The gold pair comes on top. PerSEval: 5. iCOPERNICUS: 9.",
    )
    raters = forms.IntegerField(
        label="Raters per questionnaire",
        min_value=1,
        max_value=50,
        initial=2,
        help_text="Different people; their ratings are averaged. PerSEval: 2. iCOPERNICUS: 1.",
    )
    language = forms.ChoiceField(
        label="Language of the wording below",
        required=False,
        help_text="Raters' pages come in it. What you leave as it is comes in the same language.",
    )
    further_languages = forms.MultipleChoiceField(
        label="Raters may also choose",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="First comes what their browser asks for. The wording in these is under “Taking part”.",
    )
    identical_share = PercentField(
        label="Questionnaires with an identical pair, in per cent",
        help_text="One text on both sides. 0 for none, 100 for one in every questionnaire.",
    )
    unrelated_share = PercentField(
        label="Questionnaires with an unrelated pair, in per cent",
        help_text="Texts on two different documents, in one language. Needs two documents or more.",
    )
    scale = forms.ChoiceField(
        label="Direction of the scale",
        choices=Scale.choices,
        initial=Scale.SIMILARITY,
        widget=forms.RadioSelect,
        help_text="What a 6 means. It is printed on the form and in every report: read the other way round, "
        "every correlation changes its sign.",
    )
    question = forms.CharField(
        max_length=300,
        required=False,
        help_text=_default_hint(SIMILARITY.question, DISSIMILARITY.question),
    )
    low_label = forms.CharField(
        label="Label of 1",
        max_length=80,
        required=False,
        help_text=_default_hint(SIMILARITY.low_label, DISSIMILARITY.low_label),
    )
    high_label = forms.CharField(
        label="Label of 6",
        max_length=80,
        required=False,
        help_text=_default_hint(SIMILARITY.high_label, DISSIMILARITY.high_label),
    )
    instructions = forms.CharField(
        required=False,
        initial=INSTRUCTIONS,
        widget=forms.Textarea(attrs={"rows": 9}),
        help_text="Do not say that the texts are summaries, who wrote them, or that one pair is a reference.",
    )
    claim_minutes = forms.IntegerField(
        label="Minutes a place is kept",
        min_value=1,
        max_value=60 * 24 * 30,
        initial=60,
        help_text="From a rater's last answer. Then another rater may take the place; no answer is lost.",
    )

    opens_at = MomentField(label="Opens", help_text="Before, people are told when to come back.")
    closes_at = MomentField(label="Ends", help_text="After, what was begun may be finished.")

    def __init__(self, *args: Any, corpus: Corpus, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.corpus = corpus
        choices = [(one.code, f"{one.english_name} ({one.name})") for one in site_languages()]
        for name in ("language", "further_languages"):
            cast(forms.ChoiceField, self.fields[name]).choices = choices
        systems = cast(SystemChoices, self.fields["systems"])
        systems.queryset = corpus.systems.order_by("position")
        if not self.is_bound:
            # Into a copy: what was handed in may be a preset, which the next form is to find as it was.
            self.initial = dict(self.initial)
            self.initial.setdefault("systems", corpus.systems.all())

    def settings(self) -> BatchSettings:
        data = dict(self.cleaned_data)
        main, further = data.pop("language") or settings.CONCORD_LANGUAGE, data.pop("further_languages")
        data = {name: value for name, value in data.items() if name not in PrimaryFields.base_fields}
        return BatchSettings(**data, languages=[main, *further], primary=self.primary())

    def effort(self) -> tuple[Effort | None, str]:
        """What the numbers entered so far ask of raters, None while some are missing or wrong; and what to
        say where the corpus has fewer documents for them than are wanted.
        """
        self.is_valid()
        data, numbers = self.cleaned_data, ("reader_pairs", "systems_per_questionnaire", "raters")
        if any(name not in data for name in (*numbers, "systems", "documents")):
            return None, ""
        documents, shortfall = self._count_documents()
        if not documents:
            return None, shortfall
        effort = estimate_effort(
            reading_load(self.corpus, document_shown=True),
            documents=documents,
            systems=len(data["systems"]),
            control_shares=[data.get(f"{kind}_share", 0) for kind in CONTROLS],
            **{name: data[name] for name in numbers},
        )
        return effort, shortfall

    def _count_documents(self) -> tuple[int, str]:
        data = self.cleaned_data
        suitable = suitable_documents(self.corpus, data["systems"], data["reader_pairs"])
        keys = set(data.get("document_keys") or ())
        found = len(keys & suitable) if keys else len(suitable)
        wanted = len(keys) if keys else data["documents"] or max(found, 1)
        if wanted <= found:
            return wanted, ""
        pairs = f"{data['reader_pairs']} reader pair{'s' if data['reader_pairs'] > 1 else ''}"
        which = "Of these, documents" if keys else "Documents"
        return found, f"{which} with {pairs} for whom all chosen systems wrote: {found or 'none'}."


def initial_values(batch: Batch) -> dict[str, Any]:
    """A draft as the form shows it. Default wording is shown as empty, so that it follows the direction."""
    default = default_wording(batch.scale, batch.language)
    values = {name: getattr(batch, name) for name in BatchForm.base_fields if hasattr(batch, name)}
    values |= {
        name: "" for name in ("question", "low_label", "high_label") if values[name] == getattr(default, name)
    }
    keys = batch.document_keys
    return values | {
        **initial_primary(batch),
        "systems": batch.systems.all(),
        "further_languages": batch.languages[1:],
        "documents": None if keys else batch.documents,
        "document_keys": "\n".join(keys or []),
    }
