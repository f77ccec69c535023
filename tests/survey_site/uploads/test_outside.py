"""The site refuses the nasty files that the library refuses, at the same place, and takes the others."""

from pathlib import Path

import pytest
from django.utils import timezone

from meta_eval.errors import InputError
from survey_site.corpus.files import read_file_source
from survey_site.uploads.files import read_rating_file
from tests.meta_eval.files.outside import Expected, expected, rated_corpus

SHEETS = ("date.xlsx", "second-sheet.xlsx")
"""Of those two are enough: a process of its own looks at each before."""


def take(row: Expected) -> str:
    if row.read_as == "corpus":
        return read_file_source(str(row.path), row.file)[0].taken
    return read_rating_file(row.path, rated_corpus(), name=row.file, now=timezone.now()).taken


@pytest.mark.parametrize(
    "row",
    [row for row in expected("corpus", "ratings") if Path(row.file).suffix != ".xlsx" or row.file in SHEETS],
    ids=lambda row: row.file,
)
def test_a_nasty_file_comes_to_the_site_as_to_the_library(row):
    if row.taken:
        assert take(row) == row.taken
        return
    with pytest.raises(InputError) as caught:
        take(row)
    first = caught.value.faults[0]
    assert (first.file, str(first.line or "")) == (row.file, row.line)
    assert row.names in first.message
