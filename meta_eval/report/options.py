"""What a report is asked for: the options of its scores, and those of its statistics."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from meta_eval.distances.computing import Normalise
from meta_eval.errors import InputError, wrong_type
from meta_eval.measures import Measure, measure_ids, parse_measure
from meta_eval.measures.base import Mode, Preprocess
from meta_eval.measures.built_in import BUILT_IN
from meta_eval.measures.given import DistanceBook, GivenDistances
from meta_eval.measures.registry import measure_class, no_such_measure, require_one_each
from meta_eval.measures.words.tokenisers import Tokeniser
from meta_eval.report.primary import Primary
from meta_eval.scores.contributions import OPTIONS_BEFORE, ScoreOptions
from meta_eval.scores.penalties import P_ACC, AccuracyPenalty
from meta_eval.scores.perseval import (
    DEFAULT_ALPHA,
    DEFAULT_BETA,
    DEFAULT_GAMMA,
    EdpReaders,
    PenaltyOptions,
    choose_edp_readers,
)
from meta_eval.stats.coefficients.correlation import check_coefficients
from meta_eval.stats.coefficients.registry import COEFFICIENTS, Coefficient
from meta_eval.stats.resampling.shuffling import DEFAULT_SHUFFLES
from meta_eval.stats.significance.adjustment import Adjustment, check_adjustment
from meta_eval.stats.table.resampled import INTERVALS, Intervals, Resampled
from meta_eval.stats.table.schemes import check_resampled

REPORT_RESAMPLES = 2_000
ITEM_RESAMPLES = REPORT_RESAMPLES
"""At most so many resamples where a coefficient is over items, whatever a report asks for. Kendall's tau of
thousands of items costs far more than any other coefficient; more draws move its interval little."""
RESAMPLES = (1_000, 100_000)
"""The fewest and the most resamples that make sense: tails of 2.5 % need some, memory bears no more."""

UNLESS_ASKED: Mapping[str, Any] = {"primary": None, "stability_replacement": False}
"""Options that came later, and what they are in a report that does not name them."""
ASKED = ("resamples", "seed", "resampled", "level", "adjustment", "coefficients", "families", *UNLESS_ASKED)
"""Options that a report asks for; the others have one value for all reports."""


Part = tuple[str, str]
"""Side (automatic or human) and the measure, perhaps with options."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportOptions:
    """What the scores of a report depend on besides texts and ratings.

    `min_raters` None: a pair needs all the ratings that it is meant to have. `tokeniser` None: words are
    found as the language of the corpus asks. `edp_readers` None: those of the `mode`. Each measure stands
    once; raises `InputError` for none, for one with two sets of options, and for readers that are not known.
    """

    measures: Sequence[str]
    surrogates: Sequence[str]
    min_raters: int | None = None
    normalise: Normalise = "document"
    beta: float = DEFAULT_BETA
    mode: Mode = "paper"
    preprocess: Preprocess | None = None
    edp_readers: EdpReaders | None = None
    alpha: float = DEFAULT_ALPHA
    gamma: float = DEFAULT_GAMMA
    p_acc_alpha: float = P_ACC.alpha
    p_acc_beta: float = P_ACC.beta
    tokeniser: Tokeniser | None = None

    def __post_init__(self) -> None:
        for side in ("measures", "surrogates"):
            object.__setattr__(self, side, _each_once(getattr(self, side)))
        object.__setattr__(self, "edp_readers", choose_edp_readers(self.edp_readers, self.mode))

    @property
    def asked(self) -> dict[str, Any]:
        """All of it, as a report's `options` hold it."""
        return {**asdict(self), "measures": list(self.measures), "surrogates": list(self.surrogates)}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "ReportOptions":
        """From the `options` of a report, which hold more than these, and in older reports fewer."""
        known = {**OPTIONS_BEFORE, **record}
        return cls(**{name: known[name] for name in cls.__slots__})

    @property
    def parts(self) -> list[Part]:
        """What the report joins, in the order of the page."""
        return [("automatic", spec) for spec in self.measures] + [("human", spec) for spec in self.surrogates]

    @property
    def score_options(self) -> ScoreOptions:
        return ScoreOptions(
            penalty=PenaltyOptions(self.alpha, self.beta, self.gamma),
            edp_readers=self.edp_readers,
            p_acc=AccuracyPenalty(self.p_acc_alpha, self.p_acc_beta),
        )

    def measure(self, spec: str) -> Measure:
        """Raises MeasureError where it cannot be made here."""
        return parse_measure(spec, mode=self.mode, preprocess=self.preprocess, tokeniser=self.tokeniser)


def choose_measures(specs: Sequence[str]) -> list[str]:
    """The measures, each once; whether one can run is found out where it runs.

    Raises `InputError` for none, for one that does not exist, and for one with two sets of options.
    """
    chosen, known = _each_once(specs), measure_ids()
    if unknown := [name for name in map(measure_id, chosen) if name not in known]:
        raise InputError(no_such_measure(", ".join(unknown)))
    return list(chosen)


def _each_once(specs: Sequence[str]) -> tuple[str, ...]:
    if isinstance(specs, str) or not all(isinstance(one, str) for one in specs):
        raise wrong_type("measures and surrogates", 'lists of ids such as "rouge-l"', specs)
    chosen = tuple(dict.fromkeys(specs))
    if not chosen:
        raise InputError("Choose at least one.")
    require_one_each([measure_id(spec) for spec in chosen])
    return chosen


def measure_id(spec: str) -> str:
    """The measure that a specification names, without its options."""
    return spec.partition(":")[0].strip()


def given_books(options: Mapping[str, Any]) -> list[DistanceBook]:
    """The distances from outside among the measures and surrogates of a report's `options`, each once.

    Raises MeasureError for a measure that is not there.
    """
    ids = dict.fromkeys(map(measure_id, [*options["measures"], *options["surrogates"]]))
    classes = (measure_class(name) for name in ids if name not in BUILT_IN)
    return [found.book for found in classes if issubclass(found, GivenDistances)]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableDesign:
    """What the cells of a table depend on besides scores: what is drawn, how often, and what is asked.

    `chosen` intervals stand in place of those that hold best. `families` maps systems to families, each of
    which is a population of its own; empty where all systems are one.
    """

    resampled: Resampled
    resamples: int
    level: float
    adjustment: Adjustment = "holm"
    coefficients: tuple[Coefficient, ...] = COEFFICIENTS
    chosen: Intervals | None = None
    families: Mapping[str, str] = field(default_factory=dict)

    @property
    def intervals(self) -> Intervals:
        return INTERVALS[self.resampled] if self.chosen is None else self.chosen


@dataclass(frozen=True, kw_only=True, slots=True)
class InferenceOptions:
    """What all numbers of an inference depend on besides its inputs.

    `resampled` says what the intervals are about: other documents, systems or raters, or two of these.
    `coefficients` are those of every table: the usual `COEFFICIENTS` and the primary one are added to those
    that are given. `families` maps systems to families, empty where there are none. `primary` is the
    declared coefficient, None where none was declared. `alpha`
    is where the report draws the line between what differs and what may be chance. `stability_replacement`:
    samples of the study of stability may hold a document twice, as PerSEval 7.2 draws them.
    """

    seed: int = 0
    resamples: int = REPORT_RESAMPLES
    level: float = 0.95
    resampled: Resampled = "documents"
    adjustment: Adjustment = "holm"
    coefficients: Sequence[Coefficient] = COEFFICIENTS
    families: Mapping[str, str] = field(default_factory=dict)
    splits: int = 200
    simulations: int = 500
    agreement_resamples: int = 2_000
    shuffles: int = DEFAULT_SHUFFLES
    alpha: float = 0.05
    primary: Primary | None = None
    stability_replacement: bool = False

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "InferenceOptions":
        """From the `options` of a report, which hold more than these, and in older reports fewer."""
        asked = {name: record[name] for name in ASKED if name in record}
        return cls(**{**asked, "primary": Primary.from_record(asked.get("primary"))})

    def __post_init__(self) -> None:
        check_resampled(self.resampled)
        check_adjustment(self.adjustment)
        primary = [self.primary.coefficient] if self.primary else []
        every = check_coefficients([*COEFFICIENTS, *self.coefficients, *primary])
        object.__setattr__(self, "coefficients", every)
        if not 0.0 < self.level < 1.0:
            raise InputError(f"level must be between 0 and 1, not {self.level}")
        if self.resamples < 1 or self.seed < 0:
            raise InputError("resamples must be at least 1, the seed at least 0")

    def as_dict(self) -> dict[str, Any]:
        """All of it as it reads back from JSON."""
        return {
            **asdict(self),
            "coefficients": list(self.coefficients),
            "families": dict(self.families),
            "primary": _with_lists(asdict(self.primary)) if self.primary else None,
        }

    @property
    def asked(self) -> dict[str, Any]:
        """What is chosen for a report, as its `options` hold it: what came later only where it was chosen."""
        asked = {name: value for name, value in self.as_dict().items() if name in ASKED}
        return {
            name: value
            for name, value in asked.items()
            if name not in UNLESS_ASKED or value != UNLESS_ASKED[name]
        }

    @property
    def design(self) -> TableDesign:
        """What a table of coefficients needs to know."""
        return TableDesign(
            resampled=self.resampled,
            resamples=self.resamples,
            level=self.level,
            adjustment=self.adjustment,
            coefficients=tuple(self.coefficients),
            families=self.families,
        )


def _with_lists(record: Mapping[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in record.items()}
