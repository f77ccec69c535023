"""What richer prompts do to a model, where systems are named MODEL: STYLE."""

from dataclasses import dataclass

from meta_eval.report.schema import Report
from meta_eval.report.tables.grid import Grid
from meta_eval.report.tables.prompts import lay_out_prompt_orders
from meta_eval.report.view import View
from survey_site.reports.sections.section import Section


@dataclass(frozen=True)
class Prompts(Section):
    anchor, title = "prompts", "Prompt paradoxes"
    grid: Grid


def prompts(report: Report, view: View) -> Prompts | None:
    grid = lay_out_prompt_orders(report, view)
    return Prompts(grid) if grid.lines else None
