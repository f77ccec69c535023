"""Score runs and reports as programs read them, and as they ask for them."""

from typing import Any

from rest_framework import serializers

from meta_eval.distances.computing import NORMALISE
from meta_eval.measures.base import MODES, PREPROCESS
from meta_eval.measures.words.tokenisers import TOKENISERS
from meta_eval.report.published.reading import KINDS
from meta_eval.scores.perseval import EDP_READERS
from meta_eval.stats.significance.adjustment import ADJUSTMENTS
from meta_eval.stats.table.resampled import RESAMPLED
from survey_site.api.shapes.files import LARGEST
from survey_site.reports.models import KeptBundle, Report
from survey_site.reports.queries import list_parts
from survey_site.scoring.models import JobStatus, ScoreRun

PUBLISHED_KINDS = tuple(KINDS)
_STATE = {"source": "status", "choices": JobStatus.choices}


class ScoreRunShape(serializers.ModelSerializer):
    state = serializers.ChoiceField(**_STATE)
    percent = serializers.IntegerField()

    class Meta:
        model = ScoreRun
        fields: tuple[str, ...] = (
            *("id", "kind", "corpus", "batch", "measure", "state", "percent", "error"),
            *("created_at", "started_at", "finished_at", "cancelled_at"),
        )
        read_only_fields = fields


class OneScoreRunShape(ScoreRunShape):
    class Meta(ScoreRunShape.Meta):
        fields: tuple[str, ...] = (
            *ScoreRunShape.Meta.fields,
            "done",
            "total",
            "signature",
            "options",
            "records",
        )
        read_only_fields = fields


class ReportShape(serializers.ModelSerializer):
    state = serializers.ChoiceField(**_STATE)
    batch_name = serializers.CharField(source="batch.name")
    answer = serializers.SerializerMethodField(help_text="The report in a line; empty while there is none.")

    class Meta:
        model = Report
        fields: tuple[str, ...] = (
            *("id", "batch", "batch_name", "state", "answer", "error"),
            *("created_at", "started_at", "finished_at", "archived_at"),
        )
        read_only_fields = fields

    def get_answer(self, report: Report) -> str:
        return str(getattr(report, "headline", "") or "") if report.is_done else ""


class PartShape(serializers.Serializer):
    kind = serializers.CharField()
    measure = serializers.CharField()
    percent = serializers.IntegerField()
    run = serializers.IntegerField(allow_null=True)


class OneReportShape(ReportShape):
    options = serializers.DictField(help_text="All that was asked for.")
    parts = PartShape(many=True, help_text="How far each score is that the report joins.")
    inference_percent = serializers.IntegerField()
    failures = serializers.ListField(
        child=serializers.CharField(), help_text="Parts that went wrong, and why."
    )

    class Meta(ReportShape.Meta):
        fields: tuple[str, ...] = (
            *ReportShape.Meta.fields,
            "options",
            "parts",
            "inference_percent",
            "failures",
        )
        read_only_fields = fields

    def get_answer(self, report: Report) -> str:
        answer = report.read().answer if report.is_done else None
        return str(answer.headline or answer.sentence) if answer else ""

    def to_representation(self, instance: Report) -> dict[str, Any]:
        instance.options  # noqa: B018 - one query with the rest
        shown: dict[str, Any] = super().to_representation(_WithParts(instance))
        return shown


class _WithParts:
    """A report with what its page says of its parts."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self.parts = [
            {
                "kind": str(part.kind),
                "measure": part.measure,
                "percent": int(100 * part.share),
                "run": part.run.pk if part.run else None,
            }
            for part in list_parts(report)
        ]
        self.failures = [f"{one.measure}: {one.reason}" for one in report.failures]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._report, name)


class FileShape(serializers.Serializer):
    address = serializers.CharField(help_text="Below `files/` of the report.")
    title = serializers.CharField()
    content_type = serializers.CharField()


class BundleQuery(serializers.Serializer):
    texts = serializers.ChoiceField(
        choices=("hashes",), required=False, help_text="hashes, to leave the texts out."
    )


class BundleShape(serializers.ModelSerializer):
    """How far a worker is with a sealed bundle."""

    state = serializers.ChoiceField(**_STATE)

    class Meta:
        model = KeptBundle
        fields = ("state", "error", "created_at")
        read_only_fields = fields


class MeasureRequest(serializers.Serializer):
    measure = serializers.CharField(max_length=200, help_text="As on a command line: bleu:n=4.")
    mode = serializers.ChoiceField(choices=list(MODES), default="paper")
    preprocess = serializers.ChoiceField(choices=list(PREPROCESS), required=False, allow_null=True)
    tokeniser = serializers.ChoiceField(
        choices=[name for name in TOKENISERS if name != "auto"], required=False, allow_null=True
    )
    normalise = serializers.ChoiceField(choices=list(NORMALISE), default="document")


class ScoreRunRequest(MeasureRequest):
    """Automatic scores of a corpus, or human scores of a batch: one of them."""

    corpus = serializers.IntegerField(required=False)
    batch = serializers.IntegerField(required=False)
    min_raters = serializers.IntegerField(min_value=1, required=False, allow_null=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("corpus" in attrs) == ("batch" in attrs):
            raise serializers.ValidationError("Name either a corpus or a batch.")
        return attrs


class PublishedRequest(serializers.Serializer):
    """A table of a paper, as a wide CSV."""

    kind = serializers.ChoiceField(choices=PUBLISHED_KINDS)
    name = serializers.CharField(max_length=200, help_text="The file's, which faults and reports say.")
    content = serializers.CharField(max_length=1_000_000, trim_whitespace=False, help_text="The CSV itself.")


class ReportRequest(serializers.Serializer):
    batch = serializers.IntegerField()
    measures = serializers.ListField(child=serializers.CharField(max_length=200), min_length=1)
    surrogates = serializers.ListField(child=serializers.CharField(max_length=200), min_length=1)
    normalise = serializers.ChoiceField(choices=list(NORMALISE), required=False)
    min_raters = serializers.IntegerField(min_value=1, required=False, allow_null=True)
    alpha = serializers.FloatField(required=False)
    beta = serializers.FloatField(required=False)
    gamma = serializers.FloatField(required=False)
    mode = serializers.ChoiceField(choices=list(MODES), required=False)
    preprocess = serializers.ChoiceField(choices=list(PREPROCESS), required=False, allow_null=True)
    tokeniser = serializers.ChoiceField(
        choices=[name for name in TOKENISERS if name != "auto"], required=False, allow_null=True
    )
    resamples = serializers.IntegerField(min_value=1, required=False)
    resampled = serializers.ChoiceField(choices=list(RESAMPLED), required=False)
    adjustment = serializers.ChoiceField(choices=list(ADJUSTMENTS), required=False)
    coefficients = serializers.ListField(child=serializers.CharField(max_length=30), required=False)
    families = serializers.ListField(child=serializers.CharField(max_length=300), required=False)
    stability_replacement = serializers.BooleanField(
        required=False,
        help_text="The study of stability draws documents with replacement, as PerSEval 7.2 says.",
    )
    model_runs = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST),
        required=False,
        help_text="Models beside people: the numbers of their runs on the batch.",
    )
    epsilon = serializers.FloatField(
        min_value=0,
        max_value=1,
        required=False,
        help_text="What a rater's cost is worth in the alternative annotator test of these models.",
    )
    mixed = serializers.BooleanField(
        required=False,
        help_text="Whether to say what few ratings of people and many of these models would give together.",
    )
    judge = serializers.IntegerField(
        min_value=1,
        max_value=LARGEST,
        required=False,
        help_text="A judge in readers' places (PerSE) beside the measures: the number of its run on the "
        "batch.",
    )
    seed = serializers.IntegerField(required=False)
    edp_readers = serializers.ChoiceField(choices=list(EDP_READERS), required=False)
    p_acc_alpha = serializers.FloatField(required=False)
    p_acc_beta = serializers.FloatField(required=False)
    published = PublishedRequest(many=True, required=False, help_text="Published tables to show beside ours.")
    same_systems = serializers.DictField(
        child=serializers.CharField(max_length=200),
        required=False,
        help_text="By a system's name here the one in published tables, where they differ.",
    )
