"""The admin site's name, and pages for rows that are never changed once written."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

admin.site.site_header = admin.site.site_title = "Concord administration"


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Lists and shows, but neither adds, changes nor deletes."""

    def has_add_permission(self, _request: HttpRequest, *_args: Any) -> bool:
        return False

    def has_change_permission(self, _request: HttpRequest, _obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, _request: HttpRequest, _obj: Any = None) -> bool:
        return False
