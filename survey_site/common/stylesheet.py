"""Collected static files: compressed, under names that tell their content, and the stylesheet in one piece.

The stylesheet is written in parts. A browser would ask for each in turn, once it has read the sheet that
names them all; so what is collected holds them, and a page needs one request for how it looks.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.core.files.base import ContentFile
from whitenoise.storage import CompressedManifestStaticFilesStorage

SHEET = "css/concord.css"
_IMPORT = re.compile(r'^@import url\("(?P<part>[^"]+)"\)(?: (?P<media>[^;]+))?;$', re.MULTILINE)


def whole_stylesheet() -> str:
    """The sheet with each part in the place of its `@import`; all stand in one folder, so links stay true."""
    return _IMPORT.sub(_part, _read(SHEET))


def _part(found: re.Match[str]) -> str:
    text = _read(SHEET.replace("concord.css", found["part"]))
    return f"@media {found['media']} {{\n{text}}}" if found["media"] else text


def _read(name: str) -> str:
    return Path(str(finders.find(name))).read_text(encoding="utf-8")


class SiteFilesStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Where `collectstatic` puts the files that the site serves."""

    def post_process(self, paths: Mapping[str, Any], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        """Replace the stylesheet before names and compressed files are made; always anew from the parts."""
        if SHEET in paths and not dry_run:
            self.delete(SHEET)
            self.save(SHEET, ContentFile(whole_stylesheet().encode()))
            paths = {**paths, SHEET: (self, SHEET)}
        yield from super().post_process(paths, dry_run, **options)
