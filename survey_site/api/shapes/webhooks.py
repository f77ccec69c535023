"""Webhooks and panel events as programs read and send them."""

from rest_framework import serializers

from survey_site.quality.models import PanelEvent, PanelStatus
from survey_site.webhooks.models import CHOSEN, MOST_LETTERS, Attempt, Delivery, DeliveryState, Endpoint

KINDS = [name for name, _ in CHOSEN]


class EndpointShape(serializers.ModelSerializer):
    owner = serializers.CharField(source="owner.username")
    events = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = Endpoint
        fields: tuple[str, ...] = (
            *("id", "owner", "address", "events", "is_active", "off_because", "failing_since", "made_at"),
        )
        read_only_fields = fields


class EndpointWithSecretShape(EndpointShape):
    secret = serializers.SerializerMethodField(help_text="Shown this once: what signatures are made with.")

    class Meta(EndpointShape.Meta):
        fields = (*EndpointShape.Meta.fields, "secret")
        read_only_fields = fields

    def get_secret(self, _endpoint: Endpoint) -> str:
        return str(self.context["secret"])


class EndpointRequest(serializers.Serializer):
    address = serializers.CharField(max_length=MOST_LETTERS, help_text="A public https address.")
    events = serializers.ListField(child=serializers.ChoiceField(choices=KINDS), min_length=1)


class EndpointChange(serializers.Serializer):
    """What is left out stays."""

    address = serializers.CharField(max_length=MOST_LETTERS, required=False)
    events = serializers.ListField(child=serializers.ChoiceField(choices=KINDS), min_length=1, required=False)
    is_active = serializers.BooleanField(
        required=False, help_text="On: forget that it failed. Off: what waits is given up."
    )


class AttemptShape(serializers.ModelSerializer):
    class Meta:
        model = Attempt
        fields: tuple[str, ...] = ("at", "status", "milliseconds", "answer", "fault")
        read_only_fields = fields


class DeliveryShape(serializers.ModelSerializer):
    event = serializers.CharField(source="event.uid", help_text="What is sent as webhook-id.")
    type = serializers.CharField(source="event.kind")
    happened_at = serializers.DateTimeField(source="event.at")
    body = serializers.CharField(source="event.body", help_text="What is sent, to the byte.")
    state = serializers.ChoiceField(choices=DeliveryState.choices)
    attempts = AttemptShape(many=True, help_text="Newest first.")

    class Meta:
        model = Delivery
        fields: tuple[str, ...] = (
            *("id", "event", "type", "happened_at", "body", "state", "due_at", "tries", "attempts"),
        )
        read_only_fields = fields


class PanelEventRequest(serializers.Serializer):
    event = serializers.CharField(max_length=200, help_text="The panel's id of the event, or one of yours.")
    participant = serializers.CharField(
        max_length=300, help_text="The id that came in the address: of participant or submission."
    )
    status = serializers.ChoiceField(choices=PanelStatus.choices)


class PanelEventShape(serializers.ModelSerializer):
    event = serializers.SerializerMethodField(help_text="As it was sent.")
    known = serializers.SerializerMethodField(help_text="Whether somebody with that id takes part.")
    freed = serializers.IntegerField(help_text="How many open questionnaires went back.")
    excluded = serializers.BooleanField(help_text="Whether the rater's ratings are kept out for it.")
    repeated = serializers.SerializerMethodField(
        help_text="Whether it came before: this is what was done then."
    )

    class Meta:
        model = PanelEvent
        fields: tuple[str, ...] = ("event", "status", "known", "freed", "excluded", "repeated", "at")
        read_only_fields = fields

    def get_event(self, _event: PanelEvent) -> str:
        return str(self.context["event"])

    def get_known(self, event: PanelEvent) -> bool:
        return event.rater_id is not None

    def get_repeated(self, _event: PanelEvent) -> bool:
        return bool(self.context["repeated"])
