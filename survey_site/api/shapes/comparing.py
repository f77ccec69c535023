"""Two reports side by side."""

from typing import Any

from rest_framework import serializers

from meta_eval.report.view import KINDS


class CompareQuery(serializers.Serializer):
    a = serializers.IntegerField(min_value=1, help_text="The number of a report that is done.")
    b = serializers.IntegerField(min_value=1)
    score = serializers.ChoiceField(choices=sorted(KINDS), default="perseval")


class DifferenceShape(serializers.Serializer):
    where = serializers.CharField()
    name = serializers.CharField()
    a = serializers.JSONField(allow_null=True, help_text="Null where the report does not have it.")
    b = serializers.JSONField(allow_null=True)


class AloneShape(serializers.Serializer):
    what = serializers.CharField()
    of = serializers.ChoiceField(choices=("a", "b"))
    names = serializers.ListField(child=serializers.CharField())


class ComparedShape(serializers.Serializer):
    labels = serializers.ListField(child=serializers.CharField())
    titles = serializers.ListField(child=serializers.CharField())
    a = serializers.FloatField(allow_null=True)
    b = serializers.FloatField(allow_null=True)
    difference = serializers.FloatField(allow_null=True, help_text="b less a; null where incomparable.")
    low = serializers.SerializerMethodField(help_text="Of the interval of the difference.")
    high = serializers.SerializerMethodField()
    why = serializers.CharField(
        allow_null=True, help_text="Why they are incomparable; null where they are not."
    )

    def get_low(self, pair: Any) -> float | None:
        return pair.difference_interval[0] if pair.difference_interval else None

    def get_high(self, pair: Any) -> float | None:
        return pair.difference_interval[1] if pair.difference_interval else None


class ComparisonShape(serializers.Serializer):
    differences = DifferenceShape(many=True, help_text="What was asked or rated differently.")
    alone = AloneShape(many=True, help_text="What only one of the reports has.")
    ranking = ComparedShape(many=True)
    scores = ComparedShape(many=True)
    coefficients = ComparedShape(many=True)
    limits = serializers.ListField(
        child=serializers.CharField(), help_text="What the numbers of either report do not hold."
    )
