"""The design of a survey: which pairs are rated, where they stand on a page, and which check the raters."""

from meta_eval.design.controls import add_controls, count_controls
from meta_eval.design.plan import SurveyPlan, plan_survey, plannable_documents, shuffle_items
from meta_eval.design.positions import balance_positions

__all__ = [
    "SurveyPlan",
    "add_controls",
    "balance_positions",
    "count_controls",
    "plan_survey",
    "plannable_documents",
    "shuffle_items",
]
