"""What is archived and deleted, as programs read it before they do it."""

from datetime import datetime
from typing import Any

from rest_framework import serializers

from survey_site.keeping.deleting import foresee
from survey_site.keeping.things import KINDS_TOLD, Thing, kind_of


class ObstacleShape(serializers.Serializer):
    why = serializers.CharField()
    action = serializers.CharField(help_text="What to do about it.")


class KeptShape(serializers.Serializer):
    kind = serializers.ChoiceField(choices=KINDS_TOLD)
    id = serializers.IntegerField()
    name = serializers.CharField()
    archived_at = serializers.DateTimeField(allow_null=True)
    asked = serializers.CharField(help_text="What to send as `name` to delete it.")
    goes = serializers.DictField(
        source="counted", child=serializers.IntegerField(), help_text="How many of what go with it."
    )
    taken_away = serializers.DictField(
        source="taken", child=serializers.IntegerField(), help_text="What people downloaded, which stays."
    )
    obstacles = ObstacleShape(many=True, help_text="What stands in the way of deleting it.")
    seen = serializers.CharField(help_text="Changes with what goes; send it back to delete it.")


class DeletionQuery(serializers.Serializer):
    name = serializers.CharField(max_length=500, help_text="Its name, of a report its number: `asked`.")
    seen = serializers.CharField(max_length=64, help_text="As you read it: no more goes than you saw.")


def kept_record(thing: Thing, *, now: datetime) -> dict[str, Any]:
    """What the shape takes."""
    said = {"kind": kind_of(thing), "id": thing.pk, "name": str(thing), "archived_at": thing.archived_at}
    return {**said, **foresee(thing, now=now)}
