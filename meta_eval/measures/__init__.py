"""Measures: distances between texts, one registry, each with a signature. Importing this loads no torch."""

from meta_eval.measures.base import Measure, MeasureInfo, Signature
from meta_eval.measures.registry import available_measures, make_measure, measure_ids, parse_measure
from meta_eval.measures.signatures import signature_line

__all__ = [
    "Measure",
    "MeasureInfo",
    "Signature",
    "available_measures",
    "make_measure",
    "measure_ids",
    "parse_measure",
    "signature_line",
]
