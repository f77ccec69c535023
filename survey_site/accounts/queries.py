"""Reads about accounts."""

from django.db.models import Q, QuerySet

from survey_site.accounts.models import User
from survey_site.accounts.permissions import Role


def admins() -> "QuerySet[User]":
    """Whoever may manage accounts, and is let in."""
    return User.objects.filter(Q(is_superuser=True) | Q(role=Role.ADMIN), is_active=True)


def people() -> "QuerySet[User]":
    """Every account: those who are let in first, then by name."""
    return User.objects.order_by("-is_active", "username")
