"""Tables of what meta-evaluation asks by now, flat, with the meaning of their columns."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from meta_eval.publish.long_form import flat_row
from meta_eval.report.schema import Report, row_record

Row = Mapping[str, Any]


def _further(part: str) -> Callable[[Report], Iterable[Row]]:
    """Rows of a part of the further questions."""

    def rows(report: Report) -> Iterator[Row]:
        for row in getattr(report.inference.further, part) if report.inference else ():
            yield flat_row(row_record(row))

    return rows


FURTHER_TABLES: Mapping[str, tuple[str, Callable[[Report], Iterable[Row]]]] = {
    "soft_accuracy": ("Soft pairwise accuracy", _further("soft_accuracy")),
    "soft_differences": ("Soft pairwise accuracy of two measures", _further("soft_differences")),
    "calibrated_ties": ("Accuracy over pairs of summaries with made ties", _further("calibrated_ties")),
    "pair_accuracy": ("Pairs of systems ordered as people do", _further("pair_accuracy")),
    "noticed": ("Differences of scores that people notice", _further("noticed")),
    "outliers": ("Correlations without outlier systems", _further("outliers")),
    "system_ranks": ("Ranks of systems that are sure", _further("system_ranks")),
}
"""Each table by its name: what it holds, and its rows."""

FURTHER_MEANINGS: Mapping[str, str] = {
    "beyond": "Pairs whose difference is the noticed one or larger.",
    "cluster": "Group of systems: each of one is better for sure than each of the next.",
    "epsilon": "Scores of the measure that differ by no more count as equal.",
    "grouping": "item: pairs of summaries of one document; system: of one system; none: any two.",
    "groups": "How many groups of summaries the mean is over.",
    "noticed": "From this difference of the measure on people order 95 % of the pairs of systems alike.",
    "outliers": "Systems that are left out, over 2.5 robust deviations from people's median.",
    "pairs": "How many pairs entered: of systems, or of summaries.",
    "rank": "Rank by people's score, best first; equal scores share the mean of their ranks.",
    "rank_high": "The worst rank that the system may have, for all systems together.",
    "rank_low": "The best rank that the system may have, for all systems together.",
    "subset": "all; significant: told apart by people; close: nearest by the measure; best: by people.",
    "tau_b": "Kendall's tau-b, meant over the groups in which it is defined.",
    "tied": "Share of the pairs of summaries that people tie.",
    "untouched": "The accuracy with the ties that are there, none made.",
    "value": "The system's score.",
}
"""Meaning of the columns that these tables alone have."""
