"""Numbers as text: rounded here and nowhere before, with the signs that the medium has."""

from collections.abc import Iterable
from dataclasses import dataclass

from meta_eval.stats.coefficients.ties import TIE

SPREADS = {"bias": "Bias", "variance": "Variance"}
"""Scores that are small numbers, which show digits that count in place of decimals."""

UNSUPPORTED = "°"
"""The mark of a coefficient that shuffled ratings reach too often for the raters to support it."""

LEVELS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
"""Adjusted p below which an estimate gets the mark."""

_HIDDEN = 0.0005
"""A difference below this would read as 0 with three decimals."""


@dataclass(frozen=True, slots=True)
class Medium:
    """What a text is for: its minus sign, what stands for no number, and its sign before a least number.

    A p below `least_p` is shown as less than 0.001. `signed_zero`: what rounds to 0 keeps its minus.
    """

    minus: str = "-"
    none: str = "none"
    less: str = "< "
    least_p: float = 0.001
    signed_zero: bool = True

    def sign(self, text: str) -> str:
        """The text of a number with this medium's minus sign."""
        if not self.signed_zero and not text.strip("-0."):
            return text.lstrip("-")
        return text.replace("-", self.minus)


PAGE = Medium(minus="−", none="–", least_p=0.0005, signed_zero=False)
"""Pages and sentences."""
PDF = Medium()
LATEX = Medium(none="--", less="$<$\\,")
PLAIN = Medium(minus="−", none="–")
"""Figures and remarks."""


def estimate_text(value: float | None, medium: Medium) -> str:
    """A coefficient or its like: two decimals."""
    return medium.none if value is None else medium.sign(f"{value:.2f}")


def score_text(value: float | None, medium: Medium, digits: int = 3) -> str:
    """A score rounded; one that is more than rounding and would read as 0 is "< 0.001", not 0."""
    if value is None:
        return medium.none
    text, least = f"{value:.{digits}f}", f"{10**-digits:.{digits}f}"
    return medium.sign(f"{medium.less}{least}" if value > TIE and not text.strip("0.") else text)


def p_text(value: float | None, medium: Medium) -> str:
    """A p to three decimals; a small p is small, never 0."""
    if value is None:
        return medium.none
    return f"{medium.less}0.001" if value < medium.least_p else f"{value:.3f}"


def spread_text(value: float | None, medium: Medium) -> str:
    """A small spread such as a bias or variance: two digits that count; what is rounding alone is 0."""
    if value is None:
        return medium.none
    return "0" if value < TIE else f"{value:.2g}"


def interval_text(low: float | None, high: float | None, medium: Medium) -> str:
    """Both ends as "0.10 to 0.90"."""
    if low is None or high is None:
        return medium.none
    return f"{estimate_text(low, medium)} to {estimate_text(high, medium)}"


def difference_text(value: float | None, medium: Medium, *, spread: bool = False) -> str:
    """A difference with its sign; one that three decimals would hide keeps digits that count."""
    if value is None:
        return medium.none
    small = spread or TIE < abs(value) < _HIDDEN
    return medium.sign(f"{value:+.2g}" if small else f"{value:+.3f}")


def rank_correlation_text(value: float | None, n: int, medium: Medium) -> str:
    """A rank correlation, and of how many numbers."""
    return f"{estimate_text(value, medium)} (n {n})"


def range_text(counts: Iterable[int], to: str = " to ") -> str:
    """The lowest and the highest of some counts, or the one that all are; empty without any."""
    ends = sorted(set(counts))
    return to.join(map(str, dict.fromkeys(ends[:1] + ends[-1:])))


def percent_text(share: float) -> str:
    """A share as "95 %"."""
    return f"{100 * share:g} %"


def stars(p_adjusted: float | None) -> str:
    """The mark of an adjusted p, empty for none and for a p that is not small."""
    return next((mark for level, mark in LEVELS if p_adjusted is not None and p_adjusted < level), "")


def group_letter(number: int) -> str:
    """Groups of measures that cannot be told apart: A, B, ..."""
    return chr(ord("A") + number - 1) if number <= 26 else str(number)
