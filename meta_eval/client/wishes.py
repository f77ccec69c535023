"""What is asked for: fields of plans, reports and runs of scores; what is left out stands as on the site."""

from datetime import datetime
from typing import Literal, TypedDict


class PlanFields(TypedDict, total=False):
    """Of a plan, besides corpus and name. A preset is a paper's whole design; the rest comes before it."""

    preset: str
    systems: list[str]
    documents: int
    document_keys: list[str]
    seed: int
    reader_pairs: int
    readers: int | None
    systems_per_questionnaire: int
    raters: int
    parts_together: bool
    document_shown: bool
    marks_allowed: bool
    identical_share: int
    unrelated_share: int
    scale: Literal["similarity", "dissimilarity"]
    question: str
    low_label: str
    high_label: str
    instructions: str
    languages: list[str]
    claim_minutes: int
    opens_at: datetime | str | None
    closes_at: datetime | str | None
    limit: int | None


class ReportFields(TypedDict, total=False):
    """Of a report, besides batch, measures and surrogates."""

    normalise: str
    min_raters: int | None
    alpha: float
    beta: float
    gamma: float
    mode: str
    preprocess: str | None
    tokeniser: str | None
    resamples: int
    resampled: str
    adjustment: str
    coefficients: list[str]
    families: list[str]
    seed: int


class ScoreFields(TypedDict, total=False):
    """Of a run of scores, besides corpus or batch, and measure."""

    mode: str
    preprocess: str | None
    tokeniser: str | None
    normalise: str
    min_raters: int | None
