"""The sections of a report's page, in their order: each a value that its own template shows."""

from collections.abc import Callable, Sequence

from meta_eval.report.schema import (
    Report,
)
from meta_eval.report.view import View
from survey_site.reports.sections.background import (
    agreement,
    judged,
    left_out,
    methods,
    models,
    published,
    robustness,
    sentinels,
    studies,
    take_away,
)
from survey_site.reports.sections.prompts import prompts
from survey_site.reports.sections.scores import correlations, forest, leaderboard, primary, scatter
from survey_site.reports.sections.section import Section


def page_sections(report: Report, view: View) -> list[Section]:
    """The sections that have something to show for what the reader looks at."""
    made = (make(report, view) for make in _SECTIONS)
    return [section for section in made if section is not None]


_SECTIONS: Sequence[Callable[[Report, View], Section | None]] = (
    primary,
    leaderboard,
    correlations,
    forest,
    robustness,
    sentinels,
    scatter,
    agreement,
    models,
    judged,
    prompts,
    left_out,
    studies,
    published,
    methods,
    take_away,
)
