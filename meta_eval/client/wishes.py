"""What is asked for: fields of plans, reports and runs of scores; what is left out stands as on the site."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, TypedDict


class WindowFields(TypedDict, total=False):
    """When raters can take part. A time without a zone is one of this machine's."""

    opens_at: datetime | str | None
    closes_at: datetime | str | None


class DesignFields(WindowFields, total=False):
    """Of a plan, whether it is made or changed."""

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
    equal_pairs_once: bool
    one_typography: bool
    identical_share: int
    unrelated_share: int
    scale: Literal["similarity", "dissimilarity"]
    question: str
    low_label: str
    label_2: str
    label_3: str
    label_4: str
    label_5: str
    high_label: str
    instructions: str
    languages: list[str]
    claim_minutes: int
    limit: int | None
    primary_coefficient: str
    primary_surrogate: str
    primary_score: Literal["degress", "perseval"]


class PlanFields(DesignFields, total=False):
    """Of a plan, besides corpus and name. A preset is a paper's whole design; the rest comes before it."""

    preset: str


class ChangeFields(DesignFields, total=False):
    """Of a draft that is changed."""

    name: str


class ModelFields(TypedDict, total=False):
    """How models are asked about the pairs of a batch."""

    both_orders: bool
    explain: bool
    draws: int
    temperature: float


class PrecisionFields(TypedDict, total=False):
    """What is assumed of systems, documents and raters, in points of the scale."""

    correlation: float
    other: float
    between: float
    system_sd: float
    interaction_sd: float
    error_sd: float
    earlier: int
    rate: float


class WordingFields(TypedDict, total=False):
    """The words of a questionnaire in a further language."""

    question: str
    low_label: str
    label_2: str
    label_3: str
    label_4: str
    label_5: str
    high_label: str
    instructions: str


class PairFields(TypedDict):
    """Two texts, rated from `low` to `high` in points of the batch's scale, and why."""

    left: str
    right: str
    low: int
    high: int
    why: str


class TextFields(TypedDict, total=False):
    """What raters of a draft read in one language; an empty list brings the site's own pairs back."""

    wording: WordingFields
    examples: Sequence[PairFields]
    practice: Sequence[PairFields]


class ParticipationFields(TypedDict, total=False):
    """How people take part in a draft."""

    entry: Literal["open", "invitation", "panel"]
    panel_parameter: str
    limit: int | None
    researchers: str
    contact: str
    approval: str
    kept_for: str
    asks_name: bool
    practice: bool
    questions: list[str]
    fields_of_study: str
    age_bands: str
    completed_code: str
    no_place_code: str
    partial_code: str
    failed_code: str
    failed_controls: int | None
    return_address: str


class PublishedTable(TypedDict):
    """A table of a paper to show beside ours: `content` is the CSV itself."""

    kind: str
    name: str
    content: str


class UploadFields(TypedDict, total=False):
    """Of ratings that were collected elsewhere, besides corpus and scale.

    tool: whose export it is; without it the file is a table. field, number: of an export, as in
    `doc_id=document` and `Very similar=6`. asked: the question that counts. items: the file in Potato's
    archive that has the items; id_key: the field there that is an item's id.
    """

    name: str
    raters: int
    question: str
    low_label: str
    high_label: str
    tool: Literal["table", "label-studio", "potato"]
    asked: str
    field: Sequence[str]
    number: Sequence[str]
    items: str
    id_key: str


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
    stability_replacement: bool
    model_runs: list[int]
    judge: int
    epsilon: float
    mixed: bool
    seed: int
    edp_readers: str
    p_acc_alpha: float
    p_acc_beta: float
    published: list[PublishedTable]
    same_systems: dict[str, str]


class ScoreFields(TypedDict, total=False):
    """Of a run of scores, besides corpus or batch, and measure."""

    mode: str
    preprocess: str | None
    tokeniser: str | None
    normalise: str
    min_raters: int | None


def sendable(wishes: Mapping[str, Any]) -> dict[str, Any]:
    """The fields as JSON takes them: a time with its zone.

    Examples
    --------
    >>> from datetime import UTC
    >>> sendable({"raters": 2, "opens_at": datetime(2026, 1, 2, tzinfo=UTC), "closes_at": None})
    {'raters': 2, 'opens_at': '2026-01-02T00:00:00+00:00', 'closes_at': None}
    """
    return {name: _moment(value) if isinstance(value, datetime) else value for name, value in wishes.items()}


def _moment(value: datetime) -> str:
    return (value if value.tzinfo else value.astimezone()).isoformat()
