"""The first thing a reader wants to know of a report, in plain words and with the caution that it needs."""

from collections.abc import Sequence
from itertools import accumulate
from math import isclose

from meta_eval.errors import MeasureError
from meta_eval.measures.registry import measure_class
from meta_eval.report.answerable import Rated, behind_no_answer, cannot_answer, reasons_against
from meta_eval.report.certainty import (
    certainty_cautions,
    certainty_text,
    family_cautions,
    has_certainty,
    not_told_apart,
    value_with_certainty,
    verdict,
    with_certainty,
)
from meta_eval.report.certainty import join as _join
from meta_eval.report.limits import found_families_caution
from meta_eval.report.numbers import PAGE, estimate_text, interval_text
from meta_eval.report.primary import Primary
from meta_eval.report.schema import AnsweringMeasure, CorrelationRow, Inference, Reason, ReportAnswer
from meta_eval.report.support import (
    chance_of,
    higher_without_support,
    is_tested,
    perseval_beside,
    supported,
    untested,
    value_text,
)
from meta_eval.scores.judged import JUDGED_TITLES

HUMAN, COEFFICIENT = "degress_hj", "kendall"
"""The answer is about DEGRESS, whose human side holds human input alone, by Kendall's tau-b: ranks, because
systems are compared by order. PerSEval stands beside it. Where a primary coefficient was declared, it is the
answer's, by the declared surrogate alone."""
BESIDE = "perseval_hj"

CHANCE = 0.05


def answer_in_words(
    correlations: Sequence[CorrelationRow],
    problem: str | None,
    inference: Inference | None = None,
    documents: int | None = None,
    *,
    warnings: Sequence[str] = (),
    rated: Rated | None = None,
) -> ReportAnswer:
    """The answer in words, with cautions and the measures behind it, by mean tau over the surrogates.

    With an `inference` the answer judges first whether the ratings, as far as `rated` knows of them, can
    carry one; a measure is said to agree with the raters only if shuffled ratings hardly ever reach its
    coefficient. `documents` were rated. `warnings` about the scores themselves are the first cautions.
    """
    primary = inference.primary if inference else None
    considered = _considered(correlations, HUMAN, primary)
    ranking = with_certainty(_ranking(considered), inference, score="degress")
    beside = with_certainty(_ranking(_considered(correlations, BESIDE, primary)), inference, score="perseval")
    reasons = _reasons(ranking, considered, problem, inference, rated or Rated())
    headline, why = _sentences(ranking, reasons)
    return ReportAnswer(
        HUMAN,
        primary.coefficient if primary else COEFFICIENT,
        tuple(ranking),
        f"{headline}{why}{perseval_beside(beside) if ranking else ''}",
        (
            *warnings,
            *_cautions(ranking, considered),
            *family_cautions(ranking, considered),
            *(found_families_caution(inference) if ranking else []),
            *(certainty_cautions(ranking, inference, documents) if ranking else []),
        ),
        headline,
        bool(supported(ranking)) and not reasons if is_tested(ranking) else None,
        tuple(beside),
        answerable=None if ranking and inference is None else not reasons,
        reasons=reasons,
    )


def _reasons(
    ranking: Sequence[AnsweringMeasure],
    rows: Sequence[CorrelationRow],
    problem: str | None,
    inference: Inference | None,
    rated: Rated,
) -> tuple[Reason, ...]:
    """Why there is no answer; nobody judged ratings without an inference."""
    if not ranking:
        return (Reason("nothing_compared", _no_answer(rows, problem)),)
    return reasons_against(ranking, inference, rated) if inference else ()


def _considered(
    correlations: Sequence[CorrelationRow], human: str, primary: Primary | None
) -> list[CorrelationRow]:
    wanted = (human, primary.coefficient if primary else COEFFICIENT)
    rows = [row for row in correlations if (row.human, row.coefficient) == wanted]
    return [row for row in rows if primary is None or row.surrogate == primary.surrogate]


def chance_tau(n: int) -> float | None:
    """The least |tau| that two unrelated rankings of n systems, without ties, reach in at most 5 % of cases.

    Exact, from the number of rankings with each number of pairs in order. None where even perfect agreement
    happens more often than that by chance (n < 5).
    """
    pairs = n * (n - 1) // 2
    counts = _rankings_by_inversions(n)
    total, best = sum(counts), None
    for inversions, cumulated in enumerate(accumulate(counts)):
        tau = 1 - 2 * inversions / pairs if pairs else 0.0
        if tau <= 0 or 2 * cumulated > CHANCE * total:
            break
        best = tau
    return best


def _rankings_by_inversions(n: int) -> list[int]:
    """How many rankings of n systems have 0, 1, 2, ... pairs out of order (Mahonian numbers)."""
    counts = [1]
    for size in range(2, n + 1):
        wider = [0] * (len(counts) + size - 1)
        for inversions, count in enumerate(counts):
            for more in range(size):
                wider[inversions + more] += count
        counts = wider
    return counts


def measure_title(measure: str) -> str:
    """The name by which papers call a measure; unknown ones keep their id."""
    try:
        return measure_class(measure).info.title
    except MeasureError:
        return JUDGED_TITLES.get(measure, measure)


def _ranking(rows: Sequence[CorrelationRow]) -> list[AnsweringMeasure]:
    by_measure: dict[str, list[CorrelationRow]] = {}
    for row in rows:
        if row.estimate is not None:
            by_measure.setdefault(row.measure, []).append(row)
    ranking = [_summary(measure, group) for measure, group in by_measure.items()]
    return sorted(ranking, key=lambda entry: -entry.mean)


def _summary(measure: str, rows: Sequence[CorrelationRow]) -> AnsweringMeasure:
    estimates = [row.estimate for row in rows if row.estimate is not None]
    return AnsweringMeasure(
        measure=measure,
        title=measure_title(measure),
        mean=sum(estimates) / len(estimates),
        low=min(estimates),
        high=max(estimates),
        surrogates=len(estimates),
        n=min(row.n for row in rows),
        coefficient=rows[0].coefficient,
    )


def _sentences(ranking: Sequence[AnsweringMeasure], reasons: Sequence[Reason]) -> tuple[str, str]:
    """The headline, and what stands behind it."""
    if not ranking:
        return f"No measure could be compared with the raters on DEGRESS: {reasons[0].why}.", ""
    if reasons:
        return cannot_answer(reasons), behind_no_answer(ranking, reasons)
    best = ranking[0]
    if best.mean <= chance_of(best):
        value = value_with_certainty(best) if has_certainty(ranking) else _value(best)
        return "No measure agrees with the raters.", f" The best, {_names(ranking)}, reaches {value}."
    if not has_certainty(ranking):
        highest = f"{_names(ranking)} {_highest(ranking)}: {_value(best)}."
        return highest, f"{_next(ranking[len(_tied_with_best(ranking)) :])} {untested(ranking)}"
    return _claim(supported(ranking), ranking)


def _claim(agreeing: Sequence[AnsweringMeasure], ranking: Sequence[AnsweringMeasure]) -> tuple[str, str]:
    """The measures that raters support, how sure that is, and which others may be as good."""
    best, tied = agreeing[0], _tied_with_best(agreeing)
    rest = [entry for entry in ranking if entry not in tied]
    headline = f"{_names(agreeing)} {_verb(ranking, tied)}: {value_text(best)}."
    sure = f" {certainty_text(best)}{not_told_apart(tied, rest)}.{verdict(tied)}"
    return headline, f"{sure}{higher_without_support(ranking, best)}"


def _names(ranking: Sequence[AnsweringMeasure]) -> str:
    return f"DEGRESS by {_join([entry.title for entry in _tied_with_best(ranking)])}"


def _highest(ranking: Sequence[AnsweringMeasure]) -> str:
    return (
        "has the highest coefficient"
        if len(_tied_with_best(ranking)) == 1
        else "have the highest coefficient"
    )


def _verb(ranking: Sequence[AnsweringMeasure], tied: Sequence[AnsweringMeasure]) -> str:
    if len(ranking) == 1:
        return "agrees with the raters"
    if len(tied) == 1:
        return "agrees best with the raters"
    if len(tied) == len(ranking):
        return "agree equally well with the raters"
    return "agree best with the raters, equally well"


def _tied_with_best(ranking: Sequence[AnsweringMeasure]) -> list[AnsweringMeasure]:
    return [entry for entry in ranking if isclose(entry.mean, ranking[0].mean, abs_tol=1e-12)]


def _value(entry: AnsweringMeasure) -> str:
    value = f"{value_text(entry)} over {entry.n} systems"
    if entry.surrogates == 1:
        return value
    spread = interval_text(entry.low, entry.high, PAGE)
    return f"{value} (mean over {entry.surrogates} surrogates, {spread})"


def _next(rest: Sequence[AnsweringMeasure]) -> str:
    if not rest:
        return ""
    names = _join([f"{entry.title} ({estimate_text(entry.mean, PAGE)})" for entry in rest[:2]])
    return f" {'Then comes' if len(rest) == 1 else 'Then come'} {names}."


def _no_answer(rows: Sequence[CorrelationRow], problem: str | None) -> str:
    """Why no measure could be compared."""
    reasons = list(dict.fromkeys(row.reason for row in rows if row.reason))
    return (problem or _join(reasons) or "there are no scores to compare").rstrip(".")


def _cautions(ranking: Sequence[AnsweringMeasure], rows: Sequence[CorrelationRow]) -> list[str]:
    if not ranking:
        return []
    n = min(entry.n for entry in ranking)
    # The paired test says more, and a step is one of tau.
    by_steps = not has_certainty(ranking) and ranking[0].coefficient == COEFFICIENT
    close = _close_caution(ranking, n) if by_steps else []
    return [_sample_caution(n, ranking[0].coefficient), *close, *_shared_caution(rows)]


def _sample_caution(n: int, coefficient: str) -> str:
    """What so few systems can tell, in numbers of tau, whatever coefficient the answer is by."""
    step = f"{n} systems are few: two neighbours that change places move tau by {4 / (n * (n - 1)):.2f}"
    limit = chance_tau(n)
    if limit is None:
        return (
            f"{step}, and more than 1 in 20 unrelated rankings agree perfectly or run exactly the other way."
        )
    reached = f"{'' if coefficient == COEFFICIENT else 'a tau of '}{estimate_text(limit, PAGE)}"
    return f"{step}, and up to 1 in 20 unrelated rankings reach {reached} or more in either direction."


def _close_caution(ranking: Sequence[AnsweringMeasure], n: int) -> list[str]:
    step = 4 / (n * (n - 1)) - 1e-9
    close = [entry.title for entry in ranking if ranking[0].mean - entry.mean < step]
    if len(close) == len(_tied_with_best(ranking)):
        return []
    return [f"Between {_join(close)} lies less than one such change of places: read them as equal."]


def _shared_caution(rows: Sequence[CorrelationRow]) -> list[str]:
    if not any(row.shared_input for row in rows):
        return []
    return [
        "Where surrogate and measure are the same, both sides rest on distances by the same measure, which "
        "raises their agreement."
    ]
