"""One line of a CSV file, for files that are sent while they are read."""

import csv
from collections.abc import Iterable
from datetime import datetime
from io import StringIO

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def csv_line(values: Iterable[object]) -> str:
    """true and false in lower case, times in ISO 8601, everything else as it prints."""
    stream = StringIO()
    csv.writer(stream).writerow([_plain(value) for value in values])
    return stream.getvalue()


def plain_words(words: str) -> str:
    """Free text for a file that people open in a spreadsheet, which would read some of it as a formula.

    The apostrophe in front says that it is text (OWASP, CSV injection). For files that are read back into the
    program, this is not.
    """
    return f"'{words}" if words.startswith(FORMULA_STARTS) else words


def _plain(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, datetime) else value
