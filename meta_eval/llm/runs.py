"""What every run over questions records: how many were answered, why others were not, and what it was."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from meta_eval.llm.asking import Answer

MANY_MISSING = 0.05
"""Above this share of missing answers a run warns."""


def count_answers(answers: Sequence[Answer]) -> dict[str, Any]:
    """Questions, those answered, the reasons of the others, tokens, and the server's fingerprints.

    Tokens are None where an answer does not say how many it took.

    Parameters
    ----------
    answers : of one run

    Returns
    -------
    dict : `questions`, `answered`, `left_out` (number by reason), `prompt_tokens`, `completion_tokens`,
        `fingerprints`

    Examples
    --------
    >>> count_answers([])["answered"]
    0
    """
    reasons = Counter(answer.reason for answer in answers if answer.reason)
    return {
        "questions": len(answers),
        "answered": sum(answer.reason is None for answer in answers),
        "left_out": dict(sorted(reasons.items())),
        "prompt_tokens": total_known(answer.prompt_tokens for answer in answers),
        "completion_tokens": total_known(answer.completion_tokens for answer in answers),
        "fingerprints": sorted({answer.fingerprint for answer in answers if answer.fingerprint}),
    }


def run_warnings(summary: Mapping[str, Any]) -> list[str]:
    """What the reader of a run's results must know, of what `count_answers` counted."""
    missing = summary["questions"] - summary["answered"]
    said = []
    if missing > MANY_MISSING * summary["questions"]:
        reasons = ", ".join(f"{count} {reason}" for reason, count in summary["left_out"].items())
        said.append(f"{missing} of {summary['questions']} answers are missing ({reasons})")
    if len(summary["fingerprints"]) > 1:
        said.append(f"the server changed while it was asked: {', '.join(summary['fingerprints'])}")
    return said


def total_known(counts: Iterable[int | None]) -> int | None:
    """The sum; None where one of them is not known."""
    known = list(counts)
    return None if None in known else sum(count for count in known if count is not None)
