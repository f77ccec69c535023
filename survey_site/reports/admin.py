from django.contrib import admin

from survey_site.common.admin import ReadOnlyAdmin
from survey_site.reports.models import Report


@admin.register(Report)
class ReportAdmin(ReadOnlyAdmin):
    list_display = ("__str__", "status", "created_by", "created_at", "finished_at")
    list_filter = ("status",)
    list_select_related = ("batch", "created_by")
