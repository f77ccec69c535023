"""A report keeps every value through its JSON; one of version 4 is upgraded, older ones are refused."""

import json

import pytest

from meta_eval.errors import InputError
from meta_eval.report.schema import (
    CERTAINTY_FIELDS,
    SCHEMA_VERSION,
    CorrelationRow,
    read_report,
    report_record,
)
from tests.meta_eval.surveys import make_content


@pytest.fixture(scope="module")
def before():
    """A report as version 4 stored it."""
    record = json.loads(json.dumps(report_record(make_content().report)))
    correlations = [
        {name: value for name, value in row.items() if name not in CERTAINTY_FIELDS}
        for row in record["correlations"]
    ]
    report = {**record, "correlations": correlations}
    cell = {
        **report["correlations"][0],
        "ci_low": 0.25,
        "ci_high": 1.0,
        "ci_method": "hierarchical",
        "ci_over": "documents",
        "ci_level": 0.95,
        "p_value": 0.03125,
        "p_adjusted": 0.0625,
        "p_adjustment": "holm",
        "ceiling": 0.875,
        "ceiling_method": "split-half",
        "without_low": -0.5,
        "without_high": 1.0,
        "carried_by": ["Copy"],
    }
    inference = {
        "options": {"seed": 3, "resamples": 2000},
        "problems": [{"part": "levels", "reason": "one side only", "failed": False}],
        "cells": [cell],
        "bare": [{**report["correlations"][0], "surrogate": None}],
    }
    return {**report, "schema_version": 4, "inference": inference}


def test_a_report_of_the_version_before_has_its_certainty_in_its_correlations(before):
    report = read_report(before)
    first = report.correlations[0]
    assert (first.ci_low, first.p_adjusted) == (0.25, 0.0625)
    assert (first.ceiling, first.carried_by) == (0.875, ("Copy",))
    assert report.schema_version == SCHEMA_VERSION
    assert (first.ci_low, first.p_adjusted, first.ceiling, first.carried_by) == (
        0.25,
        0.0625,
        0.875,
        ("Copy",),
    )
    assert {row.ci_low for row in report.correlations[1:]} == {None}
    assert report.inference.options.seed == 3
    assert (report.inference.bare[0].surrogate, report.inference.bare[0].ci_low) == (None, None)


def test_a_report_that_names_no_readers_of_the_penalty_has_the_rated_ones(before):
    options = {name: value for name, value in before["options"].items() if name != "edp_readers"}
    assert read_report({**before, "options": options}).options["edp_readers"] == "rated"
    assert (
        read_report({**before, "options": {**options, "edp_readers": "first"}}).options["edp_readers"]
        == "first"
    )


def test_a_report_that_names_no_alpha_of_the_penalty_has_the_usual_one(before):
    names = ("alpha", "gamma", "p_acc_alpha", "p_acc_beta")
    options = {name: value for name, value in before["options"].items() if name not in names}
    found = read_report({**before, "options": {**options, "gamma": 2.0}}).options
    assert [found[name] for name in names] == [3.0, 2.0, 0.5, 1.0]


def test_a_report_reads_back_from_its_json_as_it_was(before):
    report = read_report(before)
    assert read_report(json.loads(json.dumps(report_record(report)))) == report


def test_a_row_is_found_by_what_it_is_about(before):
    row = read_report(before).correlations[0]
    assert isinstance(row, CorrelationRow)
    assert row.key == (row.automatic, row.surrogate, row.measure, row.coefficient)
    assert [row.is_significant(alpha) for alpha in (0.05, 0.1)] == [False, True]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"schema": "another"}, "this is no report"),
        ({"schema_version": 3}, "Make it again from its ratings"),
        ({"leaderboard": [{"system": "Copy"}]}, r"\$.leaderboard"),
        ({"scale": None}, r"\$.scale"),
        ({"correlations": None}, "does not hold what a report holds"),
        ({"inference": [3]}, "does not hold what a report holds"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_to_do(before, change, words):
    with pytest.raises(InputError, match=words):
        read_report({**before, **change})
