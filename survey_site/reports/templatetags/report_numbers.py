"""Numbers as the page shows them, and small helps for drawing the tables of a report."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from django import template

from meta_eval.report.answer import measure_title
from meta_eval.report.numbers import (
    PAGE,
    Medium,
    difference_text,
    estimate_text,
    group_letter,
    interval_text,
    p_text,
    percent_text,
    rank_correlation_text,
    score_text,
    spread_text,
)
from meta_eval.report.schema import AgreementRow, CoefficientRow, CorrelationRow
from meta_eval.report.tables.grid import Cell, Column
from meta_eval.report.tables.scores import counts_behind
from meta_eval.report.view import COEFFICIENTS, KINDS

register = template.Library()
register.filter("percent", percent_text)
register.filter("counts_behind", counts_behind)
register.filter("group_letter", group_letter)
register.filter("measure_title", measure_title)


@register.filter
def score(value: float, digits: int = 3) -> str:
    """A score in [0, 1]: three decimals, or as many as its table needs; one above 0 is never 0."""
    return score_text(value, PAGE, digits)


@register.filter
def coefficient(value: float) -> str:
    """A coefficient in [-1, 1]: two decimals."""
    return estimate_text(value, PAGE)


@register.filter
def coefficient_title(name: str) -> str:
    """What a coefficient is called on pages."""
    return COEFFICIENTS[name]


@register.filter
def score_title(human: str) -> str:
    """What the score that a human one judges is called on pages."""
    return KINDS[human.removesuffix("_hj")]


@register.filter
def number(cell: Cell, name: str = "value") -> str:
    """A number of a table as its kind is rounded: "value", the "published" one, or their "difference"."""
    if name == "difference":
        return difference_text(cell.row.difference, PAGE, spread=cell.kind == "spread")
    value: float | None = getattr(cell, name)
    if cell.kind == "rank correlation":
        return rank_correlation_text(value, cell.n or 0, PAGE)
    if cell.kind == "score":
        return score_text(value, PAGE, cell.digits)
    return _TEXTS[cell.kind](value, PAGE)


_TEXTS: Mapping[str, Callable[[float | None, Medium], str]] = {
    "coefficient": estimate_text,
    "spread": spread_text,
    "p": p_text,
}


@register.filter
def p_value(value: float | None) -> str:
    """A p-value: three decimals, never 0."""
    return p_text(value, PAGE)


@register.filter
def spread(value: float | None) -> str:
    """A small spread such as a bias or variance: two significant digits; what is rounding alone is 0."""
    return spread_text(value, PAGE)


@register.filter
def interval(of: Cell | CoefficientRow | AgreementRow) -> str:
    """Low to high, or a dash."""
    low, high = (of.low, of.high) if isinstance(of, Cell) else (of.ci_low, of.ci_high)
    return interval_text(low, high, PAGE)


@register.filter
def interval_method(method: str) -> str:
    """How an interval was made, in words."""
    return {
        "bca": "BCa",
        "hierarchical": "hierarchical model",
        "hierarchical-by-family": "hierarchical model of each family",
        "hierarchical-wider": "hierarchical model, with and without groups",
        "fisher": "Fisher’s z",
        "esscher": "Esscher’s variance",
    }.get(method, method)


@register.filter
def certainty_in_words(row: CoefficientRow) -> str:
    """One coefficient with all that is known of it, for a tooltip."""
    parts = [f"{estimate_text(row.estimate, PAGE)} over {row.n} systems"]
    if row.ci_low is not None:
        parts.append(f"{percent_text(row.ci_level or 0)} interval {interval(row)}")
    if row.p_value is not None:
        parts.append(f"p {p_value(row.p_value)}, adjusted {p_value(row.p_adjusted)}")
    if row.p_raters is not None:
        parts.append(f"shuffled ratings below {coefficient(row.null_high or 0)}, p {p_value(row.p_raters)}")
    if isinstance(row, CorrelationRow) and row.ceiling is not None:
        parts.append(f"ceiling {coefficient(row.ceiling)}")
    if isinstance(row, CorrelationRow) and row.p_within is not None:
        parts.append(f"p within families {p_value(row.p_within)}")
    if isinstance(row, CorrelationRow) and row.carried_by:
        parts.append(f"hangs on {', '.join(row.carried_by)}")
    return "; ".join(parts)


@register.filter
def footnote(reason: str | None, notes: Mapping[str, str]) -> str:
    """The letter of the footnote that holds the reason."""
    return notes.get(reason or "", "")


@register.filter
def under(cells: Sequence[Any], columns: Iterable[Column]) -> Iterable[tuple[Column, Any]]:
    """Each cell of a line with its column."""
    return zip(columns, cells, strict=True)
