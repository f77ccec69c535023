"""A mean from few ratings of people and many of a model (prediction-powered inference, PPI++).

People's ratings say how far the model is off, the model's ratings say what the units are like that no person
rated. The interval holds whatever the model is: a useless one gets no weight, a biased one is corrected.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import scipy

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.errors import InputError

LEAST_UNITS = 10
"""Fewer rated by people say too little of how far the model is off."""
_LEAST_OF_STRATUM = 2
_LEAST_EXPECTED = 3


@dataclass(frozen=True, slots=True)
class MeanInterval:
    """A mean with its interval."""

    estimate: float
    low: float
    high: float

    @property
    def width(self) -> float:
        return self.high - self.low


@dataclass(frozen=True, slots=True)
class PredictionPowered:
    """`people` rests on people's ratings alone, `mixed` on both.

    `weight` is that of the model's ratings (lambda), `correlation` that of people and model over the
    `people_units` that both rated; `model_units` are those of the model alone. `equal_units` is how many
    units people alone would have to rate for an interval as narrow as the mixed one.
    """

    people: MeanInterval
    mixed: MeanInterval
    weight: float
    correlation: float
    people_units: int
    model_units: int
    equal_units: float

    @property
    def saved(self) -> float:
        """Share of people's ratings that the model's save at equal width; below 0 where they cost some."""
        return 1.0 - self.people_units / self.equal_units


@dataclass(frozen=True, slots=True)
class _Stratum:
    """The units of one stratum, with its share of all."""

    people: FloatArray
    model: FloatArray
    alone: FloatArray
    share: float

    @property
    def covariance(self) -> float:
        return float(np.cov(self.people, self.model)[0, 1])

    @property
    def model_variance(self) -> float:
        """Of the model's ratings of all units."""
        return float(np.concatenate([self.model, self.alone]).var(ddof=1))

    @property
    def rates(self) -> float:
        """By which the model's variance enters that of the estimate, for a weight of 1."""
        return 1.0 / len(self.people) + 1.0 / len(self.alone)


def prediction_powered_mean(
    people: FloatArray,
    model: FloatArray,
    model_alone: FloatArray,
    *,
    strata: Sequence[Hashable] | None = None,
    strata_alone: Sequence[Hashable] | None = None,
    level: float = 0.95,
) -> PredictionPowered:
    """The mean over all units, from people's ratings of some and a model's of all.

    The units that people rated must be drawn at random from all of them, or from all of their stratum, and
    the model must have rated both kinds in the same way.

    Parameters
    ----------
    people, model : arrays (n,)
        What people and the model give to the units that both rated; no value is missing.
    model_alone : array (N,)
        What the model gives to the units that no person rated.
    strata, strata_alone : sequences (n,) and (N,), optional
        The stratum of each unit; each is weighted by its share of all units.
    level : float
        How often the intervals shall hold the mean, from 0 to 1.

    Returns
    -------
    PredictionPowered
        The weight of the model minimises the variance of the estimate. Intervals are of Student's t; one
        degree of freedom is the weight's.

    Raises
    ------
    InputError
        For fewer than 10 units rated by people, for no unit of the model alone, for strata of which a side
        has fewer than 2 units, and for values that are missing.

    References
    ----------
    Angelopoulos et al. (2023), Prediction-powered inference; Angelopoulos, Duchi and Zrnic (2023), PPI++,
    section 6; Fisch et al. (2024), Stratified prediction-powered inference.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.normal(size=220)
    >>> found = prediction_powered_mean(truth[:20], truth[:20] + 1, truth[20:] + 1)
    >>> round(found.correlation, 3), found.mixed.width < found.people.width, found.saved > 0.8
    (1.0, True, True)
    """
    arrays = [np.asarray(values, dtype=np.float64) for values in (people, model, model_alone)]
    _check(*arrays)
    found = list(_cut(arrays[0], arrays[1], arrays[2], strata, strata_alone))
    weight = _weight(found)
    n, count = len(arrays[0]), len(found)
    alone = _interval(found, 0.0, n - count, level)
    mixed = _interval(found, weight, n - count - 1, level)
    ratio = alone.width / mixed.width if mixed.width else np.inf
    return PredictionPowered(
        people=alone,
        mixed=mixed,
        weight=weight,
        correlation=_correlation(found),
        people_units=n,
        model_units=len(arrays[2]),
        equal_units=float(n * ratio**2),
    )


def expected_width(correlation: float, people_units: int, model_units: int, *, level: float = 0.95) -> float:
    """How wide a mixed interval is expected to be beside that of people alone; above 1 where it costs some.

    Parameters
    ----------
    correlation : float
        Of people and model over units, from -1 to 1, as the scale with its steps shows it.
    people_units, model_units : int
        Units that people rate, 3 or more, and those that the model rates alone.
    level : float
        Of both intervals.

    Returns
    -------
    float
        The root of 1 - r^2 N / (n + N), with what few units add: the weight is estimated (to the order of
        1 / n), takes a degree of freedom, and Student's t has one less. 1 without units of the model alone.

    Raises
    ------
    InputError
        For fewer than 3 units of people.

    References
    ----------
    Angelopoulos, Duchi and Zrnic (2023), PPI++, section 6: the variance at the best weight.

    Examples
    --------
    >>> round(expected_width(0.8, 30, 90), 3)
    0.737
    """
    n = people_units
    if n < _LEAST_EXPECTED:
        raise InputError(
            f"people rate {n} units; {_LEAST_EXPECTED} are needed for an interval to be expected"
        )
    if not model_units:
        return 1.0
    share, squared = model_units / (n + model_units), correlation**2
    covariance = squared + (1.0 + squared) / (n - 1)  # mean of its square, both sides in standard deviations
    times_variance = squared + (1.0 + 5.0 * squared) / (n - 1)  # of that times the model's variance
    of_rest = (1.0 - 2.0 * share * covariance + share**2 * times_variance) * (n - 1) / (n - 2)
    of_model = share**2 * covariance * n / model_units
    mixed, alone = (float(scipy.stats.t.ppf((1.0 + level) / 2.0, freedom)) for freedom in (n - 2, n - 1))
    return sqrt(of_rest + of_model) * mixed / alone


def shrunk_correlation(correlation: float, units: int) -> float:
    """The correlation by the adjusted R squared: few units show more of it than there is.

    Parameters
    ----------
    correlation : as found, from -1 to 1
    units : how many it was found over

    Returns
    -------
    float : nearer to 0, never on its other side; 0 for two units or fewer

    References
    ----------
    Wherry (1931): the adjusted R squared.

    Examples
    --------
    >>> round(shrunk_correlation(0.5, 12), 3), shrunk_correlation(0.1, 12)
    (0.418, 0.0)
    """
    if units <= 2:
        return 0.0
    squared = 1.0 - (1.0 - correlation**2) * (units - 1) / (units - 2)
    return float(np.copysign(sqrt(max(squared, 0.0)), correlation)) if squared > 0 else 0.0


def _check(people: FloatArray, model: FloatArray, alone: FloatArray) -> None:
    if people.shape != model.shape or people.ndim != 1 or alone.ndim != 1:
        raise InputError(
            f"{people.shape} ratings of people and {model.shape} of the model are not of the same units"
        )
    if not all(np.isfinite(values).all() for values in (people, model, alone)):
        raise InputError("a rating is missing: leave its unit out")
    if len(people) < LEAST_UNITS:
        raise InputError(
            f"people and the model rated {len(people)} units both; {LEAST_UNITS} are needed to say how far "
            "the model is off"
        )
    if len(alone) < _LEAST_OF_STRATUM:
        raise InputError("the model rated no units beyond those that people rated, so it adds nothing")


def _cut(
    people: FloatArray,
    model: FloatArray,
    alone: FloatArray,
    strata: Sequence[Hashable] | None,
    strata_alone: Sequence[Hashable] | None,
) -> Iterator[_Stratum]:
    """The strata; without any, all units are one."""
    if (strata is None) != (strata_alone is None):
        raise InputError("strata are needed of all units, or of none")
    named = list(strata if strata is not None else [None] * len(people))
    named_alone = list(strata_alone if strata_alone is not None else [None] * len(alone))
    if (len(named), len(named_alone)) != (len(people), len(alone)):
        raise InputError("there must be one stratum for each unit")
    everything = len(people) + len(alone)
    for name in dict.fromkeys([*named, *named_alone]):
        of_both, of_model = _at(named, name), _at(named_alone, name)
        if min(len(of_both), len(of_model)) < _LEAST_OF_STRATUM:
            raise InputError(
                f"stratum {name!r} has {len(of_both)} units of people and {len(of_model)} of the model "
                f"alone; {_LEAST_OF_STRATUM} of each are needed: join strata"
            )
        share = (len(of_both) + len(of_model)) / everything
        yield _Stratum(people[of_both], model[of_both], alone[of_model], share)


def _at(names: Sequence[Hashable], name: Hashable) -> IntArray:
    return np.flatnonzero([one == name for one in names])


def _weight(strata: Sequence[_Stratum]) -> float:
    """Of the model, one for all strata: it minimises the variance of the estimate."""
    shared = sum(one.share**2 * one.covariance / len(one.people) for one in strata)
    varied = sum(one.share**2 * one.model_variance * one.rates for one in strata)
    return shared / varied if varied > 0 else 0.0


def _interval(strata: Sequence[_Stratum], weight: float, freedom: int, level: float) -> MeanInterval:
    n = sum(len(one.people) for one in strata)
    spent = (n - len(strata)) / freedom  # what the estimated weight takes of the degrees of freedom
    estimate = variance = 0.0
    for one in strata:
        rest = one.people - weight * one.model
        estimate += one.share * float(rest.mean() + weight * one.alone.mean())
        of_rest = float(rest.var(ddof=1)) / len(rest) * spent
        of_model = weight**2 * float(one.alone.var(ddof=1)) / len(one.alone)
        variance += one.share**2 * (of_rest + of_model)
    half = float(scipy.stats.t.ppf((1.0 + level) / 2.0, freedom)) * sqrt(variance)
    return MeanInterval(estimate, estimate - half, estimate + half)


def _correlation(strata: Sequence[_Stratum]) -> float:
    """Within strata; 0 where a side never varies."""
    ours, theirs = (
        np.concatenate([values - values.mean() for values in side])
        for side in ([one.people for one in strata], [one.model for one in strata])
    )
    scale = sqrt(float(ours @ ours) * float(theirs @ theirs))
    return float(ours @ theirs) / scale if scale > 0 else 0.0
