from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from survey_site.common.admin import ReadOnlyAdmin
from survey_site.studies.models import Study


@admin.register(Study)
class StudyAdmin(ReadOnlyAdmin):
    list_display = ("name", "users", "summaries", "created_by", "created_at", "archived_at")
    list_select_related = ("created_by",)
    exclude = ("content", "findings")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Study]:
        """Without what is large and shown nowhere here."""
        return super().get_queryset(request).defer(*self.exclude)
