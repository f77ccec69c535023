"""Where a new corpus or study goes."""

from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from survey_site.common.errors import InvalidInputError
from survey_site.projects.access import projects_of
from survey_site.projects.models import FIRST, Project


def project_to_fill(user: Any, wanted: object = None) -> Project:
    """Where something new of this person goes: the project wanted, by key or name, or their only one.

    Raises InvalidInputError where there is no such project that they see, or where they have to say which.
    """
    return _one_of(projects_of(user), wanted)


def named_project(name: str = "", *, now: datetime) -> Project:
    """For commands: the project of that name or key; without one, the only one that there is.

    A database without any gets its first one.
    """
    if not name and not (few := list(Project.objects.all()[:2]))[1:]:
        begun = {"created_at": now}
        return few[0] if few else Project.objects.get_or_create(name=FIRST, defaults=begun)[0]
    return _one_of(Project.objects.all(), name)


def _one_of(projects: "QuerySet[Project]", wanted: object) -> Project:
    if wanted:
        text = str(wanted)
        found = projects.filter(name=text).first()
        if found is None and text.isdecimal() and len(text) < 19:
            found = projects.filter(pk=int(text)).first()
        if found:
            return found
        raise _unclear("There is no such project.", "Choose one of yours.")
    few = list(projects[:2])
    if len(few) == 1:
        return few[0]
    if few:
        raise _unclear("There is more than one project.", "Say which one this is for.")
    raise _unclear("You are a member of no project.", "Ask an admin to add you to one.")


def _unclear(message: str, action: str) -> InvalidInputError:
    return InvalidInputError(message, action=action, fields={"project": [f"{message} {action}"]})
