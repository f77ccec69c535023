"""Parts of raters' pages that are the same for many: put together once, and kept by all that they show."""

from functools import lru_cache
from typing import Any

from django import template
from django.conf import settings
from django.template.loader import render_to_string
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

register = template.Library()

MOST_PARTS = 2000
"""About 4 MB of scales: those of six batches in two languages, with every value."""
_CODE = "code-of-this-one"


@register.simple_tag
def kept(name: str, *, code: str = "", **shown: Any) -> SafeString:
    """The template `name` with these values, all that it may use besides the language of the page.

    code: the opaque code of an item, which differs on every page: the part is kept without it. Nothing that a
    person wrote belongs here, because it would be kept as well.
    """
    values = tuple((key, tuple(value) if isinstance(value, list) else value) for key, value in shown.items())
    part = (_rendered if settings.DEBUG else _kept)(name, get_language() or "", values)
    return mark_safe(part.replace(_CODE, escape(code)))  # noqa: S308 - of templates, which escape what they show


def _rendered(name: str, _language: str, values: tuple[tuple[str, Any], ...]) -> str:
    return render_to_string(name, {**dict(values), "code": _CODE})


_kept = lru_cache(MOST_PARTS)(_rendered)
