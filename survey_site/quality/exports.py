"""Excluded ratings as CSV: the columns of `ratings.csv` and why each does not count."""

from collections.abc import Iterator
from itertools import chain

from survey_site.batches.models import Batch
from survey_site.common.csvfile import csv_lines
from survey_site.quality.queries import excluded_rows
from survey_site.survey.rating_rows import RATING_COLUMNS

EXCLUDED_COLUMNS = (*RATING_COLUMNS, "reason")


def excluded_lines(batch: Batch) -> Iterator[str]:
    """The lines of the file, made as they are read."""
    rows = (row.values() for row in excluded_rows(batch))
    yield from csv_lines(chain([EXCLUDED_COLUMNS], rows))
