"""Studies of summaries of users as programs read them."""

from rest_framework import serializers

from survey_site.studies.downloads import ALL, REPORTS
from survey_site.studies.models import MAX_NAME, Study


class StudyShape(serializers.ModelSerializer):
    uploaded_by = serializers.SerializerMethodField(help_text="Empty where nobody's account did it.")
    files = serializers.SerializerMethodField(help_text="What can be taken, below `files/`.")

    class Meta:
        model = Study
        fields: tuple[str, ...] = (
            *("id", "name", "project", "content_hash", "source", "users", "summaries", "files"),
            *("created_at", "uploaded_by", "archived_at"),
        )
        read_only_fields = fields

    def get_uploaded_by(self, study: Study) -> str:
        return study.created_by.username if study.created_by else ""

    def get_files(self, study: Study) -> list[str]:
        return [*REPORTS, ALL, *study.names]


class OneStudyShape(StudyShape):
    findings = serializers.DictField(help_text="What the report on the study is drawn from.")

    class Meta(StudyShape.Meta):
        fields: tuple[str, ...] = (*StudyShape.Meta.fields, "findings")
        read_only_fields = fields


class StudyQuery(serializers.Serializer):
    name = serializers.CharField(max_length=MAX_NAME, help_text="What the study is called on this site.")
    project = serializers.CharField(
        required=False, help_text="Whose it is, by number or name; needed where you have several."
    )
