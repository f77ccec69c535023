"""Reports and their statistics as plain values, for tests that compare many values at once."""

from typing import Any

from meta_eval.report import assembling
from meta_eval.report.inference import infer
from meta_eval.report.schema import report_record, row_record


def assemble_report(**parts: Any) -> dict[str, Any]:
    """As the library's function of this name."""
    return report_record(assembling.assemble_report(**parts))


def infer_report(inputs: infer.InferenceInputs, **asked: Any) -> dict[str, Any]:
    """As the library's function of this name; `cells` are the coefficients of the main table."""
    return record_of(infer.infer_report(inputs, **asked))


def record_of(certain: infer.CertainCorrelations) -> dict[str, Any]:
    cells = [row_record(row) for row in certain.correlations]
    return {**row_record(certain.inference), "cells": cells}
