"""Corpora as programs read them."""

from typing import Any

from rest_framework import serializers

from survey_site.corpus.models import Corpus
from survey_site.corpus.queries import corpus_languages, describe_corpus, languages_told


class CorpusShape(serializers.ModelSerializer):
    documents = serializers.IntegerField(source="document_count")
    readers = serializers.IntegerField(source="reader_count")
    systems = serializers.IntegerField(source="system_count")
    references = serializers.IntegerField(source="reference_count")

    class Meta:
        model = Corpus
        fields: tuple[str, ...] = (
            *(
                "id",
                "name",
                "project",
                "content_hash",
                "source",
                "language",
                "documents",
                "readers",
                "systems",
            ),
            *("references", "created_at", "archived_at"),
        )
        read_only_fields = fields


class SystemShape(serializers.Serializer):
    id = serializers.IntegerField(source="pk")
    name = serializers.CharField()
    summaries = serializers.IntegerField()
    missing = serializers.IntegerField(help_text="References for which it wrote no summary.")
    generated = serializers.DictField(
        allow_null=True,
        help_text="How a language model wrote them, as `generate` recorded it; null if unknown.",
    )


class GeneratedRequest(serializers.Serializer):
    systems = serializers.ListField(
        child=serializers.JSONField(), help_text="The records of the file, one a system."
    )


class OneCorpusShape(CorpusShape):
    languages = serializers.ListField(
        child=serializers.CharField(), help_text="Tags of the texts' languages, where somebody said them."
    )
    languages_told = serializers.ListField(child=serializers.CharField())
    by_system = SystemShape(many=True)
    documents_without_text = serializers.IntegerField()
    remarks = serializers.ListField(child=serializers.CharField(), help_text="What to know before scoring.")

    class Meta(CorpusShape.Meta):
        fields: tuple[str, ...] = (
            *CorpusShape.Meta.fields,
            *("languages", "languages_told", "by_system", "documents_without_text", "remarks"),
        )
        read_only_fields = fields

    def to_representation(self, instance: Corpus) -> dict[str, Any]:
        found: Any = instance
        overview = describe_corpus(instance)
        found.languages, found.languages_told = corpus_languages(instance), languages_told(instance)
        found.by_system, found.documents_without_text = overview.systems, overview.without_text
        found.remarks = overview.remarks(instance.notes)
        shown: dict[str, Any] = super().to_representation(found)
        return shown
