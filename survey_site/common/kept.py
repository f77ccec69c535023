"""Pages of raters, and parts of them, that are the same for many: put together once and kept."""

import re
import secrets
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.functional import Promise
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

MOST_PARTS = 2000
"""About 8 MB of pairs and scales: those of six batches in two languages, with every value."""
MOST_PAGES = 200
"""About 5 MB: first pages and frames of questionnaires, of fifty batches in two languages."""
_MARK = secrets.token_hex(8)  # nobody can write it into a text
_PLACE = re.compile(rf"{_MARK}-(\w+)-")

Values = tuple[tuple[str, Any], ...]
Pieces = tuple[str, ...]


def place(name: str) -> str:
    """What stands in a kept page where the own value of this name comes."""
    return f"{_MARK}-{name}-"


def put_together(
    name: str, shown: Mapping[str, Any], own: Mapping[str, Any], *, is_page: bool = False
) -> SafeString:
    """The template `name` with these values, all that it may use besides the language of the page.

    shown: what it is kept by, so each is to be compared by what it holds (lists may come as they are). own:
    what differs on every page, a text or an opaque code: the template may only show it, or ask whether it is
    empty, for the part is kept without it; a lazy one is made only where it is shown. What a person wrote is
    such a value, because all else is kept as well. is_page: a whole page, of which fewer are kept.
    """
    values = [(key, _hashable(value)) for key, value in sorted(shown.items())]
    values += [(key, place(key) if _is_lazy(value) or value else value) for key, value in own.items()]
    keep = _rendered if settings.DEBUG else _kept_pages if is_page else _kept_parts
    pieces = keep(name, get_language() or "", tuple(values))
    texts = {key: conditional_escape(own[key]) for key in set(pieces[1::2])}
    # What stands between two texts, and by turns the names of what fills the places in between.
    filled = [texts[one] if odd % 2 else one for odd, one in enumerate(pieces)]
    return mark_safe("".join(filled))  # noqa: S308 - of templates, which escape what they show


def _is_lazy(value: object) -> bool:
    return isinstance(value, Promise)


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _rendered(name: str, _language: str, values: Values) -> Pieces:
    return tuple(_PLACE.split(render_to_string(name, dict(values))))


_Keep = Callable[[str, str, Values], Pieces]
_kept_parts: _Keep = lru_cache(MOST_PARTS)(_rendered)
_kept_pages: _Keep = lru_cache(MOST_PAGES)(_rendered)
