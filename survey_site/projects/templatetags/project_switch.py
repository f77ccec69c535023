"""The projects among which somebody chooses, for the head of every page."""

from typing import Any

from django import template

from survey_site.projects.access import projects_of
from survey_site.projects.models import Project

register = template.Library()


@register.simple_tag
def projects_to_show(user: Any) -> list[Project]:
    """None where there is nothing to choose."""
    found = list(projects_of(user))
    return found if len(found) > 1 else []


@register.simple_tag
def page_to_stay_on(request: Any) -> str:
    """The page that shows the other project's things afterwards; none where it is about one thing."""
    found = request.resolver_match
    return request.path if found and not found.kwargs else ""
