"""Whether ratings can carry an answer at all: judged before any measure is named, each reason in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from meta_eval.report.certainty import certainty_text, has_certainty, join
from meta_eval.report.numbers import PAGE, estimate_text, interval_text, percent_text
from meta_eval.report.schema import AgreementStudy, AnsweringMeasure, Inference, Reason
from meta_eval.report.support import (
    chance_of,
    is_tested,
    null_text,
    supported,
    untested,
    value_text,
)

LEAST_FOR_AN_ANSWER = 5
"""Of fewer systems more than 1 in 20 unrelated rankings agree perfectly, or run exactly the other way."""
LEAST_DONE = 0.5
"""Less of the planned questionnaires than this is no survey yet."""
MOST_FLAGGED = 0.1
"""More of the raters than this, flagged and undecided, can turn an answer."""
_IN_HEADLINE = 2


def knows_plan(subject: Mapping[str, Any]) -> bool:
    """Whether what was planned is known; of ratings that were collected elsewhere it is not."""
    return "source_file" not in subject and bool(subject.get("plan_known", True))


@dataclass(frozen=True, slots=True)
class Rated:
    """What raters did: questionnaires `completed` of those `wanted`, and how many `raters` are `flagged`.

    None is what nobody knows: of uploaded ratings the plan and maybe the raters, outside the site the flags.
    """

    completed: int = 0
    wanted: int | None = None
    raters: int | None = None
    flagged: int | None = None

    @classmethod
    def of(cls, subject: Mapping[str, Any], plan: Mapping[str, int], ratings: Mapping[str, Any]) -> "Rated":
        """What a report's own parts say of it."""
        return cls(
            completed=ratings.get("completions", 0),
            wanted=plan.get("completions_wanted") or None if knows_plan(subject) else None,
            raters=ratings.get("raters") if subject.get("raters_known", True) else None,
            flagged=subject.get("raters_flagged"),
        )

    @property
    def done(self) -> float | None:
        """The share of the planned questionnaires that is done."""
        return self.completed / self.wanted if self.wanted else None


def reasons_against(
    ranking: Sequence[AnsweringMeasure], inference: Inference, rated: Rated
) -> tuple[Reason, ...]:
    """Why these ratings carry no answer, the gravest first; none where they do.

    A measure that runs against raters who agree with each other is a finding, so shuffled ratings are asked
    of a measure that agrees with them alone.
    """
    found = (
        ("agreement", _agreement(inference.agreement)),
        ("ratings_a_pair", _ratings_a_pair(inference.agreement)),
        ("flagged", _flagged(rated)),
        ("plan", _plan(rated)),
        ("systems", _systems(ranking)),
        ("interval", _interval(ranking, inference)),
        ("shuffled", _shuffled(ranking)),
    )
    return tuple(Reason(what, why) for what, why in found if why)


def cannot_answer(reasons: Sequence[Reason]) -> str:
    """The headline: that there is no answer, and the gravest reasons."""
    return f"These ratings cannot answer it yet: {'; '.join(row.why for row in reasons[:_IN_HEADLINE])}."


def behind_no_answer(ranking: Sequence[AnsweringMeasure], reasons: Sequence[Reason]) -> str:
    """What follows the headline: the other reasons, then the ranking, for what it is worth."""
    further = "; ".join(row.why for row in reasons[_IN_HEADLINE:])
    besides = f" Besides, {further}." if further else ""
    return f"{besides} {_ranking(ranking)} The order of the measures says nothing about them."


def agreement_text(study: AgreementStudy) -> str:
    """Alpha with its interval, as it stands in a sentence."""
    row = study.alpha
    if row is None or row.ci_low is None:
        return ""
    interval = f"{percent_text(row.ci_level or 0)} interval {interval_text(row.ci_low, row.ci_high, PAGE)}"
    return f"Krippendorff's alpha {estimate_text(row.estimate, PAGE)}, {interval}"


def _agreement(study: AgreementStudy | None) -> str:
    """Of most pairs of texts two ratings are needed: agreement on gold pairs alone is none on the systems."""
    if study is None or study.alpha is None:
        return "how far raters agree could not be computed"
    if study.units < study.single:
        return ""
    if study.may_be_chance:
        return f"two raters of a pair may agree no more than by chance ({agreement_text(study)})"
    row = study.alpha
    if row.estimate is None:
        return f"how far raters agree is not known ({row.reason})"
    return f"how far raters agree has no interval ({row.ci_reason})" if row.ci_low is None else ""


def _ratings_a_pair(study: AgreementStudy | None) -> str:
    if study is None or study.units >= study.single:
        return ""
    rated = study.units + study.single
    return f"most pairs have one rating ({study.single:,} of {rated:,}), so nobody knows how far raters agree"


def _flagged(rated: Rated) -> str:
    if not rated.flagged or not rated.raters or rated.flagged <= MOST_FLAGGED * rated.raters:
        return ""
    are = "is" if rated.flagged == 1 else "are"
    return f"{rated.flagged:,} of {rated.raters:,} raters {are} flagged and undecided"


def _plan(rated: Rated) -> str:
    if rated.done is None or rated.done >= LEAST_DONE:
        return ""
    are = "is" if rated.completed == 1 else "are"
    return f"only {rated.completed:,} of {rated.wanted:,} planned questionnaires {are} done"


def _systems(ranking: Sequence[AnsweringMeasure]) -> str:
    n = min(entry.n for entry in ranking)
    if n >= LEAST_FOR_AN_ANSWER:
        return ""
    return f"only {n} systems were compared, and unrelated rankings of so few agree perfectly too often"


def _interval(ranking: Sequence[AnsweringMeasure], inference: Inference) -> str:
    if not has_certainty(ranking):
        parts = [row.reason for row in inference.problems if row.part in ("inputs", "cells", "ranking")]
        why = join(list(dict.fromkeys(reason.rstrip(".") for reason in parts)))
        return f"how sure it is could not be computed{f' ({why})' if why else ''}"
    best = _best(ranking)
    return f"there is no interval ({best.ci_reason})" if best.ci_low is None else ""


def _shuffled(ranking: Sequence[AnsweringMeasure]) -> str:
    if ranking[0].mean <= chance_of(ranking[0]) or not has_certainty(ranking) or supported(ranking):
        return ""
    if is_tested(ranking):
        return f"no measure stands above what shuffled ratings give{_for_all(ranking)}"
    return untested(ranking).rstrip(".").replace("Whether", "whether", 1)


def _for_all(ranking: Sequence[AnsweringMeasure]) -> str:
    return ", adjusted for all of them" if len(ranking) > 1 else ""


def _best(ranking: Sequence[AnsweringMeasure]) -> AnsweringMeasure:
    """The best that raters support, or the best where they support none."""
    return (supported(ranking) or list(ranking))[0]


def _ranking(ranking: Sequence[AnsweringMeasure]) -> str:
    best = ranking[0]
    reaches = f"DEGRESS by {best.title}, reaches {value_text(best)}"
    if best.mean <= chance_of(best):
        return f"No measure agrees with the raters: the best, {reaches}."
    if not is_tested(ranking):
        return f"The highest, {reaches}."
    return f"The highest, {reaches}: {certainty_text(best) if best.supported else null_text(best)}."
