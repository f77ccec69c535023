"""The planning form: what an admin enters becomes `BatchSettings`; the services decide what makes sense."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cached_property
from typing import Any, cast

from django import forms
from django.conf import settings

from meta_eval.design.plan import CONTROLS
from survey_site.batches.effort import (
    Effort,
    count_parts,
    estimate_effort,
    pairs_among,
    reading_load,
    suitable_documents,
)
from survey_site.batches.models import Batch
from survey_site.batches.presets import PROPOSED_COMPLETIONS, propose_documents
from survey_site.batches.queries import find_documents
from survey_site.batches.services import BatchSettings
from survey_site.batches.standing import own_wording
from survey_site.batches.wording import MIDDLE_LABELS, is_default_instructions
from survey_site.corpus.models import Corpus, System
from survey_site.desk.batches.form_parts import (
    ChosenDocuments,
    MomentField,
    PercentField,
    PickedField,
)
from survey_site.desk.batches.planning.primary_forms import PrimaryFields, initial_primary, offer_distances
from survey_site.desk.batches.planning.wording_forms import WordingFields
from survey_site.desk.rate_field import RateField
from survey_site.survey.people.participation import read_participation

LISTED_DOCUMENTS = 20
"""Found documents that are listed to tick; more words find fewer."""
NUMBERS = ("reader_pairs", "systems_per_questionnaire", "raters")


class SystemChoices(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    widget = forms.CheckboxSelectMultiple

    def label_from_instance(self, system: System) -> str:
        return system.name


class BatchForm(PrimaryFields, WordingFields, ChosenDocuments):
    field_order = ("name", "systems", "documents")  # as on the page

    name = forms.CharField(max_length=200, help_text="For you and your colleagues; raters never see it.")
    systems = SystemChoices(queryset=System.objects.none())
    find = forms.CharField(
        label="Find documents", required=False, help_text="Words of the title, or a part of the id."
    )
    picked = PickedField(required=False, widget=forms.CheckboxSelectMultiple)
    seed = forms.IntegerField(
        min_value=0,
        max_value=2**31 - 1,
        initial=0,
        help_text="The same seed and settings give the same plan, questionnaire by questionnaire.",
    )
    readers = forms.IntegerField(
        label="Readers per document, all pairs among them",
        min_value=2,
        max_value=45,
        required=False,
        help_text="iCOPERNICUS: 3, which make 3 pairs. Left empty: any pairs, as many as stand beside this.",
    )
    reader_pairs = forms.IntegerField(
        label="Reader pairs per document",
        min_value=1,
        max_value=1000,
        initial=1,
        help_text="PerSEval: 1. Drawn from all pairs; not used where you say how many readers.",
    )
    systems_per_questionnaire = forms.IntegerField(
        min_value=1,
        max_value=50,
        initial=5,
        help_text="The gold pair comes on top. PerSEval: 5. iCOPERNICUS: 9.",
    )
    parts_together = forms.BooleanField(
        label="Finish a document before the next is begun",
        required=False,
        help_text="Where its systems need several questionnaires, people take them in turn, as in PerSEval; "
        "a survey that ends early then leaves whole documents.",
    )
    raters = forms.IntegerField(
        label="Raters per questionnaire",
        min_value=1,
        max_value=50,
        initial=2,
        help_text="Different people; their ratings are averaged. PerSEval: 2. iCOPERNICUS: 1.",
    )
    limit = forms.IntegerField(
        label="Questionnaires per person",
        min_value=1,
        max_value=1000,
        required=False,
        help_text="Left empty: as many as there are. It stands on “Taking part”, too.",
    )
    rate = RateField()
    identical_share = PercentField(
        label="Questionnaires with an identical pair, in per cent",
        help_text="One text on both sides. 0 for none, 100 for one in every questionnaire.",
    )
    unrelated_share = PercentField(
        label="Questionnaires with an unrelated pair, in per cent",
        help_text="Texts on two different documents, in one language. Needs two documents or more.",
    )
    claim_minutes = forms.IntegerField(
        label="Minutes a place is kept",
        min_value=1,
        max_value=60 * 24 * 30,
        initial=60,
        help_text="From a rater's last answer. Then another rater may take the place; no answer is lost.",
    )
    opens_at = MomentField(label="Opens", help_text="Until then, people are told when to come back.")
    closes_at = MomentField(label="Ends", help_text="After that, people may finish what they have begun.")

    def __init__(self, *args: Any, corpus: Corpus, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.corpus = corpus
        offer_distances(self, corpus)
        systems = cast(SystemChoices, self.fields["systems"])
        systems.queryset = corpus.systems.order_by("position")
        if not self.is_bound and not self.initial:
            self.initial = self._proposed()

    def _proposed(self) -> dict[str, Any]:
        """All systems, and so many documents that the survey can be done in days: never all by default."""
        systems = list(self.corpus.systems.order_by("position"))
        each = {name: self.fields[name].initial for name in NUMBERS}
        parts = count_parts(len(systems), each["systems_per_questionnaire"])
        suitable = len(suitable_documents(self.corpus, systems, each["reader_pairs"]))
        proposed = propose_documents(suitable, questionnaires=parts, raters=each["raters"])
        return {"systems": systems, "documents": proposed}

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        cleaned["document_keys"] = list(dict.fromkeys([*cleaned["picked"], *cleaned["document_keys"]]))
        if cleaned.get("readers"):
            cleaned["reader_pairs"] = pairs_among(cleaned["readers"])
        if not cleaned["document_keys"] and "documents" in cleaned and not cleaned["documents"]:
            self.add_error("documents", f"Say how many documents, or pick them. {self._cost_of_all()}")
        return cleaned

    def _cost_of_all(self) -> str:
        if not self._has_numbers:
            return ""
        suitable = len(self.suitable)
        completions = self._estimate(suitable).completions if suitable else 0
        return f"All {suitable:,} that suit take {completions:,} completed questionnaires."

    @property
    def _has_numbers(self) -> bool:
        return all(name in self.cleaned_data for name in (*NUMBERS, "systems"))

    @cached_property
    def suitable(self) -> set[str]:
        """Keys of the documents that a plan of what is entered may have; empty while a number is missing."""
        if not self._has_numbers:
            return set()
        return suitable_documents(
            self.corpus, self.cleaned_data["systems"], self.cleaned_data["reader_pairs"]
        )

    def settings(self) -> BatchSettings:
        data = dict(self.cleaned_data)
        main = data["language"] or settings.CONCORD_LANGUAGE
        given = {one.name: data[one.name] for one in fields(BatchSettings) if one.name in data}
        if given["document_keys"]:
            given["documents"] = None
        return BatchSettings(**given, languages=[main, *data["further_languages"]], primary=self.primary())

    def effort(self) -> tuple[Effort | None, str]:
        """What the numbers entered so far ask of raters, None while some are missing or wrong; and what to
        say where the corpus has fewer documents for them than are wanted.
        """
        self.is_valid()
        if not self._has_numbers or "documents" not in self.cleaned_data:
            return None, ""
        documents, shortfall = self._count_documents()
        return (self._estimate(documents) if documents else None), shortfall

    def _estimate(self, documents: int) -> Effort:
        data = self.cleaned_data
        return estimate_effort(
            reading_load(self.corpus, document_shown=data["document_shown"]),
            documents=documents,
            systems=len(data["systems"]),
            control_shares=[data.get(f"{kind}_share", 0) for kind in CONTROLS],
            limit=data.get("limit"),
            **{name: data[name] for name in NUMBERS},
        )

    def _count_documents(self) -> tuple[int, str]:
        keys = set(self.cleaned_data.get("document_keys") or ())
        found = len(keys & self.suitable) if keys else len(self.suitable)
        wanted = len(keys) if keys else self.cleaned_data["documents"]
        if wanted <= found:
            return wanted, ""
        which = "Of these, documents" if keys else "Documents"
        return found, f"{which} with {self._needed()} for whom all chosen systems wrote: {found or 'none'}."

    def _needed(self) -> str:
        if readers := self.cleaned_data.get("readers"):
            return f"{readers} readers"
        pairs = self.cleaned_data["reader_pairs"]
        return f"{pairs} reader pair{'s' if pairs > 1 else ''}"

    def price(self, effort: Effort | None) -> float | None:
        """Of all raters' time, where an hour has a price."""
        rate = self.cleaned_data.get("rate")
        return effort.hours * rate if effort and rate else None

    def listed_documents(self) -> dict[str, Any]:
        """What is ticked, and what is found besides: the first of it, and how many there are in all."""
        words = str(self.cleaned_data.get("find") or "").strip()
        ticked = self.cleaned_data.get("picked") or []
        titles = dict(self.corpus.documents.filter(key__in=ticked).values_list("key", "title"))
        rows = find_documents(self.corpus, words)
        found = [row for row in rows if row[0] in self.suitable and row[0] not in titles]
        return {
            "ticked": [(key, titles.get(key)) for key in ticked],
            "found": found[:LISTED_DOCUMENTS],
            "found_count": len(found),
            "suitable_count": len(self.suitable),
            "proposed_completions": PROPOSED_COMPLETIONS,
        }


def initial_values(batch: Batch) -> dict[str, Any]:
    """A draft as the form shows it. Default wording is shown as empty, so that it follows the direction."""
    values = {name: getattr(batch, name) for name in BatchForm.base_fields if hasattr(batch, name)}
    values |= own_wording(batch)
    keys = batch.document_keys
    return values | {
        **initial_primary(batch),
        "systems": batch.systems.all(),
        "further_languages": batch.languages[1:],
        "limit": read_participation(batch).limit,
        "documents": None if keys else batch.documents,
        "document_keys": "",
        "picked": keys or [],
    }


GROUPS: Mapping[str, Sequence[str]] = {
    "pick": ("find", "picked", "document_keys"),
    "words": ("question", "instructions", "language", "further_languages"),
    "points": MIDDLE_LABELS,
    "window": ("opens_at", "closes_at"),
    "controls": ("identical_share", "unrelated_share"),
    "primary": tuple(PrimaryFields.base_fields),
    "rest": ("seed", "claim_minutes"),
}
"""Parts of the form that are folded while they stand as they come."""


def open_groups(form: BatchForm) -> set[str]:
    """The groups with something entered, or wrong."""
    return {group for group, names in GROUPS.items() if any(_stands_out(form[name]) for name in names)}


def _stands_out(bound: forms.BoundField) -> bool:
    usual = settings.CONCORD_LANGUAGE if bound.name == "language" else bound.field.initial
    value = str(bound.value() or usual or "").replace("\r\n", "\n")
    as_it_comes = (
        is_default_instructions(value) if bound.name == "instructions" else value == str(usual or "")
    )
    return bool(bound.errors) or not as_it_comes
