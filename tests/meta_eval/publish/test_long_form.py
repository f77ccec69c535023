"""Exports: every column documented, every number exact."""

import csv
import io
import json
from dataclasses import replace

import pytest

from meta_eval.publish.long_form import EXPORT_COLUMNS, report_json
from meta_eval.publish.tables import report_table, table_csv
from meta_eval.report.schema import read_report, row_record
from tests.meta_eval.report.test_assembling import SIGNATURES, automatic, human, report

RECORD = report(
    automatic([0.1 + 0.2, 1 / 3, None]) + automatic([1e-300, 0.5, 0.7], measure="jsd"),
    human([2 / 3, 0.1, 0.2]) + human([0.4, 0.4, 0.4], surrogate="rouge-l"),
    systems=("A", "B", "C"),
)
MADE = read_report(RECORD)
FLOATS = {"value", "estimate", "ci_low", "p_adjusted"}
WHOLE = {"rank", "ranked", "documents", "pairs", "n"}
TRUTHS = {"higher_is_better", "shared_input"}


def read(text):
    return [
        {name: _typed(name, value) for name, value in row.items()}
        for row in csv.DictReader(io.StringIO(text))
    ]


def _typed(name, text):
    if not text:
        return None
    if name in TRUTHS:
        return {"true": True, "false": False}[text]
    return float(text) if name in FLOATS else int(text) if name in WHOLE else text


def csv_of(name, made=MADE):
    return table_csv(report_table(made, name))


@pytest.mark.parametrize("name", ["leaderboard", "correlations"])
@pytest.mark.parametrize(
    "made", [MADE, replace(MADE, leaderboard=(), correlations=())], ids=["full", "empty"]
)
def test_the_header_is_the_documented_columns_and_each_has_a_meaning(name, made):
    file = f"{name}.csv"
    header = csv_of(name, made).splitlines()[0].split(",")
    assert header == list(EXPORT_COLUMNS[file])
    assert all(meaning.endswith(".") or "." in meaning for meaning in EXPORT_COLUMNS[file].values())


def penalty_of(score):
    """Human PerSEval alone has a choice of readers."""
    return {"edp_readers": "document" if score == "perseval_hj" else None}


def test_the_leaderboard_reads_back_exactly():
    extra = {
        (side, name): {"normalise": "document", "signature": SIGNATURES[name].digest}
        for side in ("human", "automatic")
        for name in SIGNATURES
    }
    assert read(csv_of("leaderboard")) == [
        row_record(row) | extra[row.side, row.measure] | penalty_of(row.score) for row in MADE.leaderboard
    ]
    assert {row.score for row in MADE.leaderboard} >= {"perseval_hj", "perseval", "degress_hj"}


def test_the_correlations_read_back_exactly():
    assert read(csv_of("correlations")) == [
        row_record(row) | {"scale": "similarity", "normalise": "document"} | penalty_of(row.human)
        for row in MADE.correlations
    ]


def test_a_correlation_says_how_sure_it_is():
    sure = tuple(
        replace(row, ci_low=number / 3, p_adjusted=0.1 + 0.2, carried_by=("A", "B"))
        for number, row in enumerate(MADE.correlations)
    )
    rows = read(csv_of("correlations", replace(MADE, correlations=sure)))
    wanted = ("ci_low", "p_adjusted", "carried_by")
    found = [tuple(row[name] for name in wanted) for row in rows]
    assert found == [(number / 3, 0.1 + 0.2, "A, B") for number in range(len(sure))]


def test_only_the_measures_that_may_fall_below_0_are_said_to():
    scores = {row.score for row in MADE.leaderboard if (row.value or 0) < 0}
    assert scores <= {"p_acc"}
    assert "p_acc in [-0.5, 1]" in EXPORT_COLUMNS["leaderboard.csv"]["value"]


def test_missing_numbers_are_empty_with_a_reason_and_never_zero():
    lines = list(csv.DictReader(io.StringIO(csv_of("leaderboard"))))
    missing = [
        row
        for row in lines
        if row["system"] == "C" and row["measure"] == "rouge-l" and row["side"] == "automatic"
    ]
    assert {(row["value"], row["rank"], row["reason"]) for row in missing} == {
        ("", "", "no document with two readers has its summaries")
    }
    undefined = [
        row for row in csv.DictReader(io.StringIO(csv_of("correlations"))) if row["surrogate"] == "rouge-l"
    ]
    assert {(row["estimate"], row["reason"]) for row in undefined} == {
        ("", "one side has the same score for every system")
    }


def test_json_holds_the_whole_report_and_no_nan():
    assert json.loads(report_json(MADE)) == RECORD
    with pytest.raises(ValueError, match="Out of range"):
        report_json(replace(MADE, problem=float("nan")))
