"""One line of a CSV file, for files that are sent while they are read."""

import csv
from collections.abc import Iterable
from datetime import datetime
from io import StringIO

from meta_eval.files.cells import mark_text


def csv_line(values: Iterable[object]) -> str:
    """true and false in lower case, times in ISO 8601, texts like formulas marked, the rest as it is."""
    stream = StringIO()
    csv.writer(stream).writerow([_plain(value) for value in values])
    return stream.getvalue()


def _plain(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, datetime) else mark_text(value)
