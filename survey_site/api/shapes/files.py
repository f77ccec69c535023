"""Ratings and distances that somebody uploads: what is said of the file, and what is kept of it."""

from typing import Any

from rest_framework import serializers

from meta_eval.errors import InputError
from meta_eval.ratings.exports import Taking
from survey_site.batches.states import Scale
from survey_site.scoring.models import GivenDistances
from survey_site.uploads.models import Upload
from survey_site.uploads.tools import Export, Tool, named_pairs
from survey_site.uploads.validators import MOST_RATERS

LARGEST = 2**63 - 1
OF_EXPORTS = ("tool", "asked", "field", "number", "items", "id_key")
"""What of a query is said of an annotation tool's export."""


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
    tool = serializers.ChoiceField(
        choices=Tool.choices, default=Tool.TABLE, help_text="What wrote the file. What follows is of exports."
    )
    asked = serializers.CharField(
        max_length=200, default="", allow_blank=True, help_text="The control or scheme that counts."
    )
    field = serializers.ListField(
        child=serializers.CharField(max_length=300),
        default=list,
        max_length=4,
        help_text="The field of an item that is `doc_id`, `system`, `reader_a` or `reader_b`, where it has "
        "another name: `doc_id=document`. Once for each.",
    )
    number = serializers.ListField(
        child=serializers.CharField(max_length=300),
        default=list,
        max_length=100,
        help_text="The number that an answer in words stands for: `Very similar=6`. Once for each.",
    )
    items = serializers.CharField(
        max_length=300,
        default="",
        allow_blank=True,
        help_text="Which file of the ZIP archive is Potato's file of items, such as `items.jsonl`.",
    )
    id_key = serializers.CharField(max_length=100, default="id", help_text="An item's id, for Potato.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """What is said of an export stands under `export`; None for a table."""
        kept = {name: value for name, value in attrs.items() if name not in OF_EXPORTS}
        tool = Tool(attrs["tool"])
        if tool == Tool.TABLE:
            return {**kept, "export": None}
        try:
            taking = Taking(
                fields=named_pairs(attrs["field"]),
                question=attrs["asked"] or None,
                numbers=named_pairs(attrs["number"]),
            )
        except InputError as error:
            raise serializers.ValidationError(str(error)) from error
        export = Export(tool=tool, taking=taking, id_key=attrs["id_key"], items=attrs["items"])
        return {**kept, "export": export}


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
