"""Words of people in files that spreadsheets open."""

import csv

import pytest

from survey_site.common.csvfile import csv_line, plain_words


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r"])
def test_what_a_spreadsheet_would_read_as_a_formula_is_marked_as_text(first):
    assert plain_words(f"{first}1+1") == f"'{first}1+1"
    (row,) = csv.reader([csv_line([1, plain_words(f"{first}1+1")])])
    assert row == ["1", f"'{first}1+1"]


@pytest.mark.parametrize("words", ["", "1 = 1", "'quoted'", "a\t-b", "–dash"])
def test_other_words_stay_as_they_are(words):
    assert plain_words(words) == words
