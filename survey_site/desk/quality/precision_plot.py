"""What a planned batch buys as a plot, width against rater-hours, and what to do about it in words.

Shapes lie in a box of WIDTH by HEIGHT with its origin at the top left, stretched to the page; words stand
beside them as text, so that they keep their size.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from meta_eval.report.numbers import PAGE, estimate_text
from meta_eval.report.view import COEFFICIENTS
from meta_eval.stats.coefficients.registry import Coefficient
from survey_site.quality.precision import Option

WIDTH, HEIGHT = 600, 150
USUAL_POWER = 0.8
"""The chance to find what is there that is commonly asked of a study."""


@dataclass(frozen=True)
class Mark:
    """One design on the plot. kind: plan, documents (others than planned) or raters (more than planned)."""

    kind: str
    label: str
    x: float
    y: float


@dataclass(frozen=True)
class WidthPlot:
    """The designs as marks; `line` joins those with as many raters as planned. Ends of both axes, from 0."""

    marks: Sequence[Mark]
    line: str
    most_hours: float
    most_width: float


def plot_widths(options: Sequence[Option], coefficient: Coefficient) -> WidthPlot:
    """Every option by what it costs (right: more hours) and buys (up: a wider range)."""
    hours = max(one.effort.hours for one in options)
    width = max(one.precision[coefficient].width for one in options)
    planned = _planned(options)
    marks = []
    for one in sorted(options, key=lambda option: option.effort.hours):
        kind = "plan" if one.planned else "documents" if one.raters == planned.raters else "raters"
        x, y = one.effort.hours / hours, one.precision[coefficient].width / (width or 1)
        marks.append(Mark(kind, _label(one, coefficient), WIDTH * x, HEIGHT * (1 - y)))
    line = " ".join(f"{mark.x:.1f},{mark.y:.1f}" for mark in marks if mark.kind != "raters")
    return WidthPlot(marks, line, hours, width)


def advise(options: Sequence[Option], coefficient: Coefficient) -> list[str]:
    """What the plan buys, what would narrow it most for an hour, and whether it finds what is there."""
    return [
        _what_it_buys(_planned(options), coefficient),
        *_where_an_hour_goes_farthest(options, coefficient),
        _whether_it_is_found(options, coefficient),
    ]


def _planned(options: Sequence[Option]) -> Option:
    return next(one for one in options if one.planned)


def _size(one: Option) -> str:
    """How large a design is, in words."""
    documents = "1 document" if one.documents == 1 else f"{one.documents:,} documents"
    return f"{documents} and {one.raters} rater{'s' if one.raters != 1 else ''} each"


def _label(one: Option, coefficient: Coefficient) -> str:
    width = estimate_text(one.precision[coefficient].width, PAGE)
    return f"{_size(one)}{', as planned' if one.planned else ''}: {one.effort.hours:.1f} hours, width {width}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _what_it_buys(planned: Option, coefficient: Coefficient) -> str:
    width = estimate_text(planned.precision[coefficient].width, PAGE)
    return (
        f"As planned, {planned.effort.hours:.1f} hours of raters' time give {COEFFICIENTS[coefficient]} "
        f"a range that is {width} wide."
    )


def _where_an_hour_goes_farthest(options: Sequence[Option], coefficient: Coefficient) -> Iterator[str]:
    """The option of this corpus that narrows the range most for each further hour, where one narrows it at
    all; and the one that does more with documents that the corpus does not have."""
    best = _narrowest_for_an_hour([one for one in options if one.in_corpus], _planned(options), coefficient)
    beyond = _narrowest_for_an_hour(options, _planned(options), coefficient)
    if best is not None:
        yield f"To narrow it, an hour goes farthest with {_bought(best, coefficient)}."
    if beyond is not None and not beyond.in_corpus:
        yield f"A larger corpus would do more: {_bought(beyond, coefficient)}."


def _narrowest_for_an_hour(
    options: Sequence[Option], planned: Option, coefficient: Coefficient
) -> Option | None:
    now = planned.precision[coefficient].width
    gains = {
        (now - one.precision[coefficient].width) / (one.effort.hours - planned.effort.hours): one
        for one in options
        if one.effort.hours > planned.effort.hours
    }
    return gains[max(gains)] if gains and max(gains) > 0 else None


def _bought(one: Option, coefficient: Coefficient) -> str:
    width = estimate_text(one.precision[coefficient].width, PAGE)
    return f"{_size(one)}: {one.effort.hours:.1f} hours, a width of {width}"


def _whether_it_is_found(options: Sequence[Option], coefficient: Coefficient) -> str:
    """Whether the plan has the usual power, else what has it: the cheapest option, or only more systems."""
    power = _planned(options).power[coefficient].coefficient
    chance = f"The plan finds the correlation above 0 with a chance of {_percent(power)}"
    if power >= USUAL_POWER:
        return f"{chance}: enough by the usual measure of {_percent(USUAL_POWER)}."
    enough = [one for one in options if one.power[coefficient].coefficient >= USUAL_POWER]
    if enough:
        cheapest = min(enough, key=lambda one: (not one.in_corpus, one.effort.hours))
        lacking = "" if cheapest.in_corpus else ", more documents than this corpus has"
        return f"{chance}; {_size(cheapest)} reach {_percent(USUAL_POWER)}{lacking}."
    return (
        f"{chance}, and no row of the table reaches {_percent(USUAL_POWER)}: add systems, which do more "
        "here than documents or raters."
    )
