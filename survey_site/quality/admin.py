from django.contrib import admin

from survey_site.common.admin import ReadOnlyAdmin
from survey_site.quality.models import Exclusion


@admin.register(Exclusion)
class ExclusionAdmin(ReadOnlyAdmin):
    list_display = ("rater", "assignment", "reason", "excluded_by", "excluded_at")
    list_select_related = ("rater", "assignment", "excluded_by")
