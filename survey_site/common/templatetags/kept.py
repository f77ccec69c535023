"""Parts of raters' pages that are the same for many (`survey_site/common/kept.py`), for templates."""

from typing import Any

from django import template
from django.utils.safestring import SafeString

from survey_site.common.kept import put_together

register = template.Library()
OWN = "own_"


@register.simple_tag
def kept(name: str, **given: Any) -> SafeString:
    """The template `name` with these values, kept by all but those that are given as own_NAME.

    Such a value differs on every page. The template finds it as NAME, where it may only show it, or ask
    whether it is empty.
    """
    own = {key.removeprefix(OWN): str(value) for key, value in given.items() if key.startswith(OWN)}
    return put_together(name, {key: value for key, value in given.items() if not key.startswith(OWN)}, own)
