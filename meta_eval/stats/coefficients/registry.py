"""The coefficients, one row each: what each is called, where it lies, and how it is computed.

A new coefficient is one more name in `Coefficient` and one more row of `_ROWS`; the command line, the forms,
reports, tables and figures take theirs from here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.stats.coefficients import features, normal
from meta_eval.stats.coefficients.normal import NormalCurves

Coefficient = Literal["pearson", "spearman", "kendall", "kendall-c", "pairwise-accuracy"]
Function = Callable[[FloatArray, FloatArray], float]
RowFunction = Callable[[FloatArray, FloatArray], FloatArray]
Features = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True)
class CoefficientInfo:
    """One coefficient.

    title, latex, plain: its name on a page, in LaTeX, and in plain letters within a sentence.
    compute: of two vectors (n,) and (n,) without NaN, neither of them constant and rounding undone.
    features: turns rows of scores into vectors of which the coefficient is the cosine; or
    by_row: the coefficient of each two rows (R, n), NaN where it is undefined. With neither, `compute` is
    called for each row.
    lowest, highest, chance: its range, and its value where the two sides have nothing to do with each other.
    usual: every table shows it; the others are there for those who ask, of whom `explained` tells what for.
    without_ties: what it is, but for scale, where no scores are tied; None for neither.
    times_tau: it is a multiple of tau-b under every pairing of the two sides, with ties, too.
    of_constant: it has a value where one side is constant: a tie is an answer, too.
    counts_ties: a tie is no missing order, so systems drawn twice, which tie, would change it.
    fisher: a, b and c of the variance of Fisher's z, (a + b r^2) / (n - c).
    normal: what it is expected to be in a normal population without ties, and back.
    over_systems: the interval about other systems, of which there are too few to resample.
    """

    id: Coefficient
    title: str
    latex: str
    plain: str
    compute: Function
    normal: NormalCurves
    features: Features | None = None
    by_row: RowFunction | None = None
    explained: str = ""
    lowest: float = -1.0
    highest: float = 1.0
    chance: float = 0.0
    usual: bool = False
    without_ties: Literal["rho", "tau"] | None = None
    times_tau: bool = False
    of_constant: bool = False
    counts_ties: bool = False
    fisher: tuple[float, float, int] | None = None
    over_systems: Literal["fisher", "esscher", "bca"] = "bca"

    @property
    def symbol(self) -> str:
        """Its letter in plain letters, such as tau-b."""
        return self.plain.split()[-1]

    def share_of_range(self, estimate: float) -> float:
        """Where in its range an estimate lies: 0 for the lowest, 1 for the highest."""
        return (estimate - self.lowest) / (self.highest - self.lowest)

    def at_share(self, share: float) -> float:
        """The estimate there."""
        return self.lowest + (self.highest - self.lowest) * share


def _pairwise_accuracy(x: FloatArray, y: FloatArray) -> float:
    """The share of pairs of systems that both sides order alike or both tie (Deutsch et al. 2023, acc_eq)."""
    first, second = np.triu_indices(len(x), 1)
    return float(np.mean(np.sign(x[first] - x[second]) == np.sign(y[first] - y[second])))


# SciPy's statistics take half a second to import: commands that only name coefficients need not wait for it.
def _pearson(x: FloatArray, y: FloatArray) -> float:
    from scipy import stats

    return float(stats.pearsonr(x, y).statistic)


def _spearman(x: FloatArray, y: FloatArray) -> float:
    from scipy import stats

    return float(stats.spearmanr(x, y).statistic)


def _tau_b(x: FloatArray, y: FloatArray) -> float:
    from scipy import stats

    return float(stats.kendalltau(x, y, variant="b").statistic)


def _tau_c(x: FloatArray, y: FloatArray) -> float:
    from scipy import stats

    return float(stats.kendalltau(x, y, variant="c").statistic)


_ROWS = (
    CoefficientInfo(
        "pearson",
        title="Pearson’s r",
        latex="Pearson's $r$",
        plain="Pearson's r",
        compute=_pearson,
        features=features.centred,
        usual=True,
        normal=normal.PEARSON,
        fisher=(1.0, 0.0, 3),  # Fisher 1921
        over_systems="fisher",
    ),
    CoefficientInfo(
        "spearman",
        title="Spearman’s ρ",
        latex=r"Spearman's $\rho$",
        plain="Spearman's rho",
        compute=_spearman,
        features=features.centred_ranks,
        usual=True,
        without_ties="rho",
        normal=normal.SPEARMAN,
        fisher=(1.0, 0.5, 3),  # Bonett and Wright 2000
        over_systems="fisher",
    ),
    CoefficientInfo(
        "kendall",
        title="Kendall’s τ-b",
        latex=r"Kendall's $\tau_b$",
        plain="Kendall's tau-b",
        compute=_tau_b,
        features=features.signs,
        usual=True,
        without_ties="tau",
        times_tau=True,
        normal=normal.KENDALL,
        fisher=(0.437, 0.0, 4),  # Fieller et al. 1957
        over_systems="esscher",
    ),
    CoefficientInfo(
        "kendall-c",
        title="Kendall’s τ-c",
        latex=r"Kendall's $\tau_c$",
        plain="Kendall's tau-c",
        explained="Kendall’s τ-c, for scores with unequal numbers of ties",
        compute=_tau_c,
        by_row=features.tau_c_rows,
        without_ties="tau",
        times_tau=True,
        normal=normal.KENDALL,
        counts_ties=True,
        over_systems="esscher",
    ),
    CoefficientInfo(
        "pairwise-accuracy",
        title="Pairwise accuracy",
        latex="Pairwise accuracy",
        plain="the pairwise accuracy with ties",
        explained="Pairwise accuracy with ties: the share of pairs of systems ordered alike",
        compute=_pairwise_accuracy,
        normal=normal.ACCURACY,
        features=features.one_of_three,
        lowest=0.0,
        chance=0.5,
        without_ties="tau",
        of_constant=True,
        counts_ties=True,
        over_systems="esscher",
    ),
)

REGISTRY: Mapping[Coefficient, CoefficientInfo] = {row.id: row for row in _ROWS}
"""Every coefficient by its id."""
ALL_COEFFICIENTS: tuple[Coefficient, ...] = tuple(REGISTRY)
COEFFICIENTS: tuple[Coefficient, ...] = tuple(row.id for row in _ROWS if row.usual)
"""What every table shows."""
MORE_COEFFICIENTS: tuple[Coefficient, ...] = tuple(row.id for row in _ROWS if not row.usual)
"""What tables show for those who ask."""
AS_SHOWN: tuple[Coefficient, ...] = (*reversed(COEFFICIENTS), *MORE_COEFFICIENTS)
"""The order in which readers see them: ranks before values, because systems are compared by order."""
