"""Totals of what people said of themselves: in words, as a table, never of few."""

from dataclasses import replace

from meta_eval.publish.methods import methods_details
from meta_eval.publish.tables import report_table
from meta_eval.report.participants import participants_in_words, read_participants
from meta_eval.report.schema import read_report, report_record
from meta_eval.report.tables.participants import lay_out_participants
from tests.meta_eval.surveys import make_content

REPORT = make_content().report
ASKED = read_participants(
    [
        {
            "question": "field",
            "answered": 31,
            "totals": [
                {"choice": "Law", "people": "11"},
                {"choice": "Humanities", "people": "<5"},
                {"choice": "Engineering", "people": "hidden"},
                {"choice": "Prefer not to say", "people": "<5"},
            ],
        },
        {"question": "age", "answered": None, "totals": []},
    ]
)
WORDS = (
    "Of themselves people said: field of study (31 people), 11 Law, fewer than 5 each Humanities and Prefer "
    "not to say, not told Engineering; age, too few answers to be told."
)


def test_totals_read_as_one_sentence_in_which_small_numbers_stay_untold():
    assert participants_in_words(ASKED) == WORDS
    assert participants_in_words(()) == ""


def test_methods_have_them_and_say_nothing_where_nobody_was_asked():
    assert WORDS in methods_details(replace(REPORT, participants=ASKED))
    assert "Of themselves" not in methods_details(REPORT)


def test_tables_hold_them_as_they_may_be_told():
    report = replace(REPORT, participants=ASKED)
    rows = report_table(report, "participants").rows
    assert [tuple(row.values()) for row in rows] == [
        ("field", 31, "Law", "11"),
        ("field", 31, "Humanities", "<5"),
        ("field", 31, "Engineering", "hidden"),
        ("field", 31, "Prefer not to say", "<5"),
        ("age", None, None, None),
    ]
    lines = lay_out_participants(report).lines
    assert [(*line.heads, *line.cells) for line in lines][-2:] == [
        ("Field of study", "All", "31"),
        ("Age", "All", "too few to be told"),
    ]
    assert not lay_out_participants(REPORT).lines


def test_a_stored_report_reads_back_with_them_and_an_earlier_one_without():
    report = replace(REPORT, participants=ASKED)
    record = report_record(report)
    assert read_report(record).participants == ASKED
    del record["participants"]
    assert read_report(record).participants == ()
