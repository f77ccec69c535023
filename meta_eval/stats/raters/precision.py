"""What a planned survey will buy: how far a correlation moves with its documents and raters.

A system's human score is its true one, plus what its documents do to it, plus its raters' errors, averaged:

    h_m = q_m + N(0, interaction_sd^2 / (D P)) + N(0, error_sd^2 / (D P R))

for D documents, P reader pairs and R raters; the measure's score correlates with q over systems as stated.
All in scale points. What all systems share, such as a document's difficulty, moves no correlation.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.corpus.documents import GOLD
from meta_eval.errors import InputError
from meta_eval.ratings.rating import RatedPair, Rating
from meta_eval.stats.coefficients.registry import COEFFICIENTS, Coefficient
from meta_eval.stats.raters.untied import Untied, slices

LEAST_PAIRS = 20
"""Fewer pairs with two ratings than this say little about raters' errors."""


@dataclass(frozen=True, slots=True)
class Assumptions:
    """Standard deviations in scale points: of systems' true scores, of what a document and reader pair adds
    to one system, of one rating; and true correlations over systems, in (-1, 1).

    `correlation` is that of the measure with the human score, `other` that of a second measure, `between`
    that of the two measures; None is `correlation` x `other`: all they share is what people see, too.
    """

    system_sd: float = 0.5
    interaction_sd: float = 0.8
    error_sd: float = 1.0
    correlation: float = 0.7
    other: float = 0.4
    between: float | None = None

    def __post_init__(self) -> None:
        if self.system_sd <= 0 or min(self.interaction_sd, self.error_sd) < 0:
            raise InputError("systems must differ, and no standard deviation is below 0")
        for value in (self.correlation, self.other, self.shared):
            if not -1 < value < 1:
                raise InputError(f"a correlation lies between -1 and 1, not at {value}")
        if np.linalg.eigvalsh(self.matrix)[0] <= 0:
            raise InputError(
                f"two measures that agree {self.correlation} and {self.other} with people "
                f"cannot agree {self.shared} with each other"
            )

    @property
    def shared(self) -> float:
        """How far the two measures agree with each other."""
        return self.correlation * self.other if self.between is None else self.between

    @property
    def matrix(self) -> FloatArray:
        """(3, 3): true correlations of the human score, the measure and the second measure."""
        first, second, both = self.correlation, self.other, self.shared
        return np.array([[1.0, first, second], [first, 1.0, both], [second, both, 1.0]])

    def noise_sd(self, size: "SurveySize") -> float:
        """The standard deviation of a system's mean rating around its true one, in a survey of this size."""
        pairs = size.documents * size.reader_pairs
        return float(np.sqrt(self.interaction_sd**2 / pairs + self.error_sd**2 / (pairs * size.raters)))


@dataclass(frozen=True, slots=True)
class SurveySize:
    """How much of a survey is rated: `InputError` for a number below 1."""

    documents: int
    reader_pairs: int
    raters: int

    def __post_init__(self) -> None:
        if min(self.documents, self.reader_pairs, self.raters) < 1:
            raise InputError("documents, reader pairs and raters are at least 1 each")


@dataclass(frozen=True, slots=True)
class Precision:
    """A coefficient expected, and its central 95 % range (`low` to `high`), averaged over sets of systems.

    `width` is that range: documents and raters are drawn anew, the systems stay as they are; `width_systems`
    with other systems drawn too, which documents and raters narrow little and never to nothing.
    """

    expected: float
    low: float
    high: float
    width: float
    width_systems: float


def simulate_precision(
    assumptions: Assumptions,
    *,
    systems: int,
    documents: int,
    reader_pairs: int,
    raters: int,
    seed: int = 0,
    surveys: int = 400,
    sets: int = 100,
    others: int = 4_000,
) -> dict[Coefficient, Precision]:
    """Simulate `surveys` surveys of each of `sets` sets of systems, and one of each of `others` more sets.

    Every coefficient sees the same ones.

    Parameters
    ----------
    assumptions : about systems, documents, raters and the measure
    systems, documents, reader_pairs, raters : of the survey; 3 systems or more, 1 or more of the others
    seed : of the simulation
    surveys : how many of each set of systems
    sets : of systems, each seen in so many surveys
    others : sets of systems that are seen in one survey each

    Returns
    -------
    dict of `Precision` by coefficient

    Raises
    ------
    InputError : for a survey that no correlation comes of

    References
    ----------
    The model is this project's own, stated at the head of this module.

    Examples
    --------
    >>> survey = {"systems": 8, "reader_pairs": 3, "raters": 2, "surveys": 50, "sets": 20}
    >>> few, many = (simulate_precision(Assumptions(), documents=count, **survey) for count in (5, 50))
    >>> few["kendall"].width > many["kendall"].width
    True
    """
    check_systems(systems)
    noise_sd = assumptions.noise_sd(SurveySize(documents, reader_pairs, raters))
    rng = np.random.default_rng(seed)
    human, metric = (side[:, None] for side in _draw_systems(rng, assumptions, sets, systems))
    same = []
    for some in slices(sets, each=surveys, systems=systems):
        noise = noise_sd * rng.standard_normal((len(human[some]), surveys, systems))
        same.append(Untied(human[some] + noise).correlate(Untied(metric[some])))
    human, metric = _draw_systems(rng, assumptions, others, systems)
    human = human + noise_sd * rng.standard_normal((others, systems))
    other = [
        Untied(human[some]).correlate(Untied(metric[some]))
        for some in slices(others, each=1, systems=systems)
    ]
    return {
        name: _summarise(*(np.concatenate([part[name] for part in parts]) for parts in (same, other)))
        for name in COEFFICIENTS
    }


def check_systems(systems: int) -> None:
    """Raises `InputError` for so few that no correlation comes of them."""
    if systems < 3:
        raise InputError(f"a correlation over {systems} systems says nothing; at least 3 are needed")


def _draw_systems(
    rng: np.random.Generator, assumptions: Assumptions, sets: int, systems: int
) -> tuple[FloatArray, FloatArray]:
    """Their true human scores, in scale points, and the measure's, each (sets, systems)."""
    rho = assumptions.correlation
    true = rng.standard_normal((sets, systems))
    measure = rho * true + np.sqrt(1 - rho**2) * rng.standard_normal((sets, systems))
    return assumptions.system_sd * true, measure


def _summarise(same: FloatArray, other: FloatArray) -> Precision:
    """Of the coefficients by set of systems and survey (sets, surveys), and of other sets (others,)."""
    low, high = np.quantile(same, [0.025, 0.975], axis=1)
    everything = np.quantile(other, [0.025, 0.975])
    return Precision(
        expected=float(np.mean(np.median(same, axis=1))),
        low=float(np.mean(low)),
        high=float(np.mean(high)),
        width=float(np.mean(high - low)),
        width_systems=float(everything[1] - everything[0]),
    )


def estimate_assumptions(
    ratings: Iterable[Rating],
    *,
    correlation: float = 0.7,
    other: float = 0.4,
    between: float | None = None,
) -> Assumptions:
    """The standard deviations that ratings at hand suggest, by the method of moments; the rest as given.

    Error: the variance within pairs, gold among them, raters' severity included. Interaction: that of the
    systems' pairs around their systems and reader pairs, less the error in it. Systems: that of their means,
    less both. Gold pairs are no system: they lie far from all of them and would make them differ more.

    Parameters
    ----------
    ratings : of the same documents and reader pairs for all systems, some pairs by two raters or more
    correlation, other, between : as in `Assumptions`; ratings do not tell them

    Returns
    -------
    Assumptions : standard deviations in scale points

    Raises
    ------
    InputError : where the ratings say too little: under `LEAST_PAIRS` pairs with two ratings, fewer than 3
        systems, or systems that do not differ by more than chance

    References
    ----------
    Searle, Casella and McCulloch (1992). Variance components. Wiley, chapter 4 (analysis of variance
    estimates).

    Examples
    --------
    >>> ratings = [
    ...     Rating(f"d{at}", system, "ann", "bob", rater, level + (at + level) % 2 + extra * (at % 3 == 0))
    ...     for level, system in enumerate(("A", "B", "C"), start=1)
    ...     for at in range(8)
    ...     for extra, rater in enumerate("pq")
    ... ]
    >>> round(estimate_assumptions(ratings).system_sd, 2)
    0.98
    """
    by_pair: dict[RatedPair, list[int]] = defaultdict(list)
    for rating in ratings:
        by_pair[rating.pair].append(rating.rating)
    doubled = [values for values in by_pair.values() if len(values) > 1]
    if len(doubled) < LEAST_PAIRS:
        raise InputError(f"{len(doubled)} pairs have two ratings or more, at least {LEAST_PAIRS} are needed")
    freedom = sum(len(values) - 1 for values in doubled)
    error = sum(float(np.var(values)) * len(values) for values in doubled) / freedom
    by_systems = {pair: values for pair, values in by_pair.items() if pair.system != GOLD}
    table = _pair_means(by_systems)
    if min(table.shape) < 3:
        raise InputError("at least 3 systems rated on the same 3 documents and reader pairs are needed")
    units, systems = table.shape
    residuals = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    each = float(np.mean([1 / len(values) for values in by_systems.values()]))
    rest = float((residuals**2).sum()) / ((units - 1) * (systems - 1))
    spread = float(table.mean(axis=0).var(ddof=1)) - rest / units
    if spread <= 0:
        raise InputError("the systems of these ratings do not differ by more than chance")
    return Assumptions(
        system_sd=float(np.sqrt(spread)),
        interaction_sd=float(np.sqrt(max(0.0, rest - error * each))),
        error_sd=float(np.sqrt(error)),
        correlation=correlation,
        other=other,
        between=between,
    )


def _pair_means(by_pair: dict[RatedPair, list[int]]) -> FloatArray:
    """(document and reader pair, system): mean ratings where every system was rated."""
    units: dict[tuple[str, str, str], dict[str, float]] = defaultdict(dict)
    for pair, values in by_pair.items():
        units[pair.doc_id, pair.reader_a, pair.reader_b][pair.system] = float(np.mean(values))
    names = sorted({pair.system for pair in by_pair})
    rows = [[means[name] for name in names] for means in units.values() if len(means) == len(names)]
    return np.array(rows).reshape(len(rows), len(names))
