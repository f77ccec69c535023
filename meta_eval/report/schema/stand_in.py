"""Rows on language models that rated what people rated: what rests on people, and what on a model."""

from collections.abc import Mapping
from dataclasses import dataclass

from meta_eval.report.schema.coefficients import LimitedRow
from meta_eval.report.schema.further import Unanswered
from meta_eval.report.schema.studies import includes_chance
from meta_eval.stats.raters.agreement_sums import ALPHA
from meta_eval.stats.raters.alternative import Alignment, Variant

MIXED = "mixed"
"""The question what a mixed survey would buy, which has to be asked for."""
LEANINGS: Mapping[str, str] = {
    "position": "points that a pair gets more in the order of its readers than changed over",
    "severity": "points that the model gives more than people, on average",
    "length difference": "points that it gives more than people, for each doubling of the ratio of the two "
    "lengths",
    "length": "points that it gives more than people, for each doubling of the mean length",
    "equal texts": "share of pairs of equal texts, rated by people too, that it does not rate as most alike",
    "equal texts, people": "the same share of people's ratings of these pairs",
    "drift": "points that a rating gains from one draw to the next",
    "spread of draws": "standard deviation over the draws of one question, on average",
}
"""What each leaning is, in points of the scale unless it is a share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StandInCoefficient:
    """A coefficient of agreement over pairs of ratings, with its interval over documents."""

    coefficient: str
    title: str
    estimate: float | None
    ci_low: float | None
    ci_high: float | None
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StandInAgreement:
    """Two ratings of a pair, `pairs_of_ratings` times: of the model and a person, or of two people."""

    pairs_of_ratings: int
    coefficients: tuple[StandInCoefficient, ...]

    @property
    def may_be_chance(self) -> bool:
        """Whether the interval of alpha does not exclude chance; False where there is no interval."""
        alpha = next((row for row in self.coefficients if row.coefficient == ALPHA), None)
        return alpha is not None and includes_chance(alpha.ci_low)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgainstRaterRow:
    """The model against one rater over `items`: how often each is at least as close to the others.

    In a report `rater` is a number: who it is, is nobody's business.
    """

    rater: str
    items: int
    model_advantage: float
    rater_advantage: float
    p_value: float
    p_adjusted: float
    wins: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AlternativeTestResult:
    """The alternative annotator test: `winning_rate` is omega, `advantage` rho.

    Both, and `passes`, are None with a `reason` where there are too few raters with enough items; `too_few`
    counts raters left out for that. `variant` is "leave one out", or "single expert" for the paper's variant
    in which one rater's ratings count as right.
    """

    variant: Variant
    epsilon: float
    alignment: Alignment
    winning_rate: float | None
    advantage: float | None
    passes: bool | None
    reason: str | None
    raters: tuple[AgainstRaterRow, ...]
    too_few: int
    items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedSurveyRow:
    """A human score of one system from people alone, and from people and a model (prediction-powered).

    `people_documents` have ratings of both, `model_documents` of the model alone. `correlation` is that of
    both over documents, `weight` that of the model's ratings (lambda). `equal_documents` is how many people
    alone would have to rate for an interval as narrow, `saved` the share of their ratings that the
    model saves. `planned_documents` are those of the corpus that no person rated, `planned_saved` the share
    that is expected to be saved if the model rated them all. `reason` says why there is no mixed estimate.
    """

    human: str
    surrogate: str
    system: str
    people_documents: int
    model_documents: int
    correlation: float | None
    people_estimate: float | None
    people_low: float | None
    people_high: float | None
    mixed_estimate: float | None = None
    mixed_low: float | None = None
    mixed_high: float | None = None
    weight: float | None = None
    equal_documents: float | None = None
    saved: float | None = None
    planned_documents: int = 0
    planned_saved: float | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaningRow:
    """One way in which a model may lean to a side, over `n` values; `reason` says what is missing and why."""

    leaning: str
    estimate: float | None
    ci_low: float | None
    ci_high: float | None
    n: int
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleUseRow:
    """How often a point of the scale was given, by the model and by people, on the pairs that both rated."""

    rating: int
    model: int
    people: int
    model_share: float
    people_share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingAnswersRow:
    """How many of a model's answers are missing for a reason, and their share of all `answers`."""

    reason: str
    missing: int
    answers: int
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StandIn:
    """What is known of one model beside people.

    `pairs` are those that both rated, by `people` of them; `scored_pairs` those of the human scores that the
    model rated too, of `all_pairs`. A question without answer is empty, and in `unanswered` with why.
    """

    rater: str
    pairs: int
    people: int
    scored_pairs: int
    all_pairs: int
    agreement_with_people: StandInAgreement
    agreement_of_people: StandInAgreement
    alternative_annotator_test: AlternativeTestResult
    systems: tuple[LimitedRow, ...] = ()
    mixed: tuple[MixedSurveyRow, ...] = ()
    leanings: tuple[LeaningRow, ...] = ()
    scale_use: tuple[ScaleUseRow, ...] = ()
    missing_answers: tuple[MissingAnswersRow, ...] = ()
    unanswered: tuple[Unanswered, ...] = ()

    @property
    def asks_mixed(self) -> bool:
        """Whether somebody asked what a mixed survey would buy, answered or not."""
        return bool(self.mixed) or any(one.question == MIXED for one in self.unanswered)
