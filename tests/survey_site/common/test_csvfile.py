"""Words of people in files that spreadsheets open."""

import csv
from datetime import UTC, datetime

import pytest

from survey_site.common.csvfile import BLOCK_LINES, MOST_KNOWN, csv_line, csv_lines, in_blocks


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r"])
def test_what_a_spreadsheet_would_read_as_a_formula_is_marked_as_text(first):
    (row,) = csv.reader([csv_line([1, f"{first}1+1"])])
    assert row == ["1", f"'{first}1+1"]


@pytest.mark.parametrize("words", ["", "1 = 1", "'quoted'", "a\t-b", "–dash"])
def test_other_words_stay_as_they_are(words):
    (row,) = csv.reader([csv_line(["x", words])])
    assert row == ["x", words]


def test_numbers_truths_and_times_are_told_apart_in_many_rows():
    at = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)
    cells = [True, 1, 1.0, False, 0, None, at, "=1", "1"]
    line = "true,1,1.0,false,0,,2026-05-04T03:02:01+00:00,'=1,1\r\n"
    assert list(csv_lines([cells, cells[::-1], cells]))[::2] == [line, line]


def test_more_texts_than_are_remembered_stay_themselves():
    texts = [f"{sign}text {i}" for i in range(MOST_KNOWN) for sign in ("", "=")]
    cells = list(csv.reader(csv_lines([one] for one in texts)))
    assert cells == [["'" * one.startswith("=") + one] for one in texts]


@pytest.mark.parametrize("count", [0, 1, BLOCK_LINES, BLOCK_LINES + 1])
def test_blocks_hold_all_lines_in_their_order(count):
    lines = [f"{number}\r\n" for number in range(count)]
    blocks = list(in_blocks(lines))
    assert ("".join(blocks), len(blocks)) == ("".join(lines), -(-count // BLOCK_LINES))
