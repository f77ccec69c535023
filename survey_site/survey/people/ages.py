"""The bands of age that people choose from: a batch's own, one a line, or those that every batch has."""

import re
from dataclasses import dataclass
from itertools import pairwise

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from survey_site.common.errors import InvalidInputError

DEFAULT_BANDS = ("18 to 24", "25 to 34", "35 to 44", "45 to 54", "55 to 64", "65 or older")
OLDEST = 120

_BETWEEN, _FROM, _BELOW = _("%(low)s to %(high)s"), _("%(low)s or older"), _("Under %(high)s")
_FORMS = (
    (_BETWEEN, re.compile(r"(?P<low>\d{1,3})\s*(?:to|-|–)\s*(?P<high>\d{1,3})")),
    (_FROM, re.compile(r"(?P<low>\d{1,3})\s*(?:or older|\+)")),
    (_BELOW, re.compile(r"under\s*(?P<high>\d{1,3})", re.IGNORECASE)),
)


@dataclass(frozen=True)
class AgeBand:
    """Ages from `low` to `high`, both included; `label` as answers are stored, in English."""

    label: str
    low: int
    high: int


def listed_bands(text: str) -> tuple[str, ...]:
    """The labels of the bands that an admin lists, one a line; the usual ones where there are none.

    Raises InvalidInputError where a line is no band, or where bands do not follow one another.

    >>> listed_bands("under 20\\n20-29\\n30+")
    ('Under 20', '20 to 29', '30 or older')
    """
    bands = [_read(line.strip()) for line in text.splitlines() if line.strip()]
    if not bands:
        return DEFAULT_BANDS
    for before, band in pairwise(bands):
        _require_next(before, band)
    return tuple(band.label for band in bands)


def translated_band(label: str) -> str:
    """A stored band in the language of the page; any other text as it is."""
    for words, form in _FORMS:
        if found := form.fullmatch(label):
            return gettext(words) % found.groupdict()
    return label


def _read(line: str) -> AgeBand:
    for words, form in _FORMS:
        if found := form.fullmatch(line):
            ages = {name: int(value) for name, value in found.groupdict().items()}
            low, high = ages.get("low", 0), ages.get("high", OLDEST + 1) - (words == _BELOW)
            if low > high or max(ages.values()) > OLDEST:
                break
            return AgeBand(words % ages, low, high)
    raise InvalidInputError(
        f"“{line[:50]}” is no band of age.",
        action="Write “18 to 24”, “under 18” or “65 or older”, one a line.",
    )


def _require_next(before: AgeBand, band: AgeBand) -> None:
    """Bands ascend, without overlap, and nobody's age lies between two of them."""
    if band.low == before.high + 1:
        return
    overlap = band.low <= before.high
    why = "overlaps or goes back" if overlap else f"leaves out {_ages(before.high + 1, band.low - 1)}"
    action = f"Let it begin at {before.high + 1}." if before.high < OLDEST else "Put the oldest band last."
    raise InvalidInputError(f"“{band.label}” after “{before.label}” {why}.", action=action)


def _ages(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"
