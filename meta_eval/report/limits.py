"""What the intervals of a report rest on, and where they hold less often: said wherever they stand."""

from collections.abc import Iterable, Iterator

from meta_eval.report.schema import CoefficientRow, Inference, Report
from meta_eval.stats.coefficients.families import name_families

BY_FAMILY, WIDER, ONE_POPULATION = "hierarchical-by-family", "hierarchical-wider", "hierarchical"
MODELS = (ONE_POPULATION, BY_FAMILY, WIDER)
"""Intervals of the coefficient that scores without noise would have."""


def interval_limits(rows: Iterable[CoefficientRow], resampled: str) -> list[str]:
    """Sentences on the intervals of these rows; none where no hierarchical model made any of them.

    The figures behind them are in docs/performance.md.
    """
    used = {(row.ci_method, row.coefficient != "pearson") for row in rows if row.ci_low is not None}
    methods = {method for method, _ in used}
    if not methods & {*MODELS}:
        return []
    return [*_limits(methods, ranks_of_all=(ONE_POPULATION, True) in used), *_of_raters(resampled)]


def limits_of_report(report: Report) -> list[str]:
    """`interval_limits` of the coefficients of the main table."""
    if report.inference is None:
        return []
    return interval_limits(report.correlations, report.inference.options.resampled)


def _limits(methods: set[str | None], *, ranks_of_all: bool) -> Iterator[str]:
    yield (
        "Intervals are of the coefficient that scores without noise would have; noise pulls an estimate "
        "towards 0, so that one of noisy scores may lie at the lower end of its interval."
    )
    if BY_FAMILY in methods:
        yield (
            "Of rank coefficients each family of systems has a mean, a spread and a noise of its own; where "
            "systems of a noisy family agree almost perfectly, these intervals hold less often."
        )
    if WIDER in methods:
        yield (
            "Where scores show groups of systems that nobody named, or lie hardly farther apart within "
            "families than their noise, an interval of ranks is the wider of two: with all systems as one "
            "population, and with each family or group as one."
        )
    if ranks_of_all:
        yield (
            "Other intervals take the systems for one normal population: where they fall into families that "
            "were not named, those of ranks may be too narrow."
        )
    yield (
        "They hold as often as they say over many sets of systems like these; for one set whose true scores "
        "nearly tie, those of ranks hold less often."
    )


def _of_raters(resampled: str) -> Iterator[str]:
    if resampled == "raters within documents":
        yield (
            "Documents carry the noise of their raters already, which is counted twice here: these intervals "
            "are a little too wide."
        )
    elif resampled == "raters":
        yield (
            "Where a pair has two raters, drawing raters shows too little of their noise: intervals of "
            "Pearson's r are a little too narrow (95 % ones hold in about 92 of 100)."
        )


def found_families_caution(inference: Inference | None) -> list[str]:
    """That families were found and not given, how, and which."""
    found = inference.found_families if inference else None
    if found is None:
        return []
    return [
        f"Families of systems were found, not named by anybody ({found.how}): "
        f"{'; '.join(name_families(found.families))}. Name them for intervals and tables of each family."
    ]
