"""Notices as programs read them."""

from rest_framework import serializers

from survey_site.notices.models import Notice


class NoticeShape(serializers.ModelSerializer):
    title = serializers.CharField(source="__str__")
    what_to_do = serializers.CharField()
    subject = serializers.CharField(
        help_text="The code of the rater, or the number of the report or webhook, that it is about."
    )
    is_read = serializers.BooleanField(help_text="Whether you have read it.")
    read_by = serializers.SerializerMethodField(help_text="Who has read it, in that order.")

    class Meta:
        model = Notice
        fields: tuple[str, ...] = (
            *("id", "kind", "title", "what_to_do", "batch", "subject", "at", "is_read", "read_by"),
        )
        read_only_fields = fields

    def get_read_by(self, notice: Notice) -> list[str]:
        return [one.user.username for one in notice.readings.all()]
