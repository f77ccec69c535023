"""A moment in words: in the site's time zone, which is named."""

from datetime import datetime

from django.utils.formats import date_format
from django.utils.timezone import get_current_timezone_name, localtime

FORMAT = "j F Y, H:i"


def in_words(moment: datetime) -> str:
    """Such as "22 November 2026, 17:03 (UTC)"."""
    return f"{date_format(localtime(moment), FORMAT)} ({get_current_timezone_name()})"
