"""How many notices somebody has not read, for the head of every page."""

from django import template

from survey_site.accounts.models import User
from survey_site.notices.queries import unread_by

register = template.Library()


@register.simple_tag
def unread_notices(user: User) -> int:
    return unread_by(user).count()
