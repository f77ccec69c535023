from django.contrib import admin
from django_otp.plugins.otp_totp.models import TOTPDevice

from survey_site.accounts.models import AuditEntry, User
from survey_site.common.admin import ReadOnlyAdmin

admin.site.unregister(TOTPDevice)  # its page shows the secret


@admin.register(User)
class AccountAdmin(ReadOnlyAdmin):
    """Shown only: the pages of the site change accounts, so that an admin is left and each act is logged."""

    list_display = ("username", "role", "is_superuser", "is_active", "last_login")
    list_filter = ("role", "is_superuser", "is_active")
    exclude = ("password",)


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    list_display = ("at", "actor_name", "action", "subject")
    list_filter = ("action",)
