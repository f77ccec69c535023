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
    "combinations": ("Measures joined into one score", _further("combinations")),
    "raters_among_measures": (
        "Raters and measures against the other raters",
        _further("raters_among_measures"),
    ),
    "deviations": ("Measures beside each other over pairs of readers", _further("deviations")),
    "rating_components": ("What ratings vary by", _further("rating_components")),
    "adjusted_means": ("Mean ratings of systems by the mixed model", _further("adjusted_means")),
    "severities": ("Severity of raters", _further("severities")),
    "dependability": ("Dependability of mean ratings", _further("dependability")),
    "prompt_orders": ("Richer prompts against poorer ones of each model", _further("prompt_orders")),
    "unanswered": ("Further questions without answer", _further("unanswered")),
}
"""Each table by its name: what it holds, and its rows."""

FURTHER_MEANINGS: Mapping[str, str] = {
    "absolute": "How dependable mean ratings are as they stand, from 0 to 1.",
    "adjusted": "The same by the mixed model, all else taken out.",
    "beyond": "Pairs whose difference is the noticed one or larger.",
    "cluster": "Group of systems: each of one is better for sure than each of the next.",
    "combination": "How measures are joined: the best alone, the best two, all alike, or by fitted weights.",
    "component": "Variance that the factor adds to ratings.",
    "component_share": "Its share of all that varies.",
    "egises_change": "EGISES of the richer prompt less that of the poorer one; below 0 it is better.",
    "epsilon": "Scores of the measure that differ by no more count as equal.",
    "factor": "What ratings vary by: system, rater, document, item, page (of one rater) or residual.",
    "fitted": "Share of pairs of systems ordered as people do where the pair was not left out.",
    "grouping": "item: pairs of summaries of one document; system: of one system; none: any two.",
    "groups": "How many groups of summaries the mean is over.",
    "held_out": "The same where the combination was made without the pair.",
    "highest_system": "The highest coefficient of a system.",
    "is_paradox": "true where EGISES of the richer prompt is not lower: the published rule.",
    "levels": "How many systems, raters and so on there are.",
    "lowest_system": "The lowest coefficient of a system.",
    "measure_form": "means: mean distances are divided; ratios: the distances of each document are divided.",
    "model": "The language model: as its ratings call it, or as systems are named after it (MODEL: STYLE).",
    "noticed": "From this difference of the measure on people order 95 % of the pairs of systems alike.",
    "one_left_out": "The same where it was made without one of the two systems, each in turn.",
    "order": "A poorer and a richer prompt, by the name that iCOPERNICUS' section 3 gives them.",
    "other_form": "The same of the other measure.",
    "outliers": "Systems that are left out, over 2.5 robust deviations from people's median.",
    "own": "Kendall's tau-b of the rater with the mean of the other raters, within pages.",
    "p": "Chance of such a change where prompts are equally good: signs of documents flipped, two-sided.",
    "pages": "On how many pages.",
    "pairs": "How many pairs entered: of systems, or of summaries.",
    "pairs_left_out": "Pairs of readers of whom a side has no deviation, over all systems.",
    "plain": "Mean rating of the system; of a rater, by how much the mean lies below that of all ratings.",
    "poorer": "The poorer prompt of the two.",
    "poorer_egises": "EGISES with the poorer prompt, on what both have; lower is better.",
    "question": "The question that has no answer.",
    "rank": "Rank by people's score, best first; equal scores share the mean of their ranks.",
    "rank_high": "The worst rank that the system may have, for all systems together.",
    "rank_low": "The best rank that the system may have, for all systems together.",
    "rater": "The rater by number, the same in every table; the most severe first.",
    "raters": "How many raters each document has.",
    "ratings": "How many ratings entered.",
    "reader_pairs": "Pairs of readers with a deviation by both measures, of the system with the most.",
    "relative": "How dependable mean ratings are for telling which system is better, from 0 to 1.",
    "richer": "The richer prompt of the two.",
    "richer_egises": "EGISES with the richer prompt, on what both have; lower is better.",
    "sample_highest": "The highest coefficient of the samples.",
    "sample_lowest": "The lowest coefficient of the samples.",
    "sample_median": "Median coefficient of the samples.",
    "sample_q1": "A quarter of the samples lie below.",
    "sample_q3": "A quarter of the samples lie above.",
    "share_of_pairs": "Share of the pairs of readers in a sample.",
    "subset": "all; significant: told apart by people; close: nearest by the measure; best: by people.",
    "systems_defined": "How many systems have the coefficient.",
    "tau_b": "Kendall's tau-b, meant over the groups in which it is defined.",
    "tied": "Share of the pairs of summaries that people tie.",
    "untouched": "The accuracy with the ties that are there, none made.",
    "value": "The system's score.",
    "verdict": "paradox or no paradox where that is sure; else not decided.",
    "weights": "Each measure's weight in the combination made on all systems.",
}
"""Meaning of the columns that these tables alone have."""
