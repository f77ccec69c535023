"""The picture that carries the answer: every measure, what shuffled ratings give, the ceiling, sentinels."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import floor
from typing import Any

import altair as alt

from meta_eval.publish.figures.keeping import drawn_once
from meta_eval.publish.figures.style import FONT_SIZE, INK, render_svg, styled
from meta_eval.report.answer import measure_title
from meta_eval.report.numbers import group_letter
from meta_eval.report.schema import Report, SentinelRow
from meta_eval.report.sentinels import TITLES, mean_sentinels, sentinel_title
from meta_eval.report.view import COEFFICIENTS, KINDS

WIDE, NARROW = 430, 270
WIDE_ROW, NARROW_ROW = 34, 46
WIDE_LETTER = 0.6
"""Width of a letter of a wide font, in parts of its size."""
_PALE = 0.4
_BAND, _ABOVE, _APART = 18, 17, 10
"""Height of the band, how far above its marks a row's name stands where there is no room beside them, and how
far from the axis it stands else, in pixels: a mark at the lowest value reaches half its width beyond it."""


@dataclass(frozen=True, slots=True)
class PictureRow:
    """A measure with its interval, the band of shuffled ratings, its ceiling and group; or a sentinel."""

    title: str
    estimate: float
    low: float | None = None
    high: float | None = None
    null_low: float | None = None
    null_high: float | None = None
    ceiling: float | None = None
    group: str = ""
    sentinel: bool = False


def picture_rows(report: Report) -> list[PictureRow]:
    """The measures of the answer, best first, then the sentinels: of each kind the one that agrees most."""
    measures = [
        PictureRow(
            title=entry.title,
            estimate=entry.mean,
            low=entry.ci_low,
            high=entry.ci_high,
            null_low=entry.null_mean,
            null_high=entry.null_high,
            ceiling=entry.ceiling,
            group="" if entry.group is None else group_letter(entry.group),
        )
        for entry in report.answer.ranking
    ]
    return [*measures, *_sentinels(report)] if measures else []


def _sentinels(report: Report) -> Iterator[PictureRow]:
    """Of random scores what 95 % of them do not exceed: their mean is that of chance."""
    rows = mean_sentinels(report.inference, report.answer.score, report.answer.coefficient)
    for name in TITLES:
        found = [(value, row) for row in rows if row.sentinel == name and (value := _height(row)) is not None]
        if found:
            value, row = max(found, key=lambda pair: pair[0])
            title = f"{sentinel_title(row)}, 95 %" if row.draws else sentinel_title(row)
            yield PictureRow(title=title, estimate=value, sentinel=True)


def _height(row: SentinelRow) -> float | None:
    return row.quantile if row.draws else row.estimate


def draw_picture(report: Report, *, narrow: bool = False) -> str:
    """As SVG, empty where no measure was compared; pale where the ratings support none of them.

    `narrow` is for a phone: names stand above their marks.
    """
    rows = tuple(picture_rows(report))
    if not rows:
        return ""
    answer = report.answer
    kind = KINDS[answer.score.removesuffix("_hj")]
    primary = report.inference.primary if report.inference else None
    name, by = f"Mean {COEFFICIENTS[answer.coefficient]}", ""
    if primary is not None:
        name, by = COEFFICIENTS[answer.coefficient], f" by {measure_title(primary.surrogate)}"
    title = (name, f"of {kind} with {kind}-HJ{by}")
    return _picture_svg(rows, title, narrow=narrow, pale=answer.is_open)


@drawn_once
def _picture_svg(rows: tuple[PictureRow, ...], title: tuple[str, str], *, narrow: bool, pale: bool) -> str:
    return render_svg(picture_spec(rows, title=title, narrow=narrow, pale=pale))


def picture_spec(
    rows: Sequence[PictureRow], *, title: tuple[str, str], narrow: bool = False, pale: bool = False
) -> dict[str, Any]:
    """A row a measure and a sentinel: band, interval, estimate, ceiling as a tick across, group as a letter.

    Sentinels are open diamonds. Each kind of mark has a name, by which a page may colour it. Names and axis
    stay as dark as ever where the marks are `pale`.
    """
    ink = _PALE if pale else 1.0
    width, height = (NARROW, NARROW_ROW) if narrow else (WIDE, WIDE_ROW)
    values = [
        {name: getattr(row, name) for name in PictureRow.__dataclass_fields__ if name != "sentinel"}
        for row in rows
    ]
    measures = [value for value, row in zip(values, rows, strict=True) if not row.sentinel]
    sentinels = [value for value, row in zip(values, rows, strict=True) if row.sentinel]
    # The browser's font may be wider than the one the chart is measured with.
    room = max(len(row.title) for row in rows) * FONT_SIZE * WIDE_LETTER
    beside = alt.Axis(labelLimit=0, labelPadding=_APART, minExtent=room + _APART, ticks=False, domain=False)
    order = [row.title for row in rows]
    y = alt.Y("title:N", title=None, sort=order, axis=None if narrow else beside)
    scale = alt.Scale(domain=_domain(rows), nice=False)
    heading = list(title) if narrow else " ".join(title)
    axis = alt.Axis(title=heading, values=_ticks(*_domain(rows), wide=not narrow), format=".2~f")

    def across(field: str) -> alt.X:
        return alt.X(field, scale=scale, axis=axis)

    def having(field: str, name: str) -> alt.Chart:
        kept = [value for value in measures if value[field] is not None]
        return alt.Chart({"values": kept}, name=name).encode(y=y)

    names = alt.Chart({"values": values}, name="name").encode(y=y)
    layers = [
        alt.Chart({"values": [{"zero": 0}]}).mark_rule(color=INK, opacity=0.5).encode(x=across("zero:Q")),
        having("null_high", "band")
        .mark_bar(size=_BAND, color=INK, opacity=0.14 * ink)
        .encode(x=across("null_low:Q"), x2="null_high:Q"),
        having("low", "interval")
        .mark_rule(color=INK, strokeWidth=2.5, opacity=ink)
        .encode(x=across("low:Q"), x2="high:Q"),
        having("ceiling", "ceiling")
        .mark_tick(color=INK, thickness=3, size=20, opacity=0.55 * ink)
        .encode(x=across("ceiling:Q")),
        having("estimate", "estimate")
        .mark_point(size=100, filled=True, color=INK, opacity=ink)
        .encode(x=across("estimate:Q")),
        alt.Chart({"values": sentinels}, name="sentinel")
        .mark_point(size=80, shape="diamond", filled=False, color=INK, strokeWidth=1.5, opacity=0.8 * ink)
        .encode(x=across("estimate:Q"), y=y),
        having("group", "group")
        .mark_text(align="left", fontSize=FONT_SIZE + 1, fontWeight=600, color=INK, opacity=ink)
        .encode(x=alt.value(width + 10), text="group:N"),
    ]
    if narrow:
        layers.append(
            names.mark_text(align="left", dy=-_ABOVE, fontSize=FONT_SIZE, color=INK).encode(
                x=alt.value(0), text="title:N"
            )
        )
    return styled(alt.layer(*layers), height=max(2, len(rows)) * height, width=width)


def _domain(rows: Sequence[PictureRow]) -> tuple[float, float]:
    """From the lowest thing drawn, rounded down to a quarter, to 1."""
    ends = [value for row in rows for value in (row.estimate, row.low, row.null_low) if value is not None]
    return max(-1.0, floor(4 * min(*ends, -0.25)) / 4), 1.0


def _ticks(low: float, high: float, *, wide: bool) -> list[float]:
    """By quarters where there is room for their labels, else by halves."""
    step = 0.25 if wide and high - low < 1.5 else 0.5
    return [step * number for number in range(round(low / step), round(high / step) + 1)]
