"""Parts of raters' pages that are the same for many: put together once, and kept by all that they show."""

import re
import secrets
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
"""About 8 MB of pairs and scales: those of six batches in two languages, with every value."""
OWN = "own_"
_MARK = secrets.token_hex(8)  # nobody can write it into a text
_PLACE = re.compile(rf"{_MARK}-(\w+)-")

Values = tuple[tuple[str, Any], ...]
Pieces = tuple[str, ...]


@register.simple_tag
def kept(name: str, **given: Any) -> SafeString:
    """The template `name` with these values, all that it may use besides the language of the page.

    A value given as own_NAME differs on every page: a text, or the opaque code of an item. The template finds
    it as NAME, where it may only show it, or ask whether it is empty: the part is kept without it. What a
    person wrote is such a value, because anything else is kept as well.
    """
    own = {key.removeprefix(OWN): str(value) for key, value in given.items() if key.startswith(OWN)}
    shown = [(key, _hashable(value)) for key, value in given.items() if not key.startswith(OWN)]
    shown += [(key, value and f"{_MARK}-{key}-") for key, value in own.items()]
    pieces = (_rendered if settings.DEBUG else _kept)(name, get_language() or "", tuple(shown))
    # What stands between two texts, and by turns the names of what fills the places in between.
    filled = [escape(own[piece]) if place % 2 else piece for place, piece in enumerate(pieces)]
    return mark_safe("".join(filled))  # noqa: S308 - of templates, which escape what they show


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _rendered(name: str, _language: str, values: Values) -> Pieces:
    return tuple(_PLACE.split(render_to_string(name, dict(values))))


_kept = lru_cache(MOST_PARTS)(_rendered)
