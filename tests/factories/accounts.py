"""Accounts for tests."""

from collections.abc import Iterable
from itertools import count

from django.utils import timezone

from survey_site.accounts.models import User
from survey_site.projects.choosing import named_project
from survey_site.projects.models import Project

_numbers = count(1)


def first_project() -> Project:
    """The project that every installation begins with."""
    return Project.objects.order_by("pk").first() or named_project(now=timezone.now())


def make_project(name: str = "") -> Project:
    """A project in which nobody and nothing is."""
    return Project.objects.create(name=name or f"Project {next(_numbers)}", created_at=timezone.now())


def make_user(
    *,
    username: str | None = None,
    role: str = "researcher",
    password: str | None = None,
    projects: Iterable[Project] | None = None,
) -> User:
    """Somebody of the first project, unless told otherwise."""
    user = User(username=username or f"user{next(_numbers)}", role=role)
    if password is None:
        user.set_unusable_password()
    else:
        user.set_password(password)
    user.save()
    user.projects.set([first_project()] if projects is None else projects)
    return user
