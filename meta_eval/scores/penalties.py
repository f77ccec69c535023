"""Accuracy with a penalty for lack of personalisation (protocol 5), kept for comparison with PerSEval."""

import math
from dataclasses import dataclass

from meta_eval.arrays import Numbers
from meta_eval.errors import InputError
from meta_eval.scores.logistic import logistic

DEFAULT_ALPHA, DEFAULT_BETA = 0.5, 1.0


@dataclass(frozen=True, slots=True)
class AccuracyPenalty:
    """alpha (0 to 1) and beta (above 0, at most 1) of P-Acc; raises `InputError` for another."""

    alpha: float = DEFAULT_ALPHA
    beta: float = DEFAULT_BETA

    def __post_init__(self) -> None:
        _check(self.alpha, self.beta)


def penalised_accuracy(
    accuracy: float | None,
    egises: float | None,
    *,
    alpha: float = DEFAULT_ALPHA,
    beta: float = DEFAULT_BETA,
) -> float | None:
    """P-Acc: Acc - alpha f(beta EGISES), f the logistic function.

    Parameters
    ----------
    accuracy, egises : float or None
        A system's scores in [0, 1]; None where one is missing.
    alpha : float
        In [0, 1].
    beta : float
        Above 0, at most 1.

    Returns
    -------
    float or None
        None where either score is missing.

    Raises
    ------
    InputError
        For an alpha or beta outside its range.

    References
    ----------
    PerSEval, eq. 3; protocol 5.

    Examples
    --------
    >>> round(penalised_accuracy(0.4, 0.8), 3)
    0.055
    """
    _check(alpha, beta)
    if accuracy is None or egises is None:
        return None
    return accuracy - alpha * float(logistic(beta * egises))


def penalised_rouge(
    rouge: float | None,
    egises: float | None,
    *,
    alpha: float = DEFAULT_ALPHA,
    beta: float = DEFAULT_BETA,
) -> float | None:
    """P-ROUGE: ROUGE (1 - alpha f(beta EGISES / ROUGE)), f the logistic function.

    Parameters
    ----------
    rouge, egises : float or None
        A system's scores in [0, 1]; None where one is missing.
    alpha : float
        In [0, 1].
    beta : float
        Above 0, at most 1.

    Returns
    -------
    float or None
        0 for a ROUGE of 0, which is its limit; None where either score is missing.

    Raises
    ------
    InputError
        For an alpha or beta outside its range.

    References
    ----------
    Vansh's thesis; protocol 5.

    Examples
    --------
    >>> round(penalised_rouge(0.4, 0.8), 3)
    0.224
    """
    _check(alpha, beta)
    if rouge is None or egises is None:
        return None
    if rouge == 0.0:
        return 0.0
    return rouge * float(rouge_unit(rouge, egises, alpha=alpha, beta=beta))


def rouge_unit(
    rouge: Numbers, egises: Numbers, *, alpha: float = DEFAULT_ALPHA, beta: float = DEFAULT_BETA
) -> Numbers:
    """ROUGE_Unit, which ROUGE is multiplied by: 1 - alpha f(beta EGISES / ROUGE), f the logistic function.

    Parameters
    ----------
    rouge, egises : float or array
        In [0, 1]; `rouge` above 0.
    alpha, beta : float
        As of `penalised_rouge`.

    Returns
    -------
    float or array
        In [1 - alpha, 1 - alpha / 2]: it cannot leave this range, whatever EGISES is.

    References
    ----------
    Vansh's thesis, section 6.2; protocol 5.

    Examples
    --------
    >>> float(rouge_unit(0.4, 0.8).round(4))
    0.5596
    """
    unit: Numbers = 1.0 - alpha * logistic(beta * egises / rouge)
    return unit


def _check(alpha: float, beta: float) -> None:
    if not (math.isfinite(alpha) and 0.0 <= alpha <= 1.0):
        raise InputError(f"alpha must be from 0 to 1, not {alpha}")
    if not (math.isfinite(beta) and 0.0 < beta <= 1.0):
        raise InputError(f"beta must be above 0 and at most 1, not {beta}")


P_ACC = AccuracyPenalty()
"""Alpha and beta of P-Acc where nobody chose others."""
