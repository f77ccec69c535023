"""Numbers as the page shows them: rounded here and nowhere before, with a real minus sign."""

from collections.abc import Mapping
from typing import Any

from django import template

from meta_eval.report.beside import difference_text, number_text, rank_text
from meta_eval.report.certainty import score_text
from meta_eval.report.view import COEFFICIENTS

register = template.Library()

ROUNDING = 1e-12


@register.filter
def score(value: float, digits: int = 3) -> str:
    """A score in [0, 1]: three decimals, or as many as its table needs; one above 0 is never 0."""
    return _signed(score_text(value, digits))


@register.filter
def coefficient(value: float) -> str:
    """A coefficient in [-1, 1]: two decimals."""
    return _signed(f"{value:.2f}")


@register.filter
def coefficient_title(name: str) -> str:
    """What a coefficient is called on pages."""
    return COEFFICIENTS[name]


@register.filter
def beside(row: Mapping[str, Any], name: str) -> str:
    """A number beside a published one: "ours", "published" or their "difference"; see `beside.lay_out`."""
    return _signed(difference_text(row) if name == "difference" else number_text(row, row[name]))


@register.filter
def ranked_alike(row: Mapping[str, Any]) -> str:
    """How alike ours and the published numbers of a column rank."""
    return _signed(rank_text(row))


@register.filter
def p_value(value: float | None) -> str:
    """A p-value: three decimals, never 0."""
    if value is None:
        return "–"
    return "< 0.001" if value < 0.0005 else f"{value:.3f}"


@register.filter
def spread(value: float | None) -> str:
    """A small spread such as a bias or variance: two significant digits; what is rounding alone is 0."""
    if value is None:
        return "–"
    return "0" if value < ROUNDING else f"{value:.2g}"


@register.filter
def percent(share: float) -> str:
    return f"{100 * share:g} %"


@register.filter
def group_letter(number: int) -> str:
    """Groups of measures that cannot be told apart: A, B, ..."""
    return chr(ord("A") + number - 1) if number <= 26 else str(number)


@register.filter
def interval(cell: Mapping[str, Any], kind: str = "ci") -> str:
    """Low to high, or a dash; `kind` is how the names of the two begin."""
    low, high = cell[f"{kind}_low"], cell[f"{kind}_high"]
    return "–" if low is None else f"{coefficient(low)} to {coefficient(high)}"


@register.filter
def interval_method(method: str) -> str:
    """How an interval was made, in words."""
    return {
        "bca": "BCa",
        "hierarchical": "hierarchical model",
        "fisher": "Fisher’s z",
        "esscher": "Esscher’s variance",
    }.get(method, method)


@register.filter
def certainty_in_words(cell: Mapping[str, Any]) -> str:
    """One coefficient with all that is known of it, for a tooltip."""
    parts = [f"{coefficient(cell['estimate'])} over {cell['n']} systems"]
    if cell["ci_low"] is not None:
        parts.append(f"{percent(cell['ci_level'])} interval {interval(cell)}")
    if cell["p_value"] is not None:
        parts.append(f"p {p_value(cell['p_value'])}, adjusted {p_value(cell['p_adjusted'])}")
    if cell.get("ceiling") is not None:
        parts.append(f"ceiling {coefficient(cell['ceiling'])}")
    if cell.get("carried_by"):
        parts.append(f"hangs on {', '.join(cell['carried_by'])}")
    return "; ".join(parts)


def _signed(text: str) -> str:
    return text.replace("-", "−") if text.strip("-0.") else text.lstrip("-")
