"""The languages of raters' pages: English, and one for each folder of compiled translations."""

from collections.abc import Sequence
from pathlib import Path

from django.conf.locale import LANG_INFO
from django.core.exceptions import ImproperlyConfigured

SOURCE = "en"


def languages(folder: Path) -> list[tuple[str, str]]:
    """Code and name of each language, the source first."""
    found = sorted(path.parts[-3] for path in folder.glob("*/LC_MESSAGES/django.mo"))
    codes = [SOURCE, *(name.replace("_", "-").lower() for name in found if name != SOURCE)]
    return [(code, str(LANG_INFO[code]["name"])) for code in codes]


def rater_language(code: str, available: Sequence[tuple[str, str]]) -> str:
    """The setting, if there is such a language."""
    codes = [one for one, _ in available]
    if code not in codes:
        raise ImproperlyConfigured(
            f"Environment variable CONCORD_LANGUAGE={code!r} is none of the languages: {', '.join(codes)}."
        )
    return code
