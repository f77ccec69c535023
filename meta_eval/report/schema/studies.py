"""Rows of what else a report asks of its scores and ratings: agreement, stability, paradox and others."""

from dataclasses import dataclass

from meta_eval.stats.raters.agreement_sums import ALPHA


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementRow:
    """One coefficient of the raters' agreement with its interval."""

    coefficient: str
    title: str
    estimate: float | None
    ci_low: float | None
    ci_high: float | None
    ci_method: str | None
    ci_level: float | None
    reason: str | None
    ci_reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementStudy:
    """How far raters agree; `table` counts pairs of ratings of the same item by two raters.

    Its rows and columns are all points of the scale, 1 to 6; on a scale of more than 11, the `categories`
    that were given. It is empty where those are too many for a table.
    """

    coefficients: tuple[AgreementRow, ...]
    units: int
    ratings: int
    single: int
    repeated: int
    table: tuple[tuple[float, ...], ...]
    categories: tuple[int, ...] = ()

    @property
    def alpha(self) -> AgreementRow | None:
        """The coefficient that raters' agreement is judged by."""
        return next((row for row in self.coefficients if row.coefficient == ALPHA), None)

    @property
    def may_be_chance(self) -> bool:
        """Whether the interval of alpha does not exclude chance; False where there is no interval."""
        return self.alpha is not None and includes_chance(self.alpha.ci_low)


def includes_chance(ci_low: float | None) -> bool:
    """Whether an interval of alpha from `ci_low` on includes chance, which is 0; False without interval."""
    return ci_low is not None and ci_low <= 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StabilityShare:
    """Rank coefficients of `samples` samples of a share of the documents with the full ranking.

    `epsilon_overall` is the greatest of all samples of all shares (PerSEval, definition 7.1).
    """

    share: float
    documents: int
    samples: int
    coefficient: str
    minimum: float | None
    mean: float | None
    maximum: float | None
    undefined: int
    epsilon_overall: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemStability:
    """A system's mean scores at each share, all documents first, with their bias and variance."""

    system: str
    means: tuple[float | None, ...]
    bias: float | None
    variance: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StabilityRow:
    """How stable a score is under a measure; `delta` is the larger of the greatest bias and variance."""

    score: str
    measure: str
    delta: float | None
    shares: tuple[StabilityShare, ...]
    systems: tuple[SystemStability, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParadoxRow:
    """How alike DEGRESS and PerSEval rank the systems under a measure."""

    measure: str
    coefficient: str
    n: int
    estimate: float | None
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AggregationRow:
    """Agreement with PerSEval-HJ of PerSEval (`metric`), of an accuracy measure, and of both combined.

    `shared` names what people's side has in common with PerSEval whatever raters say, `accuracy_shared` with
    accuracy, `combined_shared` with both combined.
    """

    surrogate: str
    measure: str
    accuracy: str
    coefficient: str
    metric: float | None
    accuracy_alone: float | None
    combined: float | None
    shared: str | None = None
    accuracy_shared: str | None = None
    combined_shared: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AblationRow:
    """Agreement of PerSEval with PerSEval-HJ where `beta` changes on both sides; `shared` as elsewhere."""

    surrogate: str
    measure: str
    scope: str
    beta: float
    coefficient: str
    n: int
    estimate: float | None
    reason: str | None
    shared: str | None = None

    @property
    def shared_input(self) -> bool:
        """Whether both sides rest on distances by the same measure."""
        return "distances" in (self.shared or "")
