"""Texts that a spreadsheet would compute are marked in CSV files, and read back as they were."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meta_eval.files.cells import FORMULA_STARTS, csv_text, mark_text, unmark_text
from meta_eval.files.reading import Faults
from meta_eval.files.tables import read_table


@pytest.mark.parametrize("first", FORMULA_STARTS)
def test_no_text_begins_like_a_formula(first):
    [[cell]] = csv.reader(io.StringIO(csv_text([[f"{first}1+1()"]]), newline=""))
    assert cell == f"'{first}1+1()"


@pytest.mark.parametrize("value", ["", "1 = 1", "'quoted'", "a\t-b", "–dash", "-0.5", "+3", -0.5, 7, None])
def test_numbers_and_all_other_texts_stay_as_they_are(value):
    assert mark_text(value) == value


@given(st.text(alphabet="'=+-@\t1ae. ", max_size=8))
def test_marking_loses_nothing(text):
    assert unmark_text(mark_text(text)) == text


def rows(text, **options):
    source = io.BytesIO(text.encode())
    return [row for _, row in read_table(source, "t.csv", Faults(9), lambda _: None, **options)]


def test_a_table_reads_back_as_it_was_and_others_texts_stay_where_nothing_is_marked():
    names = ["=1+1", "'=1+1", "'@midnight' again", "plain"]
    text = csv_text([["name", "n"], *([name, "-1"] for name in names)])
    assert rows(text, marked=True) == [{"name": name, "n": "-1"} for name in names]
    assert rows("name\n'@midnight' host\n") == [{"name": "'@midnight' host"}]
