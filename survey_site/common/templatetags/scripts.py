"""A page's scripts (`survey_site/common/scripts.py`), for templates."""

from django import template
from django.utils.safestring import SafeString

from survey_site.common.scripts import script_elements

register = template.Library()


@register.simple_tag
def scripts(*names: str) -> SafeString:
    """Load these modules, which `{% static %}` would name, and at the same time what they import."""
    return script_elements(names)
