"""Ratings and distances that somebody uploads: what is said of the file, and what is kept of it."""

from rest_framework import serializers

from survey_site.batches.states import Scale
from survey_site.scoring.models import GivenDistances
from survey_site.uploads.models import Upload
from survey_site.uploads.validators import MOST_RATERS

LARGEST = 2**63 - 1


class UploadShape(serializers.ModelSerializer):
    batch_name = serializers.CharField(source="batch.name")
    raters_known = serializers.BooleanField(source="knows_raters")

    class Meta:
        model = Upload
        fields: tuple[str, ...] = (
            "id",
            "batch",
            "batch_name",
            "file",
            "content_hash",
            "known",
            "raters_known",
            "uploaded_at",
        )
        read_only_fields = fields


class UploadQuery(serializers.Serializer):
    corpus = serializers.IntegerField(min_value=1, max_value=LARGEST, help_text="Whose summaries were rated.")
    scale = serializers.ChoiceField(
        choices=Scale.choices, help_text="What raters were told; the wrong one turns every score around."
    )
    name = serializers.CharField(
        max_length=200, default="", allow_blank=True, help_text="Of the batch; the file's name without it."
    )
    raters = serializers.IntegerField(
        min_value=1,
        max_value=MOST_RATERS,
        required=False,
        help_text="Ratings that a pair needs; without it the most that any pair of a system has.",
    )
    question = serializers.CharField(
        max_length=300, default="", allow_blank=True, help_text="What raters were asked, word for word."
    )
    low_label = serializers.CharField(max_length=80, default="", allow_blank=True, help_text="Label of 1.")
    high_label = serializers.CharField(max_length=80, default="", allow_blank=True, help_text="Label of 6.")


class DistancesShape(serializers.ModelSerializer):
    covered = serializers.IntegerField(help_text="Of these, pairs with a distance.")
    wanted = serializers.IntegerField(help_text="Pairs of texts that scores ask for.")

    class Meta:
        model = GivenDistances
        fields: tuple[str, ...] = (
            *("id", "corpus", "name", "content_hash", "source", "pairs", "covered", "wanted", "created_at"),
        )
        read_only_fields = fields


class DistancesQuery(serializers.Serializer):
    name = serializers.CharField(
        max_length=60, help_text="What the measure is called in reports: small letters, digits, . - _"
    )
