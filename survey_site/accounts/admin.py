from django.contrib import admin
from django.contrib.auth.admin import UserAdmin

from survey_site.accounts.models import AuditEntry, User
from survey_site.common.admin import ReadOnlyAdmin


@admin.register(User)
class AccountAdmin(UserAdmin):  # type: ignore[type-arg]
    list_display = ("username", "role", "is_superuser", "is_active", "last_login")
    list_filter = ("role", "is_superuser", "is_active")
    fieldsets = (*(UserAdmin.fieldsets or ()), ("Concord", {"fields": ("role",)}))
    add_fieldsets = (*UserAdmin.add_fieldsets, ("Concord", {"fields": ("role",)}))


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    list_display = ("at", "actor_name", "action", "subject")
    list_filter = ("action",)
