"""How people take part in a batch, and what they agree to."""

from typing import Any

from rest_framework import serializers

from survey_site.batches.wording import PARTS
from survey_site.survey.models import MAX_FACT, Entry, Participation
from survey_site.survey.pages.examples import MOST_PAIRS
from survey_site.survey.people.background import QUESTIONS
from survey_site.survey.people.panels import PANELS
from survey_site.survey.people.participation import MOST_INVITATIONS
from survey_site.survey.rating.validators import HIGHEST, LOWEST

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


class PanelChoiceShape(serializers.Serializer):
    panel = serializers.ChoiceField(choices=sorted(PANELS))
    name = serializers.CharField()
    hint = serializers.CharField(help_text="What is left to be done on the panel.")


class PanelShape(serializers.Serializer):
    address = serializers.CharField(help_text="The one to give to whoever sends people.")
    panels = PanelChoiceShape(many=True, help_text="Those that a draft can be set up for.")


class PanelRequest(serializers.Serializer):
    panel = serializers.ChoiceField(choices=sorted(PANELS))


class PersonalLinkShape(serializers.Serializer):
    number = serializers.IntegerField()
    link = serializers.CharField(help_text="Whoever holds it is that person.")


class PersonalLinksShape(serializers.Serializer):
    links = PersonalLinkShape(many=True)


class LinksRequest(serializers.Serializer):
    count = serializers.IntegerField(
        min_value=1, max_value=MOST_INVITATIONS, help_text="So many more than there are."
    )


class LinksMadeShape(serializers.Serializer):
    invitations = serializers.IntegerField(help_text="How many personal links there are now.")


class PairShape(serializers.Serializer):
    """Two texts, and from which to which point of the batch's scale they are rated."""

    left = serializers.CharField(max_length=20_000)
    right = serializers.CharField(max_length=20_000)
    low = serializers.IntegerField(min_value=LOWEST, max_value=HIGHEST)
    high = serializers.IntegerField(min_value=LOWEST, max_value=HIGHEST)
    why = serializers.CharField(max_length=20_000)

    def validate(self, pair: dict[str, Any]) -> dict[str, Any]:
        if pair["low"] > pair["high"]:
            raise serializers.ValidationError({"high": ["This is lower than the point before it."]})
        return pair


class WordingShape(serializers.Serializer):
    question = serializers.CharField(max_length=300, required=False, allow_blank=True)
    low_label = serializers.CharField(max_length=80, required=False, allow_blank=True)
    label_2 = serializers.CharField(max_length=80, required=False, allow_blank=True)
    label_3 = serializers.CharField(max_length=80, required=False, allow_blank=True)
    label_4 = serializers.CharField(max_length=80, required=False, allow_blank=True)
    label_5 = serializers.CharField(max_length=80, required=False, allow_blank=True)
    high_label = serializers.CharField(max_length=80, required=False, allow_blank=True)
    instructions = serializers.CharField(max_length=20_000, required=False, allow_blank=True)


class TextsShape(serializers.Serializer):
    language = serializers.CharField()
    wording = WordingShape(
        help_text="What is written in this language; of the batch's own language that of its plan."
    )
    examples = PairShape(many=True, help_text="Worked examples; none where the site's own are shown.")
    practice = PairShape(many=True, help_text="Practice pairs; none where the site's own are shown.")
    missing = serializers.ListField(
        child=serializers.CharField(), help_text="What raters read in the batch's own language instead."
    )


class TextsChange(serializers.Serializer):
    """What is left out stays, of `wording` each part; an empty list brings the site's own pairs back."""

    wording = WordingShape(
        required=False, help_text="Of a further language: that of the batch's own is in its plan."
    )
    examples = PairShape(many=True, required=False, max_length=MOST_PAIRS)
    practice = PairShape(many=True, required=False, max_length=MOST_PAIRS)


def wording_of(words: Any) -> dict[str, str]:
    """Every part of the wording, as a batch or a translation of it has them; empty without one."""
    return {part: getattr(words, part, "") for part in PARTS}


def settings_of(participation: Participation) -> dict[str, Any]:
    return {name: getattr(participation, name) for name in SETTINGS}
