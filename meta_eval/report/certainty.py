"""How sure the answer of a report is, in plain words: interval, ceiling, and what cannot be told apart."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from meta_eval.report.numbers import PAGE, estimate_text, interval_text, percent_text
from meta_eval.report.schema import AnsweringMeasure, CorrelationRow, Inference, RankedMeasure
from meta_eval.report.support import chance_of, null_text, value_text
from meta_eval.scores.names import ScoreName
from meta_eval.stats.table.resampled import RESAMPLED

FEW_DOCUMENTS = 10
"""Fewer documents than this cannot be resampled into an interval that keeps its promise."""

ABOUT: Mapping[str, str] = {name: info.about for name, info in RESAMPLED.items()}
"""What an interval is about, by what was resampled for it."""


def with_certainty(
    ranking: Sequence[AnsweringMeasure], inference: Inference | None, *, score: ScoreName
) -> list[AnsweringMeasure]:
    """The measures ranked by a score, each with how sure its mean is, where the inference knows it of all."""
    rows = inference.ranking if inference else ()
    known = {row.measure: row for row in rows if row.score == score}
    if inference is None or not all(entry.measure in known for entry in ranking):
        return list(ranking)
    alpha = inference.options.alpha
    return [_with_certainty(entry, known[entry.measure], alpha) for entry in ranking]


def _with_certainty(entry: AnsweringMeasure, ranked: RankedMeasure, alpha: float) -> AnsweringMeasure:
    return replace(
        entry,
        ci_low=ranked.ci_low,
        ci_high=ranked.ci_high,
        ci_level=ranked.ci_level,
        ci_reason=ranked.ci_reason,
        ceiling=ranked.ceiling,
        significant=ranked.significant,
        carried_by=ranked.carried_by,
        group=ranked.group,
        null_mean=ranked.null_mean,
        null_high=ranked.null_high,
        p_raters=ranked.p_raters,
        p_raters_adjusted=ranked.p_raters_adjusted,
        null_reason=ranked.null_reason,
        p_max_t=ranked.p_max_t,
        supported=None if ranked.p_raters_adjusted is None else ranked.is_supported(alpha),
    )


def has_certainty(ranking: Sequence[AnsweringMeasure]) -> bool:
    return bool(ranking) and ranking[0].group is not None


def value_with_certainty(entry: AnsweringMeasure) -> str:
    """The coefficient with interval, null and ceiling, and what it is of."""
    return f"{value_text(entry)}, {certainty_text(entry)}"


def certainty_text(entry: AnsweringMeasure) -> str:
    """Interval, null and ceiling of a coefficient, and what it is of."""
    parts = []
    if entry.ci_low is not None and entry.ci_high is not None:
        interval = interval_text(entry.ci_low, entry.ci_high, PAGE)
        parts.append(f"{percent_text(entry.ci_level or 0)} interval {interval}")
    if entry.null_high is not None and entry.p_raters_adjusted is not None:
        parts.append(null_text(entry))
    if entry.ceiling is not None:
        parts.append(f"ceiling {estimate_text(entry.ceiling, PAGE)}")
    over = f"{entry.n} systems"
    if entry.surrogates > 1:
        over += f", mean over {entry.surrogates} surrogates"
    return f"{', '.join(parts) or 'no interval'} ({over})"


def not_told_apart(best: Sequence[AnsweringMeasure], rest: Sequence[AnsweringMeasure]) -> str:
    """Which of the other measures may be as good as the best, by the paired test."""
    it = "it" if len(best) == 1 else "them"
    alike = [entry for entry in rest if entry.group == best[0].group]
    if not rest:
        return ""
    if not alike and any(entry.mean > best[0].mean for entry in rest):
        return ""
    if not alike:
        return f"; every other measure agrees less than {it}, beyond chance for these systems and for others"
    if len(alike) > 3:
        others = "the" if len(alike) == len(rest) else f"{len(alike)} of the"
        return f"; {others} {len(rest)} others cannot be told apart from {it}"
    names = join([f"{entry.title} ({estimate_text(entry.mean, PAGE)})" for entry in alike])
    return f"; {names} cannot be told apart from {it}"


def verdict(tied: Sequence[AnsweringMeasure]) -> str:
    """The second sentence: the most serious reason for doubt in the best, or that there is none of these."""
    best = tied[0]
    if best.ci_low is None or best.ci_high is None:
        return f" There is no interval: {best.ci_reason}."
    chance = chance_of(best)
    if best.ci_low <= chance <= best.ci_high:
        return f" The interval holds {chance:g}, so there may be no agreement at all."
    if best.carried_by:
        return f" Without {join(best.carried_by[:3])} it is another result: do not rely on it."
    return f" {_significance(tied)}"


def _significance(tied: Sequence[AnsweringMeasure]) -> str:
    """How many of the coefficients behind the best means stand after adjustment."""
    count, of = sum(entry.significant or 0 for entry in tied), sum(entry.surrogates for entry in tied)
    whose = "its" if len(tied) == 1 else "their"
    by_max_t = any(entry.p_max_t is not None for entry in tied)
    over = "over the measures of the declared coefficient by max-T" if by_max_t else "over the whole table"
    beyond = f"beyond chance after adjustment {over}"
    if of == 1:
        return f"The coefficient is {'' if count else 'not '}{beyond}."
    if count == 0:
        return f"None of {whose} {of} coefficients is {beyond}: so few systems cannot show more."
    if count == of:
        return f"All {of} of {whose} coefficients are {beyond}."
    return f"{count} of {whose} {of} coefficients {'is' if count == 1 else 'are'} {beyond}."


def certainty_cautions(
    ranking: Sequence[AnsweringMeasure], inference: Inference | None, documents: int | None
) -> list[str]:
    """What the interval is about and what it leaves out."""
    if inference is None:
        return []
    if not has_certainty(ranking):
        reasons = dict.fromkeys(
            problem.reason for problem in inference.problems if problem.part in ("inputs", "cells", "ranking")
        )
        return [f"How sure this is could not be computed: {reason.rstrip('.')}." for reason in reasons]
    about = ABOUT[inference.options.resampled]
    cautions = [f"The interval is about {about}."] if ranking[0].ci_low is not None else []
    cautions += _ends_at_estimate(ranking)
    if any(entry.ceiling is not None for entry in ranking):
        cautions.append("The ceiling is what the raters' own disagreement and the choice of documents allow.")
    elif inference.agreement and inference.agreement.may_be_chance:
        cautions.append("No ceiling is shown, because two raters of a pair may agree no more than by chance.")
    if len(ranking) > 1:
        cautions.append(
            f"Two measures are told apart only where two tests do: of resamples, about {about}, and of "
            "swapping the two for whole systems, about other systems."
        )
    if documents is not None and documents < FEW_DOCUMENTS:
        rated = f"{documents} documents were" if documents > 1 else "1 document was"
        cautions.append(f"Only {rated} rated: intervals from so few are too narrow.")
    if ranking[0].ci_low is not None and ranking[0].carried_by:
        cautions.append(_carried(ranking[0]))
    return cautions


def _ends_at_estimate(ranking: Sequence[AnsweringMeasure]) -> list[str]:
    """Why an interval may seem to lie on one side of its estimate, where one does."""
    ending = [entry.title for entry in ranking if _ends_at(entry)]
    if not ending:
        return []
    return [
        f"The interval of {join(ending)} ends at the estimate, and that is no error: an interval is of what "
        "systems would have without the noise of their scores, so its estimate need not lie in the middle, "
        "and no coefficient is above 1."
    ]


def _ends_at(entry: AnsweringMeasure) -> bool:
    """Whether the interval reads as if it ended at the estimate."""
    ends = (entry.ci_low, entry.ci_high)
    return estimate_text(entry.mean, PAGE) in [estimate_text(end, PAGE) for end in ends]


def family_cautions(ranking: Sequence[AnsweringMeasure], rows: Sequence[CorrelationRow]) -> list[str]:
    """Of which measures the families of systems alone explain the agreement, by the coefficients behind."""
    behind = {entry.title: [row for row in rows if row.measure == entry.measure] for entry in ranking}
    explained = {title: [row for row in own if row.families_explain] for title, own in behind.items()}
    named = [
        f"{title}{f' ({len(found)} of {len(behind[title])} surrogates)' if len(behind[title]) > 1 else ''}"
        for title, found in explained.items()
        if found
    ]
    if not named:
        return []
    return [
        f"The families of systems alone may explain the agreement by {join(named)}: it is beyond chance over "
        "all systems, but not beyond what systems that change places within their family give."
    ]


def _carried(best: AnsweringMeasure) -> str:
    systems = best.carried_by or ()
    who = f"{len(systems)} systems ({join(systems)})" if len(systems) > 1 else systems[0]
    each = "any one of " if len(systems) > 1 else ""
    return f"Without {each}{who} the coefficient changes by 0.25 or more, or turns around."


def join(parts: Sequence[str]) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
