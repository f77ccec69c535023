"""Words of people in files that spreadsheets open."""

import csv

import pytest

from survey_site.common.csvfile import csv_line


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r"])
def test_what_a_spreadsheet_would_read_as_a_formula_is_marked_as_text(first):
    (row,) = csv.reader([csv_line([1, f"{first}1+1"])])
    assert row == ["1", f"'{first}1+1"]


@pytest.mark.parametrize("words", ["", "1 = 1", "'quoted'", "a\t-b", "–dash"])
def test_other_words_stay_as_they_are(words):
    (row,) = csv.reader([csv_line(["x", words])])
    assert row == ["x", words]
