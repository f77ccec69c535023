from django.contrib import admin

from survey_site.common.admin import ReadOnlyAdmin
from survey_site.uploads.models import Upload


@admin.register(Upload)
class UploadAdmin(ReadOnlyAdmin):
    list_display = ("batch", "file", "content_hash", "uploaded_by", "uploaded_at")
