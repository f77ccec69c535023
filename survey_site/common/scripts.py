"""The scripts of a page together with what they import, so that a browser asks for all of them at once.

A browser learns what a module imports when it has read the module. Links in the page tell it before.
"""

import re
from functools import cache
from pathlib import Path
from urllib.parse import urljoin

from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

# As collected files are written, too: from a path that begins with a dot, at the beginning of a line.
_IMPORT = re.compile(r"""^(?:import|export)\b(?:[^;"']*\bfrom)?\s*["'](?P<path>\.[^"']+)["']""", re.MULTILINE)


def script_elements(names: tuple[str, ...]) -> SafeString:
    """The elements that load these modules, in their order, and what they import, each file once."""
    return _elements(tuple(staticfiles_storage.url(name) for name in names))


@cache
def _elements(scripts: tuple[str, ...]) -> SafeString:
    imported = dict.fromkeys(address for script in scripts for address in _imported_by(script))
    links = format_html_join(
        "", '<link rel="modulepreload" href="{}">', ((one,) for one in imported if one not in scripts)
    )
    return links + format_html_join(
        "", '<script type="module" src="{}"></script>', ((one,) for one in scripts)
    )


def _imported_by(address: str) -> tuple[str, ...]:
    """The addresses of all modules that this one imports, and that those import."""
    found: dict[str, None] = {}
    waiting = [address]
    while waiting:
        module = waiting.pop()
        for match in _IMPORT.finditer(_text(module)):
            imported = urljoin(module, match["path"])
            if imported not in found:
                found[imported] = None
                waiting.append(imported)
    return tuple(found)


def _text(address: str) -> str:
    """What is served there: a collected file, which imports collected files, or a source."""
    name = address.removeprefix(settings.STATIC_URL)
    return Path(finders.find(name) or staticfiles_storage.path(name)).read_text(encoding="utf-8")
