"""Box plot: the five numbers of samples by share, a box for each two measures."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from meta_eval.publish.figures.keeping import drawn_once
from meta_eval.publish.figures.plots import LINES_HEIGHT
from meta_eval.publish.figures.rows import FiveNumbers
from meta_eval.publish.figures.style import INK, render_svg, styled

_LIGHTEST, _DARKEST = 245, 110
"""Grey of the first and the last box of a share, 0 to 255: told apart in print, with a visible median."""


def boxes_spec(boxes: Sequence[FiveNumbers], *, x_title: str, y_title: str) -> dict[str, Any]:
    """Whiskers from the lowest to the highest sample, a box between the quartiles, a bar at the median."""
    titles = list(dict.fromkeys(box.title for box in boxes))
    step = (_LIGHTEST - _DARKEST) / max(1, len(titles) - 1)
    greys = [
        f"#{round(_LIGHTEST - step * number):02x}" + f"{round(_LIGHTEST - step * number):02x}" * 2
        for number in range(len(titles))
    ]
    shares = sorted({box.share for box in boxes})
    values = [{**vars(box), "at": f"{box.share:.0%}"} for box in boxes]
    x = alt.X("at:N", title=x_title, sort=[f"{share:.0%}" for share in shares], axis=alt.Axis(labelAngle=0))
    offset = alt.XOffset("title:N", sort=titles)
    scale = alt.Scale(zero=False)
    legend = alt.Legend(title=None, orient="bottom", columns=2, symbolStrokeColor=INK, labelLimit=0)
    base = alt.Chart({"values": values}).encode(x=x, xOffset=offset)
    whisker = base.mark_rule(color=INK).encode(y=alt.Y("low:Q", title=y_title, scale=scale), y2="high:Q")
    box = base.mark_bar(stroke=INK, strokeWidth=1).encode(
        y=alt.Y("q1:Q", scale=scale),
        y2="q3:Q",
        fill=alt.Fill("title:N", scale=alt.Scale(domain=titles, range=greys), legend=legend),
    )
    median = base.mark_tick(color=INK, thickness=2.5, opacity=1).encode(y=alt.Y("median:Q", scale=scale))
    return styled(alt.layer(whisker, box, median), height=LINES_HEIGHT)


def boxes_svg(boxes: Sequence[FiveNumbers], x_title: str, y_title: str) -> str:
    """As SVG, empty without boxes; one rendered before is taken again."""
    return _boxes_svg(tuple(boxes), x_title, y_title) if boxes else ""


@drawn_once
def _boxes_svg(boxes: tuple[FiveNumbers, ...], x_title: str, y_title: str) -> str:
    return render_svg(boxes_spec(boxes, x_title=x_title, y_title=y_title))
