from django.contrib import admin

from survey_site.batches.models import Batch, Questionnaire
from survey_site.common.admin import ReadOnlyAdmin


@admin.register(Batch)
class BatchAdmin(ReadOnlyAdmin):
    list_display = ("name", "corpus", "status", "scale", "created_at", "launched_at", "closed_at")
    list_filter = ("status", "scale")


@admin.register(Questionnaire)
class QuestionnaireAdmin(ReadOnlyAdmin):
    list_display = ("number", "batch", "document", "reader_a", "reader_b", "slots")
    list_filter = ("batch",)
    list_select_related = ("batch", "document", "reader_a", "reader_b")
