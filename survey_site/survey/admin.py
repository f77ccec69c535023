from django.contrib import admin

from survey_site.common.admin import ReadOnlyAdmin
from survey_site.survey.models import (
    Assignment,
    Consent,
    ConsentText,
    Participation,
    Rater,
    Rating,
    RatingHistory,
)


@admin.register(Rater)
class RaterAdmin(ReadOnlyAdmin):
    list_display = ("code", "batch", "simulated", "created_at")
    list_filter = ("batch", "simulated")
    exclude = ("key_hash", "name")  # who somebody is stands nowhere beside their pseudonym


@admin.register(Assignment)
class AssignmentAdmin(ReadOnlyAdmin):
    list_display = ("questionnaire", "rater", "slot", "state", "claimed_at", "expires_at", "submitted_at")
    list_filter = ("state", "questionnaire__batch")
    list_select_related = ("questionnaire", "rater")


@admin.register(Rating)
class RatingAdmin(ReadOnlyAdmin):
    list_display = ("assignment_item", "value", "created_at", "updated_at")
    list_select_related = ("assignment_item",)


@admin.register(RatingHistory)
class RatingHistoryAdmin(ReadOnlyAdmin):
    list_display = ("assignment_item", "value", "recorded_at")
    list_select_related = ("assignment_item",)


@admin.register(Participation)
class ParticipationAdmin(ReadOnlyAdmin):
    list_display = ("batch",)


@admin.register(ConsentText)
class ConsentTextAdmin(ReadOnlyAdmin):
    list_display = ("batch", "version", "created_at")


@admin.register(Consent)
class ConsentAdmin(ReadOnlyAdmin):
    list_display = ("rater", "text", "given_at")
    list_select_related = ("rater", "text")
