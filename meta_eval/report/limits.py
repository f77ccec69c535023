"""What the intervals of a report rest on, and where they hold less often: said wherever they stand."""

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Protocol

from meta_eval.report.schema import Inference, LimitedRow, Report
from meta_eval.stats.coefficients.families import name_families

BY_FAMILY, WIDER, ONE_POPULATION = "hierarchical-by-family", "hierarchical-wider", "hierarchical"
FEW = 4
"""Systems over which a rank coefficient has few values."""
MODELS = (ONE_POPULATION, BY_FAMILY, WIDER)
"""Intervals of the coefficient that scores without noise would have."""


class _Row(Protocol):
    """A coefficient with its interval, of a report or of two files of scores."""

    @property
    def coefficient(self) -> str: ...
    @property
    def n(self) -> int: ...
    @property
    def ci_low(self) -> float | None: ...
    @property
    def ci_method(self) -> str | None: ...


def interval_limits(rows: Sequence[_Row], resampled: str) -> list[str]:
    """Sentences on the intervals of these rows, and on the ceilings beside them; none without either.

    The figures behind them are in docs/performance.md.
    """
    known = [row for row in rows if row.ci_low is not None]
    used = {(row.ci_method, row.coefficient) for row in known}
    methods = {method for method, _ in used}
    said = list(_of_systems(known, resampled))
    if methods & {*MODELS}:
        said += [*_of_models(used), *_of_raters(resampled), ELSEWHERE]
    if any(isinstance(row, LimitedRow) and row.ceiling is not None for row in rows):
        said.append(CEILING_LIMIT)
    return said


LEVELS_LIMIT = (
    "Intervals of agreement within documents, within systems and over reader pairs are too narrow with few "
    "documents: of 20, 95 % ones hold in 90 to 95 of 100, within systems in 83 to 98; of 60 in 91 to 96, but "
    "of a high Spearman's rho within systems in 85."
)
SOFT_LIMIT = (
    "Of equally good measures that err on systems in their own ways, p between soft pairwise accuracies is "
    "at most 0.05 in about 22 of 100 pairs: it is about these systems."
)
NOTICED_LIMIT = (
    "95 % intervals of the difference that people notice hold in 93 to 98 of 100; of systems no farther "
    "apart than the noise of their scores, and of a measure that hardly agrees with people, most have no "
    "upper end."
)
RANKS_LIMIT = (
    "With under 20 documents the ranks that systems may have, all together, say too much: of ten equal "
    "systems some wrong statement stands in about 18 of 100 surveys of 6 documents and in 10 of 100 of 10 "
    "documents, where 5 are meant."
)
CEILING_LIMIT = (
    "Ceilings are estimates: within 0.02 of the truth on average in surveys of known truth, but too high "
    "where the raters hardly agree on the systems (reliability below 0.4)."
)


ELSEWHERE = "In all settings that were tried and are not named here, 95 % intervals hold in 93 to 98 of 100."
"""What stands after the settings in which intervals hold less or more often."""


def _of_systems(rows: Sequence[_Row], resampled: str) -> Iterator[str]:
    """On intervals about other systems, of rows that have one."""
    used = {(row.ci_method, row.coefficient) for row in rows}
    if ("fisher", "spearman") in used:
        yield (
            "Near perfect agreement (rho above 0.95) intervals of Spearman's rho are too narrow: 95 % ones "
            "hold in about 92 of 100."
        )
    if any(row.ci_method == "esscher" and row.n <= FEW for row in rows):
        yield (
            "Over four systems Kendall's tau has seven values: 95 % intervals of it hold in 92 to 97 of 100, "
            "of Spearman's rho in 92 to 99."
        )
    if resampled == "systems" and {method for method, _ in used} & {"bca", "percentile"}:
        yield (
            "Resamples of few systems tell too little: 95 % intervals of Pearson's r over four to ten "
            "systems hold in 85 to 94 of 100."
        )
    if resampled == "documents and systems" and any(method == "bca" for method, _ in used):
        yield (
            "Where agreement is high and documents are noisy, intervals about other documents and systems "
            "are too narrow: at a true 0.9 and systems 1.5 standard errors of their means apart 95 % ones "
            "hold in about 90 of 100 for Pearson's r, 91 for Spearman's rho and 94 for Kendall's tau."
        )


def limits_of_report(report: Report) -> list[str]:
    """What the report stored; of an older one, which stored nothing, `limits_of`."""
    if report.inference is None:
        return []
    return list(report.inference.limits) or limits_of(report.correlations, report.inference)


def limits_of(rows: Sequence[_Row], inference: Inference) -> list[str]:
    """Every sentence on what the numbers of an inference do not hold; `rows` are those of the main table."""
    said = [
        *interval_limits(rows, inference.options.resampled),
        *limits_of_comparisons(inference),
        *([LEVELS_LIMIT] if any(row.ci_low is not None for row in inference.levels) else []),
    ]
    if any(row.p_value is not None for row in inference.further.soft_differences):
        said.append(SOFT_LIMIT)
    if any(row.ci_low is not None for row in inference.further.noticed):
        said.append(NOTICED_LIMIT)
    if any(row.rank_low is not None for row in inference.further.system_ranks):
        said.append(RANKS_LIMIT)
    return list(dict.fromkeys(said))


def limits_of_comparisons(inference: Inference) -> list[str]:
    """What the differences of measures in a report do not hold."""
    rows, primary = inference.comparisons, inference.primary
    coefficient = "kendall" if primary is None else primary.coefficient
    used = {(row.ci_method, row.ci_over) for row in rows if row.ci_low is not None}
    return [
        limit
        for method, over in sorted(used, key=str)
        for limit in difference_limits(method, coefficient, over)
    ]


def _of_models(used: Iterable[tuple[str | None, str]]) -> Iterator[str]:
    """On intervals of true scores, by method and coefficient."""
    used = set(used)
    methods = {method for method, _ in used}
    yield (
        "Intervals are of the coefficient that scores without noise would have; noise pulls an estimate "
        "towards 0, so that one of noisy scores may lie at the lower end of its interval. Where systems lie "
        "no farther apart than the noise of their scores, most are too wide: 95 % ones hold in 98 of 100 and "
        "more."
    )
    yield (
        "Some are too wide where systems lie farther apart, too: 95 % ones hold in 98 to 99 of 100 "
        f"{'; '.join(_too_wide(methods))}."
    )
    if BY_FAMILY in methods:
        yield (
            "Of rank coefficients each family of systems has a mean, a spread and a noise of its own; where "
            "systems of a noisy family agree almost perfectly (0.95), 95 % intervals hold in about 87 of 100."
        )
    if WIDER in methods:
        yield (
            "Where scores show groups of systems that nobody named, or lie hardly farther apart within "
            "families than their noise, an interval of ranks is the wider of two: with all systems as one "
            "population, and with each family or group as one. Where groups that nobody named do not "
            "agree within, 95 % ones hold in 87 to 92 of 100."
        )
    if any(method == ONE_POPULATION and name != "pearson" for method, name in used):
        yield (
            "Other intervals take the systems for one normal population: where they fall into two families "
            "that were not named, or one system lies far off, and systems do not agree within, a standard "
            "error apart, 95 % ones of ranks hold in 82 to 84 of 100."
        )
    if (ONE_POPULATION, "pearson") in used:
        yield (
            "Those of Pearson's r take the systems for one normal population: beside systems that write one "
            "text for all readers, and so have no noise, 95 % ones hold in 90 to 93 of 100; of three or five "
            "systems whose scores are precise they hold in about 93."
        )
    yield (
        "Intervals hold as often as they say over many sets of systems like these; for one set whose true "
        "scores nearly tie, those of ranks hold less often (95 % ones in 84 to 91 of 100)."
    )


def _too_wide(methods: Container[str | None]) -> Iterator[str]:
    """Where intervals of these methods hold too often although systems lie farther apart than their noise."""
    if ONE_POPULATION in methods:
        yield (
            "with one population, where agreement is high (0.9) and systems lie two standard errors apart, "
            "where two groups lie three apart, and for ranks of three systems"
        )
    if BY_FAMILY in methods:
        yield "with named families, for ranks of scores like the ten published pairs"
    if WIDER in methods:
        yield (
            "with the wider of two, for ranks where groups that nobody named lie eight deviations apart, or "
            "one of them writes one text for all readers or has little noise"
        )


def difference_limits(method: str | None, coefficient: str, resampled: str) -> list[str]:
    """Sentences on the interval and the p of a difference of two measures' coefficients, as resampled."""
    if method is None:
        return []
    if method in MODELS:
        return [*_of_differences(resampled), *_of_raters(resampled)]
    if resampled == "documents and systems":
        return ["Nobody measured how often intervals of a difference about other documents and systems hold."]
    if coefficient == "pearson":
        return [
            "Resamples of few systems tell too little: 95 % intervals of a difference of Pearson's r over "
            "ten systems hold in 92 to 94 of 100."
        ]
    return [
        "Intervals of a difference over few systems are too wide: 95 % ones of rank coefficients over ten "
        "systems hold in 97 to 99 of 100."
    ]


def _of_differences(resampled: str) -> Iterator[str]:
    yield (
        f"Resamples of {resampled} alone are about these systems: of two measures that agree equally well "
        "with people over systems in general one may be better on these, and p is then at most 0.05 in up "
        "to 58 of 100 such pairs. The permutation test that swaps whole systems is about other systems."
    )
    yield (
        "Intervals of a difference take the systems for one normal population, whether families were named "
        "or not."
    )
    yield (
        "Where systems lie no farther apart than the noise of their scores, 95 % intervals of a difference "
        "are too wide: they hold in 98 of 100 and more."
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
