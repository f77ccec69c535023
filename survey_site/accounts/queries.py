"""Reads about accounts."""

from django.db.models import Q, QuerySet

from survey_site.accounts.models import User
from survey_site.accounts.permissions import RIGHTS, Right, Role
from survey_site.projects.models import Membership


def admins() -> "QuerySet[User]":
    """Whoever may manage accounts, and is let in."""
    return User.objects.filter(Q(is_superuser=True) | Q(role=Role.ADMIN), is_active=True)


def people() -> "QuerySet[User]":
    """Every account: those who are let in first, then by name."""
    return User.objects.order_by("-is_active", "username")


def people_of(project: int | None) -> "QuerySet[User]":
    """Whoever sees the project with that key: its members, and who sees every project."""
    members = Membership.objects.filter(project=project).values("user")
    every = [role for role, rights in RIGHTS.items() if Right.PROJECTS in rights]
    return User.objects.filter(Q(is_superuser=True) | Q(role__in=every) | Q(pk__in=members))
