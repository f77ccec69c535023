"""The stylesheet in one piece; and collected static files: compressed, under names that tell their content.

The stylesheet is written in parts. A browser would ask for each in turn, once it has read the sheet that
names them all; so what is served holds them, and a page needs one request for how it looks: in a checkout by
a finder that comes before the others, elsewhere by what is collected.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import BaseFinder, FileSystemFinder
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, Storage
from whitenoise.storage import CompressedManifestStaticFilesStorage

from meta_eval.files.writing import write_bytes

SHEET = "css/concord.css"
_IMPORT = re.compile(r'^@import url\("(?P<part>[^"]+)"\)(?: (?P<media>[^;]+))?;$', re.MULTILINE)


def whole_stylesheet() -> str:
    """The sheet with each part in the place of its `@import`; all stand in one folder, so links stay true."""
    return _IMPORT.sub(_part, _read(SHEET))


def _part(found: re.Match[str]) -> str:
    text = _read(SHEET.replace("concord.css", found["part"]))
    return f"@media {found['media']} {{\n{text}}}" if found["media"] else text


def _read(name: str) -> str:
    return Path(str(FileSystemFinder().find(name))).read_text(encoding="utf-8")


class WholeStylesheetFinder(BaseFinder):
    """Finds the stylesheet alone, written in one piece below the data folder each time it is asked for."""

    def find(self, path: str, find_all: bool = False, **_older: Any) -> Any:
        """Where the whole sheet stands; an empty list for every other file."""
        if path != SHEET:
            return []
        whole = self._write()
        return [whole] if find_all else whole

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterable[tuple[str, Storage]]:  # noqa: ARG002
        """The sheet and where it stands."""
        self._write()
        return [(SHEET, FileSystemStorage(location=_folder()))]

    def _write(self) -> str:
        whole = _folder() / SHEET
        write_bytes(whole_stylesheet().encode(), whole)
        return str(whole)


def _folder() -> Path:
    return Path(settings.CONCORD_DATA_DIR) / "static"


class SiteFilesStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Where `collectstatic` puts the files that the site serves."""

    support_js_module_import_aggregation = True
    """Scripts import each other by names that tell the content, so that no two versions meet in a browser."""

    def post_process(self, paths: Mapping[str, Any], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        """Replace the stylesheet before names and compressed files are made; always anew from the parts."""
        if SHEET in paths and not dry_run:
            self.delete(SHEET)
            self.save(SHEET, ContentFile(whole_stylesheet().encode()))
            paths = {**paths, SHEET: (self, SHEET)}
        yield from super().post_process(paths, dry_run, **options)
