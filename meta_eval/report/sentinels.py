"""Sentinels in words: what each is called, and which measures agree less with the raters than one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from meta_eval.report.answer import measure_title
from meta_eval.report.certainty import join
from meta_eval.report.numbers import PAGE, estimate_text
from meta_eval.report.schema import Inference, ReportAnswer, SentinelRow

TITLES: Mapping[str, str] = {
    "length": "Length of the summary",
    "random": "Random scores",
    "penalty": "Penalty EDP alone",
    "accuracy": "Accuracy alone",
    "constant": "A constant",
}
"""The sentinels in the order in which they are shown."""


def sentinel_title(row: SentinelRow) -> str:
    """What a sentinel is called, with the measure that it is made with."""
    title = TITLES[row.sentinel]
    return f"{title}, {measure_title(row.measure)}" if row.measure else title


def mean_sentinels(inference: Inference | None, human: str, coefficient: str) -> list[SentinelRow]:
    """The sentinels' means over the surrogates with one human score, as the answer takes a measure's.

    With a declared primary coefficient they are those by its surrogate.
    """
    rows = inference.sentinels if inference else ()
    surrogate = inference.primary.surrogate if inference and inference.primary else None
    wanted = (human, surrogate, coefficient)
    return [row for row in rows if (row.human, row.surrogate, row.coefficient) == wanted]


def with_sentinels(answer: ReportAnswer, inference: Inference | None) -> ReportAnswer:
    """The answer with the caution that some measures agree less with the raters than a sentinel."""
    cautions = _cautions(answer, mean_sentinels(inference, answer.score, answer.coefficient))
    return replace(answer, cautions=(*answer.cautions, *cautions))


def _cautions(answer: ReportAnswer, rows: Sequence[SentinelRow]) -> Iterator[str]:
    """Whatever is below any sentinel is below the best of them, so this one is named alone."""
    known = [(row.estimate, row) for row in rows if row.estimate is not None]
    if not known:
        return
    estimate, best = max(known, key=lambda pair: pair[0])
    below = [entry for entry in answer.ranking if entry.mean < estimate]
    if below:
        named = join([f"{entry.title} ({estimate_text(entry.mean, PAGE)})" for entry in below])
        yield (
            f"{named} agree{'s' if len(below) == 1 else ''} less with the raters than a score that cannot "
            f"know how personalised a summary is: {sentinel_title(best)} ({estimate_text(estimate, PAGE)})."
        )
