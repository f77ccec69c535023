"""What may be drawn again and again for an interval, and which interval each coefficient then gets."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from meta_eval.stats.coefficients.registry import ALL_COEFFICIENTS, REGISTRY, Coefficient
from meta_eval.stats.resampling.intervals import IntervalMethod

Resampled = Literal["documents", "systems", "documents and systems", "raters", "raters within documents"]
"""What is drawn again, so what an interval is about."""
Intervals = Mapping[Coefficient, IntervalMethod]

_HIERARCHICAL: Intervals = dict.fromkeys(ALL_COEFFICIENTS, "hierarchical")
"""Percentiles of resamples miss what their noise has pulled towards 0."""
_OVER_SYSTEMS: Intervals = {name: info.over_systems for name, info in REGISTRY.items()}
"""In closed form where there is one: ten systems are too few to resample."""
_BCA: Intervals = dict.fromkeys(ALL_COEFFICIENTS, "bca")


@dataclass(frozen=True, slots=True)
class ResampledInfo:
    """One way to resample.

    about: what an interval by it is about; explained: the question that it answers.
    intervals: the interval of each coefficient; what each holds is in tests/benchmarks/coverage.py.
    """

    id: Resampled
    about: str
    explained: str
    intervals: Intervals


_ROWS = (
    ResampledInfo(
        "documents",
        about="other documents of this kind, with systems like these",
        explained="Documents: would other documents say the same of these systems?",
        intervals=_HIERARCHICAL,
    ),
    ResampledInfo(
        "systems",
        about="other systems of this kind, on the same documents",
        explained="Systems: would other systems say the same on these documents?",
        intervals=_OVER_SYSTEMS,
    ),
    ResampledInfo(
        "documents and systems",
        about="other documents and other systems of these kinds",
        explained="Documents and systems: would other systems say the same, too?",
        intervals=_BCA,
    ),
    ResampledInfo(
        "raters",
        about="other raters of this kind, of the same documents, with systems like these",
        explained="Raters: would other people say the same of these documents?",
        intervals=_HIERARCHICAL,
    ),
    ResampledInfo(  # a little too wide, since documents and raters both carry the raters' noise
        "raters within documents",
        about="other documents of this kind and other raters of each, with systems like these",
        explained="Documents and the raters of each: wide, the most cautious choice",
        intervals=_HIERARCHICAL,
    ),
)

RESAMPLED: Mapping[Resampled, ResampledInfo] = {row.id: row for row in _ROWS}
INTERVALS: Mapping[Resampled, Intervals] = {row.id: row.intervals for row in _ROWS}
"""The interval of each coefficient, by what is drawn. What each holds: docs/performance.md."""
