"""A rating in long form."""

from rest_framework import serializers


class RatingShape(serializers.Serializer):
    """The columns of the CSV file; docs/exports.md says what each means."""

    doc_id = serializers.CharField()
    system = serializers.CharField()
    reader_a = serializers.CharField()
    reader_b = serializers.CharField()
    rater = serializers.CharField()
    rating = serializers.IntegerField(min_value=1, max_value=6, allow_null=True)
    questionnaire = serializers.IntegerField()
    position = serializers.IntegerField(allow_null=True)
    flipped = serializers.BooleanField(allow_null=True)
    simulated = serializers.BooleanField()
    submitted_at = serializers.DateTimeField(allow_null=True)
    state = serializers.CharField()
    control = serializers.CharField(allow_blank=True)
