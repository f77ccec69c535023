"""Tables of a judge of single summaries, flat, with the meaning of their columns."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from meta_eval.publish.long_form import CORRELATIONS_FILE, EXPORT_COLUMNS, LEADERBOARD_FILE, flat_row
from meta_eval.report.numbers import group_letter
from meta_eval.report.schema import JudgedStudy, Report, row_record

Row = Mapping[str, Any]


def _part(part: str) -> Callable[[Report], Iterable[Row]]:
    """Rows of a part of the judge, each with its name."""

    def rows(report: Report) -> Iterator[Row]:
        for study in _studies(report):
            yield from ({"judge": study.judge, **flat_row(row_record(row))} for row in getattr(study, part))

    return rows


def _ranking(report: Report) -> Iterator[Row]:
    for row in _part("ranking")(report):
        yield {**row, "group": group_letter(row["group"])}


def _control(report: Report) -> Iterator[Row]:
    for study in _studies(report):
        if study.control:
            record = row_record(study.control)
            yield {"judge": study.judge, **record, "personal_verdict": record.pop("verdict")}


def _studies(report: Report) -> Iterator[JudgedStudy]:
    if report.inference and report.inference.judged:
        yield report.inference.judged


JUDGED_TABLES: Mapping[str, tuple[str, Callable[[Report], Iterable[Row]]]] = {
    "judged_systems": ("Systems as a judge in readers' places scores them", _part("systems")),
    "judged_correlations": (
        "Accuracy by that judge and by measures against human scores",
        _part("correlations"),
    ),
    "judged_ranking": ("That judge and measures by agreement with the raters", _ranking),
    "judged_comparisons": ("That judge and measures against each other", _part("comparisons")),
    "judged_control": ("What that judge gains from readers' own profiles", _control),
    "judged_left_out": ("What that judge did not judge", _part("left_out")),
}
"""Each table by its name: what it holds, and its rows."""

_AS_IN_FILES: Mapping[str, tuple[str, ...]] = {
    LEADERBOARD_FILE: ("ranked",),
    CORRELATIONS_FILE: (
        "without_low",
        "without_high",
        "within",
        "within_reason",
        "families_mean",
        "p_within",
        "p_within_method",
        "p_within_adjusted",
        "families_explain",
    ),
}
"""Columns that these tables share with the first two files."""

JUDGED_MEANINGS: Mapping[str, str] = {
    **{name: EXPORT_COLUMNS[file][name] for file, names in _AS_IN_FILES.items() for name in names},
    "judge": "The language model that judged single summaries in readers' places.",
    "note": "What to know of few documents; empty where there are enough.",
    "personal": "true where the whole interval of the gain lies above 0; empty where there is none.",
    "personal_verdict": "The same in a sentence; empty where there is no interval.",
}
"""Meaning of the columns that these tables alone have."""
