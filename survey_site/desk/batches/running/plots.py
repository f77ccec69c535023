"""The monitor's plots as shapes for a template to draw: answers over time, time per questionnaire, coverage.

Shapes lie in a box of WIDTH by HEIGHT with its origin at the top left, stretched to the page; words stand
beside them as text, so that they keep their size.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from survey_site.batches.queries import BatchProgress
from survey_site.batches.timing import Completion

WIDTH, HEIGHT = 600, 150
MOST_POINTS = 60
MOST_BINS = 12
BIN_MINUTES = (0.5, 1, 2, 5, 10, 15, 30, 60)
"""Widths of bars to choose from; the narrowest that makes no more than MOST_BINS."""


@dataclass(frozen=True)
class Line:
    """Answers that there were at each time, as an SVG polyline; `rows` are the same as a table."""

    points: str
    start: datetime
    end: datetime
    answers: int
    rows: tuple[tuple[datetime, int], ...]


@dataclass(frozen=True)
class Bar:
    """How many questionnaires took so long; the shape of a rectangle."""

    label: str
    count: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Segment:
    """A part of a bar that is 100 wide. kind: full, part or none, for its colour."""

    kind: str
    label: str
    count: int
    x: float
    width: float


def plot_answers(completions: Sequence[Completion]) -> Line | None:
    """The sum of answers in completed questionnaires over time; None before two moments."""
    if not completions or completions[0].at_ms == completions[-1].at_ms:
        return None
    at = np.array([one.at_ms for one in completions]) / 1000
    total = np.cumsum([one.answers for one in completions])
    times = np.linspace(at[0], at[-1], MOST_POINTS)
    sums = total[np.searchsorted(at, times, side="right") - 1]
    x = WIDTH * (times - at[0]) / (at[-1] - at[0])
    y = HEIGHT * (1 - sums / total[-1])
    points = " ".join(f"{one:.1f},{other:.1f}" for one, other in zip(x, y, strict=True))
    rows = [(datetime.fromtimestamp(times[i], UTC), int(sums[i])) for i in range(9, MOST_POINTS, 10)]
    start, end = (datetime.fromtimestamp(one, UTC) for one in (at[0], at[-1]))
    return Line(points, start, end, int(total[-1]), tuple(rows))


def plot_times(completions: Sequence[Completion]) -> list[Bar]:
    """How long people took, in minutes; the last bar holds all that took longer than 19 of 20 people."""
    minutes = np.array([one.took_ms for one in completions if one.took_ms is not None]) / 60_000
    if not len(minutes):
        return []
    longest = float(np.percentile(minutes, 95))
    width = next((one for one in BIN_MINUTES if longest < one * (MOST_BINS - 1)), longest / (MOST_BINS - 2))
    bins = int(longest // width) + 1
    counts = np.bincount(np.minimum(minutes // width, bins).astype(int), minlength=bins)
    return _bars(counts.tolist(), width, bins)


def _bars(counts: Sequence[int], width: float, bins: int) -> list[Bar]:
    share, most = WIDTH / len(counts), max(counts)
    labels = [f"{i * width:g} to {(i + 1) * width:g}" for i in range(bins)] + [f"{bins * width:g} or more"]
    return [
        Bar(label, count, i * share, HEIGHT * (1 - count / most), share - 2, HEIGHT * count / most)
        for i, (label, count) in enumerate(zip(labels, counts, strict=False))
    ]


def plot_coverage(progress: BatchProgress, raters: int) -> list[Segment]:
    """Questionnaires by how many raters completed them, as parts of one bar; empty parts are left out."""
    by_count = progress.by_completed
    whole = {1: "complete", 2: "with both raters"}.get(raters, f"with all {raters} raters")
    counts = (
        ("full", whole, sum(by_count[raters:])),
        ("part", "with one of them" if raters == 2 else "with some of them", sum(by_count[1:raters])),
        ("none", "with nobody yet", by_count[0]),
    )
    segments, x = [], 0.0
    for kind, label, count in counts:
        width = 100 * count / progress.questionnaires if progress.questionnaires else 0
        if count:
            segments.append(Segment(kind, label, count, x, width))
        x += width
    return segments
