"""Results as data frames and as tables of a notebook."""

import re

import pandas
import pytest

from meta_eval.files.frames import Records, cell_text, html_table, records_of, to_frame

ROWS = [{"system": "<b>&A", "perseval": 0.12345, "reason": None}, {"system": "B", "perseval": float("nan")}]


def test_a_frame_has_every_field_and_gives_the_records_back():
    frame = to_frame(ROWS)
    assert list(frame.columns) == ["system", "perseval", "reason"]
    assert records_of(frame) == [
        {"system": "<b>&A", "perseval": 0.12345, "reason": None},
        {"system": "B", "perseval": None, "reason": None},
    ]


def test_a_table_is_escaped_headed_and_says_what_is_missing():
    assert html_table(ROWS, caption="Scores & <more>", columns=("system", "perseval", "reason")).split(
        "\n"
    ) == [
        "<table><caption>Scores &amp; &lt;more&gt;</caption>",
        '<thead><tr><th scope="col">system</th><th scope="col">perseval</th><th scope="col">reason</th></tr>'
        "</thead>",
        "<tbody>",
        '<tr><th scope="row">&lt;b&gt;&amp;A</th><td>0.123</td><td>–</td></tr>',
        '<tr><th scope="row">B</th><td>–</td><td>–</td></tr>',
        "</tbody></table>",
    ]


def test_a_long_table_counts_what_it_does_not_show():
    shown = html_table([{"n": n} for n in range(75)], caption="Rows")
    assert shown.count('<th scope="row">') == 60
    assert re.findall("<caption>(.*)</caption>", shown) == ["Rows (15 more rows are not shown)"]


def test_no_rows_are_a_table_without_any():
    assert Records([], "Nothing")._repr_html_().count("<tr>") == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [(pandas.NA, ""), (pandas.NaT, ""), (float("nan"), ""), (1e20, "100000000000000000000"), (0.1, "0.1")],
)
def test_a_cell_is_what_a_csv_would_hold(value, text):
    assert cell_text(value) == text
