"""Ratings as CSV: first the columns that `python -m meta_eval human` reads, then what else is known.

Ratings of control items are among them, under their kind in `control`; no score reads them.
"""

from collections.abc import Container, Iterator
from itertools import chain
from typing import Any

from survey_site.batches.models import Batch
from survey_site.common.csvfile import csv_lines
from survey_site.survey.rating_rows import RATING_COLUMNS, UNCOUNTED, rating_rows, withdrawn_rows

MORE = ("surplus", "marked", "excluded", "withdrawn")
"""What else than the ratings that count the file can hold, each in a `state` of its own."""


def exported_rows(batch: Batch, *, include: Container[str] = ()) -> Iterator[dict[str, Any]]:
    """The rows of the file, read as they are taken. include: any of `MORE`."""
    withdrawn = withdrawn_rows(batch) if "withdrawn" in include else ()
    excluded = rating_rows(batch, excluded=True, controls=True) if "excluded" in include else ()
    marked = ({**row, "state": "excluded"} for row in excluded)
    further = [state for state in UNCOUNTED if state in include]
    counted = rating_rows(batch, further=further, controls=True)
    yield from chain(counted, marked, withdrawn)


def rating_lines(batch: Batch, *, include: Container[str] = ()) -> Iterator[str]:
    """The lines of the file, made as they are read. include: any of `MORE`."""
    rows = (row.values() for row in exported_rows(batch, include=include))
    yield from csv_lines(chain([RATING_COLUMNS], rows))


def described_export(include: Container[str]) -> str:
    """What such a file holds, for the audit log."""
    return " and ".join(["counted", *(one for one in MORE if one in include)])
