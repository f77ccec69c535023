"""Batches, their questionnaires and raters as programs read them; nobody's name, link or secret is in any."""

from dataclasses import asdict
from typing import Any

from rest_framework import serializers

from survey_site.batches.models import Batch, Questionnaire
from survey_site.batches.presets import PRESETS
from survey_site.batches.primary import standing_choice
from survey_site.batches.states import Scale
from survey_site.quality.freeze_jobs import freezing_of
from survey_site.quality.models import Exclusion
from survey_site.scoring.models import JobStatus
from survey_site.survey.people.participation import read_participation

STATES = ("draft", "live", "paused", "closed", "frozen")
FREEZING = (JobStatus.QUEUED, JobStatus.RUNNING, JobStatus.FAILED)


class BatchShape(serializers.ModelSerializer):
    corpus_name = serializers.CharField(source="corpus.name")
    state = serializers.SerializerMethodField()
    questionnaires = serializers.IntegerField(source="questionnaire_count")
    completed = serializers.IntegerField(help_text="Questionnaires that raters submitted, each time counted.")
    wanted = serializers.IntegerField(help_text="How often questionnaires are to be submitted in all.")
    uploaded = serializers.SerializerMethodField(help_text="Whether its ratings were collected elsewhere.")

    class Meta:
        model = Batch
        fields: tuple[str, ...] = (
            *("id", "name", "corpus", "corpus_name", "state", "questionnaires", "completed", "wanted"),
            *("uploaded", "created_at", "launched_at", "paused_at", "closed_at", "frozen_at", "archived_at"),
            *("opens_at", "closes_at"),
        )
        read_only_fields = fields

    def get_state(self, batch: Batch) -> str:
        return state_of(batch)

    def get_uploaded(self, batch: Batch) -> bool:
        return hasattr(batch, "upload")


def state_of(batch: Batch) -> str:
    """One of STATES."""
    if batch.is_frozen:
        return "frozen"
    return "paused" if batch.is_paused else str(batch.status)


class OneBatchShape(serializers.ModelSerializer):
    """The plan and state. What raters do meanwhile is in the progress, so that its tag stays until somebody
    changes the batch.
    """

    corpus_name = serializers.CharField(source="corpus.name")
    state = serializers.ChoiceField(choices=STATES)
    uploaded = serializers.BooleanField()
    systems = serializers.SlugRelatedField("name", many=True, read_only=True)
    document_keys = serializers.ListField(
        child=serializers.CharField(), allow_null=True, help_text="Null where they are drawn."
    )
    plan_notes = serializers.ListField(child=serializers.CharField())
    languages = serializers.ListField(child=serializers.CharField())
    primary_coefficient = serializers.CharField(help_text="Empty where none is declared.")
    primary_surrogate = serializers.CharField()
    primary_score = serializers.CharField()
    limit = serializers.IntegerField(allow_null=True, help_text="Questionnaires per person; null for any.")
    freezing = serializers.ChoiceField(
        choices=FREEZING,
        allow_blank=True,
        help_text="What became of freezing that a worker was asked for; empty where none was, or it is done.",
    )
    freezing_error = serializers.CharField(help_text="Why it failed, or was interrupted; else empty.")

    class Meta:
        model = Batch
        fields: tuple[str, ...] = (
            *("id", "name", "corpus", "corpus_name", "state", "uploaded", "systems", "documents"),
            *("document_keys", "seed", "reader_pairs", "readers", "systems_per_questionnaire", "raters"),
            *("parts_together", "document_shown", "marks_allowed", "equal_pairs_once", "one_typography"),
            *("identical_share", "unrelated_share"),
            *("plan_notes", "scale", "question", "low_label", "label_2", "label_3", "label_4", "label_5"),
            *("high_label", "instructions", "languages", "claim_minutes", "created_at", "launched_at"),
            *("paused_at", "closed_at", "frozen_at", "archived_at", "opens_at", "closes_at"),
            *("primary_coefficient", "primary_surrogate", "primary_score", "limit"),
            *("freezing", "freezing_error"),
        )
        read_only_fields = fields

    def to_representation(self, instance: Batch) -> dict[str, Any]:
        found: Any = instance
        for name, value in vars(standing_choice(instance)).items():
            setattr(found, f"primary_{name}", value)
        found.limit = read_participation(instance).limit
        freezing = freezing_of(instance)
        found.freezing, found.freezing_error = (freezing.status, freezing.error) if freezing else ("", "")
        found.state, found.uploaded = state_of(instance), hasattr(instance, "upload")
        shown: dict[str, Any] = super().to_representation(found)
        return shown


class SystemCountShape(serializers.Serializer):
    system = serializers.CharField(allow_null=True, help_text="Null for the gold reference and controls.")
    control = serializers.CharField(help_text="The kind of control; empty for a system and gold.")
    items = serializers.IntegerField()
    ratings = serializers.IntegerField()
    wanted = serializers.IntegerField()


class ProgressShape(serializers.Serializer):
    questionnaires = serializers.IntegerField()
    by_completed = serializers.ListField(
        child=serializers.IntegerField(), help_text="Questionnaires that 0, 1, 2, ... raters completed."
    )
    completions = serializers.IntegerField()
    completions_wanted = serializers.IntegerField()
    active = serializers.IntegerField(help_text="Questionnaires that raters are filling in.")
    stale = serializers.IntegerField()
    expired = serializers.IntegerField()
    surplus = serializers.IntegerField()
    marked = serializers.IntegerField()
    excluded = serializers.IntegerField()
    ratings = serializers.IntegerField()
    ratings_wanted = serializers.IntegerField()
    raters = serializers.IntegerField()
    withdrawn = serializers.IntegerField()
    simulated = serializers.IntegerField()
    simulated_completions = serializers.IntegerField()
    systems = SystemCountShape(many=True)
    controls = SystemCountShape(many=True)
    percent = serializers.FloatField()
    is_complete = serializers.BooleanField()


class PlannedItemShape(serializers.Serializer):
    system = serializers.CharField(required=False)
    control = serializers.CharField(required=False)
    texts = serializers.ListField(required=False)
    places = serializers.ListField(
        help_text="For each place of a rater the position, and whether the texts are swapped."
    )


class PlannedShape(serializers.Serializer):
    number = serializers.IntegerField()
    document = serializers.CharField()
    reader_a = serializers.CharField()
    reader_b = serializers.CharField()
    raters = serializers.IntegerField()
    items = PlannedItemShape(many=True)
    controls = PlannedItemShape(many=True)


class PlanShape(serializers.Serializer):
    seed = serializers.IntegerField(allow_null=True)
    options = serializers.DictField()
    systems = serializers.ListField(child=serializers.CharField())
    notes = serializers.ListField(child=serializers.CharField())
    questionnaires = PlannedShape(many=True, help_text="None before the launch.")


class CheckShape(serializers.Serializer):
    title = serializers.CharField(source="rule.title")
    level = serializers.ChoiceField(
        choices=("error", "warning", "fine"),
        help_text="An error blocks the launch; a warning has to be confirmed.",
    )
    message = serializers.CharField(source="sentence")


class QuestionnaireShape(serializers.ModelSerializer):
    document = serializers.CharField(source="document.key")
    reader_a = serializers.CharField(source="reader_a.key")
    reader_b = serializers.CharField(source="reader_b.key")
    places = serializers.IntegerField(source="slots")
    completed = serializers.IntegerField(source="submitted_count")

    class Meta:
        model = Questionnaire
        fields: tuple[str, ...] = (
            "number",
            "document",
            "reader_a",
            "reader_b",
            "places",
            "taken",
            "completed",
        )
        read_only_fields = fields


class ExclusionShape(serializers.ModelSerializer):
    rater = serializers.SerializerMethodField()
    questionnaire = serializers.SerializerMethodField(help_text="Null where all of the rater is excluded.")

    class Meta:
        model = Exclusion
        fields: tuple[str, ...] = ("id", "rater", "questionnaire", "reason", "excluded_at")
        read_only_fields = fields

    def get_rater(self, exclusion: Exclusion) -> str:
        held = exclusion.assignment.rater if exclusion.assignment else exclusion.rater
        return held.code if held else ""

    def get_questionnaire(self, exclusion: Exclusion) -> int | None:
        return exclusion.assignment.questionnaire.number if exclusion.assignment else None


class RaterShape(serializers.Serializer):
    code = serializers.CharField(help_text="The rater's pseudonym, as in the ratings.")
    simulated = serializers.BooleanField()
    completed = serializers.IntegerField()
    unfinished = serializers.IntegerField()
    surplus = serializers.IntegerField()
    ratings = serializers.IntegerField()
    marks = serializers.IntegerField(help_text="Pairs that the rater could not judge.")
    flags = serializers.SerializerMethodField(
        help_text="What the checks say that an admin should look at; null before they are made."
    )
    exclusion = serializers.SerializerMethodField(
        help_text="Null unless everything of the rater is excluded."
    )

    def get_flags(self, rater: Any) -> list[str] | None:
        flags: dict[str, list[str]] | None = self.context.get("flags", {})
        return None if flags is None else flags.get(rater.code, [])

    def get_exclusion(self, rater: Any) -> int | None:
        found = getattr(rater, "exclusion", None)
        return found.pk if found else None


def progress_record(progress: Any) -> dict[str, Any]:
    """A batch's progress with what is worked out of its counts."""
    return {**asdict(progress), "percent": progress.percent, "is_complete": progress.is_complete}


class PlanRequest(serializers.Serializer):
    """A plan: what is left out stands as the site's form begins; a preset is a paper's whole design."""

    corpus = serializers.IntegerField()
    name = serializers.CharField(max_length=200)
    preset = serializers.ChoiceField(choices=sorted(PRESETS), required=False)
    systems = serializers.ListField(child=serializers.CharField(max_length=200), required=False)
    documents = serializers.IntegerField(min_value=1, required=False)
    document_keys = serializers.ListField(
        child=serializers.CharField(max_length=200),
        required=False,
        allow_null=True,
        help_text="Which; null to draw `documents` of them.",
    )
    seed = serializers.IntegerField(min_value=0, max_value=2**31 - 1, required=False)
    reader_pairs = serializers.IntegerField(min_value=1, max_value=1000, required=False)
    readers = serializers.IntegerField(
        min_value=2,
        max_value=45,
        required=False,
        allow_null=True,
        help_text="All pairs among so many, whatever `reader_pairs` says; null for `reader_pairs`.",
    )
    systems_per_questionnaire = serializers.IntegerField(min_value=1, max_value=50, required=False)
    raters = serializers.IntegerField(min_value=1, max_value=50, required=False)
    parts_together = serializers.BooleanField(required=False)
    document_shown = serializers.BooleanField(required=False)
    marks_allowed = serializers.BooleanField(required=False)
    equal_pairs_once = serializers.BooleanField(required=False)
    one_typography = serializers.BooleanField(required=False)
    identical_share = serializers.IntegerField(min_value=0, max_value=100, required=False)
    unrelated_share = serializers.IntegerField(min_value=0, max_value=100, required=False)
    scale = serializers.ChoiceField(choices=Scale.choices, required=False)
    question = serializers.CharField(
        max_length=300, required=False, allow_blank=True, help_text="Empty for the site's own words."
    )
    low_label = serializers.CharField(
        max_length=80, required=False, allow_blank=True, help_text="Empty for the site's own words."
    )
    label_2 = serializers.CharField(max_length=80, required=False, allow_blank=True)
    label_3 = serializers.CharField(max_length=80, required=False, allow_blank=True)
    label_4 = serializers.CharField(max_length=80, required=False, allow_blank=True)
    label_5 = serializers.CharField(max_length=80, required=False, allow_blank=True)
    high_label = serializers.CharField(
        max_length=80, required=False, allow_blank=True, help_text="Empty for the site's own words."
    )
    instructions = serializers.CharField(max_length=20_000, required=False, allow_blank=True)
    languages = serializers.ListField(child=serializers.CharField(max_length=10), required=False)
    claim_minutes = serializers.IntegerField(min_value=1, max_value=43_200, required=False)
    opens_at = serializers.DateTimeField(required=False, allow_null=True)
    closes_at = serializers.DateTimeField(required=False, allow_null=True)
    limit = serializers.IntegerField(
        min_value=1, max_value=1000, required=False, allow_null=True, help_text="Questionnaires per person."
    )
    primary_coefficient = serializers.CharField(
        max_length=30,
        required=False,
        allow_blank=True,
        help_text="Reports answer by it; it needs `primary_surrogate`.",
    )
    primary_surrogate = serializers.CharField(max_length=200, required=False, allow_blank=True)
    primary_score = serializers.ChoiceField(choices=("degress", "perseval"), required=False)


class LaunchRequest(serializers.Serializer):
    confirmed = serializers.BooleanField(default=False, help_text="Launch in spite of warnings.")


class ExtendRequest(serializers.Serializer):
    """More raters for every questionnaire, or more documents: one of them."""

    raters = serializers.IntegerField(min_value=1, max_value=50, required=False)
    documents = serializers.IntegerField(min_value=1, required=False)
    document_keys = serializers.ListField(child=serializers.CharField(max_length=200), required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("raters" in attrs) == bool({"documents", "document_keys"} & set(attrs)):
            raise serializers.ValidationError(
                "Say either how many raters, or which documents, are to be added."
            )
        return attrs


class ExclusionRequest(serializers.Serializer):
    rater = serializers.CharField(max_length=20)
    questionnaire = serializers.IntegerField(
        required=False, help_text="The number of one completed questionnaire; all of the rater without it."
    )
    reason = serializers.CharField(max_length=300, help_text="Reports repeat it.")
