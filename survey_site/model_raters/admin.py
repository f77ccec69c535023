from django.contrib import admin

from survey_site.common.admin import ReadOnlyAdmin
from survey_site.model_raters.models import ModelRun


@admin.register(ModelRun)
class ModelRunAdmin(ReadOnlyAdmin):
    list_display = ("name", "batch", "status", "done", "total", "created_at", "finished_at")
    list_filter = ("status",)
    list_select_related = ("batch",)
