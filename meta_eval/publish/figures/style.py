"""The look that all figures share, and how one specification becomes SVG, PNG or PDF."""

import re
from typing import Any

import vl_convert

WIDTH, HEIGHT = 620, 400
FONT_SIZE = 12
PHONE_LETTERS = 24
"""Letters in a line of an axis' title on a phone."""
FONT = "system-ui, 'Liberation Sans', sans-serif"
INK = "currentColor"
"""Takes the page's text colour: light, dark or paper."""

BLACK = "#111111"
SCALE = 3.0
DOTS_PER_INCH = 300
"""What a PNG says of itself, so that it is printed as sharp as journals ask."""

_SVG_TAG = re.compile(r"(<svg[^>]*>)")
_PAPER = '<rect width="100%" height="100%" fill="white"/>'


def styled(chart: Any, *, height: int = HEIGHT, width: int = WIDTH) -> dict[str, Any]:
    """The Vega-Lite specification of a chart in the look of all figures."""
    spec: dict[str, Any] = (
        chart.properties(width=width, height=height, background="transparent")
        .configure(font=FONT)
        .configure_view(stroke=None)
        .configure_legend(labelColor=INK, titleColor=INK, labelFontSize=FONT_SIZE, labelLimit=0)
        .configure_axis(
            labelColor=INK,
            titleColor=INK,
            domainColor=INK,
            tickColor=INK,
            gridColor=INK,
            gridOpacity=0.12,
            labelFontSize=FONT_SIZE,
            titleFontSize=FONT_SIZE,
            titleFontWeight=600,
            titlePadding=10,
            tickCount=6,
        )
        .to_dict()
    )
    return spec


def render_svg(spec: dict[str, Any]) -> str:
    """The figure as SVG for a page, in the ink of the text around it."""
    svg: str = vl_convert.vegalite_to_svg(spec)
    return svg


def render_figure(svg: str, form: str) -> bytes:
    """A figure of the page as a file: svg, png (which says 300 dots an inch) or pdf, black on white.

    On a page the ink takes the colour of the text around it; a file has no text around it.
    """
    printed = _SVG_TAG.sub(rf"\1{_PAPER}", svg.replace(INK, BLACK), count=1)
    if form == "png":
        png: bytes = vl_convert.svg_to_png(printed, scale=SCALE * 96 / DOTS_PER_INCH, ppi=DOTS_PER_INCH)
        return png
    if form == "pdf":
        pdf: bytes = vl_convert.svg_to_pdf(printed)
        return pdf
    return printed.encode()
