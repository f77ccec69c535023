"""What changes a draft or declares something about a batch, and the preview of a questionnaire."""

from typing import Any

from rest_framework import serializers

from survey_site.api.shapes.batches import PlanRequest

MOST_SHOWN = 2**31 - 1


class PrimaryRequest(serializers.Serializer):
    """A coefficient, a score and the surrogate of its human side; empty texts for none."""

    primary_coefficient = serializers.CharField(max_length=30, allow_blank=True)
    primary_surrogate = serializers.CharField(max_length=200, allow_blank=True)
    primary_score = serializers.ChoiceField(choices=("degress", "perseval"), default="degress")


class PlanChange(PlanRequest):
    """Settings of a draft; each that is left out stays as it is."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("corpus", "preset"):
            del self.fields[name]
        self.fields["name"].required = False


class WindowRequest(serializers.Serializer):
    opens_at = serializers.DateTimeField(required=False, allow_null=True)
    closes_at = serializers.DateTimeField(required=False, allow_null=True)


class PreviewQuery(serializers.Serializer):
    number = serializers.IntegerField(
        min_value=1, max_value=MOST_SHOWN, default=1, help_text="Which questionnaire; the nearest there is."
    )
    language = serializers.CharField(
        max_length=10,
        default="",
        allow_blank=True,
        help_text="One that the batch offers; its own without it.",
    )


class PreviewPairShape(serializers.Serializer):
    position = serializers.IntegerField()
    left = serializers.CharField()
    right = serializers.CharField()


class PointShape(serializers.Serializer):
    value = serializers.IntegerField()
    words = serializers.CharField(help_text="Empty where the point has none.")


class ReasonShape(serializers.Serializer):
    reason = serializers.CharField()
    words = serializers.CharField()


class PreviewShape(serializers.Serializer):
    number = serializers.IntegerField()
    questionnaires = serializers.IntegerField(help_text="How many there are.")
    language = serializers.CharField()
    question = serializers.CharField()
    instructions = serializers.CharField()
    points = PointShape(many=True, help_text="Of the scale, from the lowest.")
    title = serializers.CharField(help_text="Of the document; empty where raters do not see it.")
    body = serializers.CharField()
    pairs = PreviewPairShape(many=True)
    reasons = ReasonShape(many=True, help_text="For which a rater may leave a pair unrated.")
