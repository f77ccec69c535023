"""The one rule of a rating's value, for pages, scripts and services alike."""

from django.utils.translation import gettext

from survey_site.common.errors import InvalidInputError

LOWEST, HIGHEST = 1, 6
SCALE = range(LOWEST, HIGHEST + 1)
_BY_TEXT = {str(value): value for value in SCALE}


def validate_rating(value: object) -> int:
    """The rating as an integer 1..6; accepts the digit as text, as forms send it, and nothing near it."""
    if isinstance(value, int) and not isinstance(value, bool) and value in SCALE:
        return value
    if isinstance(value, str) and value in _BY_TEXT:
        return _BY_TEXT[value]
    raise InvalidInputError(
        gettext("A rating must be a whole number from %(lowest)s to %(highest)s, not %(value)s.")
        % {"lowest": LOWEST, "highest": HIGHEST, "value": repr(str(value)[:20])},
        action=gettext("Choose one of the six points of the scale."),
    )
