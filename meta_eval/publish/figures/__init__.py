"""The figures of a report, drawn alike for the web page, the PDF and as files; needs no web site."""

from collections.abc import Mapping
from dataclasses import dataclass

from meta_eval.report.view import COEFFICIENTS

__all__ = ["FIGURE_TITLES", "FIGURE_TYPES", "Picture"]

FIGURE_TYPES: Mapping[str, str] = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
"""The forms of a figure's file, each with its media type."""

FIGURE_TITLES: Mapping[str, str] = {
    "answer": "The answer",
    **{f"heat-map-{name}": f"Heat map, {title}" for name, title in COEFFICIENTS.items()},
    "scatter": "Scatter plot",
    "forest": "Forest plot",
    "stability": "Stability",
    "ablation": "Ablation of beta",
    "deviations": "Do measures deviate alike",
    "perseval-figure-3": "As PerSEval figure 3",
}
"""Every figure by its name."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure as SVG, black on white, its caption, and its numbers in words for those who do not see it."""

    svg: str
    caption: str
    alt: str
