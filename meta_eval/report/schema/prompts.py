"""Rows of what richer prompts do to a model, where systems are named MODEL: STYLE."""

from dataclasses import dataclass

from meta_eval.stats.significance.prompt_orders import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptOrderRow:
    """A poorer and a richer prompt of a model on the rated pairs that both have, by one side and measure.

    EGISES from 0 to 1, lower is better; `egises_change` is richer less poorer.
    `is_paradox` is the published rule, `verdict` what documents let us say. None where no document is shared.
    """

    side: str
    measure: str
    model: str
    order: str
    poorer: str
    richer: str
    documents: int
    poorer_egises: float | None
    richer_egises: float | None
    egises_change: float | None
    ci_low: float | None
    ci_high: float | None
    p: float | None
    p_adjusted: float | None
    is_paradox: bool | None
    verdict: Verdict | None
