"""How people take part in a batch, and what they agree to."""

from typing import Any

from rest_framework import serializers

from survey_site.survey.models import MAX_FACT, Entry, Participation
from survey_site.survey.people.background import QUESTIONS

SETTINGS = (
    *("entry", "panel_parameter", "limit", "researchers", "contact", "approval", "kept_for", "asks_name"),
    *("practice", "questions", "fields_of_study", "age_bands", "completed_code", "no_place_code"),
    *("partial_code", "failed_code", "failed_controls", "return_address"),
)
"""The fields of *Taking part*."""


class ParticipationShape(serializers.ModelSerializer):
    questions = serializers.ListField(child=serializers.ChoiceField(choices=list(QUESTIONS)))
    invitations = serializers.IntegerField(help_text="How many personal links there are.")

    class Meta:
        model = Participation
        fields: tuple[str, ...] = (*SETTINGS, "invitations")
        read_only_fields = fields


class ParticipationChange(serializers.Serializer):
    """What is left out stays."""

    entry = serializers.ChoiceField(choices=Entry.choices, required=False)
    panel_parameter = serializers.CharField(
        max_length=50, required=False, help_text="The name of a person's id in the panel's links."
    )
    limit = serializers.IntegerField(
        min_value=1,
        max_value=32_767,
        required=False,
        allow_null=True,
        help_text="Questionnaires per person; null for any.",
    )
    researchers = serializers.CharField(max_length=MAX_FACT, required=False, allow_blank=True)
    contact = serializers.CharField(max_length=MAX_FACT, required=False, allow_blank=True)
    approval = serializers.CharField(max_length=MAX_FACT, required=False, allow_blank=True)
    kept_for = serializers.CharField(max_length=MAX_FACT, required=False, allow_blank=True)
    asks_name = serializers.BooleanField(required=False)
    practice = serializers.BooleanField(required=False)
    questions = serializers.ListField(
        child=serializers.ChoiceField(choices=list(QUESTIONS)), required=False, help_text="About the person."
    )
    fields_of_study = serializers.CharField(
        max_length=20_000, required=False, allow_blank=True, help_text="One a line."
    )
    age_bands = serializers.CharField(
        max_length=20_000, required=False, allow_blank=True, help_text="One a line, from young to old."
    )
    completed_code = serializers.CharField(max_length=100, required=False, allow_blank=True)
    no_place_code = serializers.CharField(max_length=100, required=False, allow_blank=True)
    partial_code = serializers.CharField(max_length=100, required=False, allow_blank=True)
    failed_code = serializers.CharField(max_length=100, required=False, allow_blank=True)
    failed_controls = serializers.IntegerField(min_value=1, max_value=32_767, required=False, allow_null=True)
    return_address = serializers.CharField(
        max_length=300, required=False, allow_blank=True, help_text="https, with {code} in it."
    )


class ConsentShape(serializers.Serializer):
    language = serializers.CharField(help_text="Of the page on which it is read.")
    version = serializers.IntegerField()
    written_in = serializers.CharField(help_text="That of the text itself.")
    text = serializers.CharField()


class ConsentsShape(serializers.Serializer):
    texts = ConsentShape(many=True, help_text="For each language of the batch what people agree to now.")


class ConsentRequest(serializers.Serializer):
    text = serializers.CharField(max_length=50_000)
    language = serializers.CharField(
        max_length=10, required=False, help_text="One that the batch offers; its own without it."
    )


def settings_of(participation: Participation) -> dict[str, Any]:
    return {name: getattr(participation, name) for name in SETTINGS}
