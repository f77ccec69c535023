"""What came of a run's questions: how many answers, what is missing and why, and what it took."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from meta_eval.llm.asking import Answer

MANY_MISSING = 0.05
"""Above this share of missing answers a run warns."""


def summarise_answers(answers: Sequence[Answer]) -> dict[str, Any]:
    """Answers `asked` for, `answered`, `missing` by reason, tokens (None where nobody counted), fingerprints.

    Examples
    --------
    >>> found = summarise_answers([Answer("q", None, "refused")])
    >>> found["asked"], found["answered"], found["missing"]
    (1, 0, {'refused': 1})
    """
    reasons = Counter(answer.reason for answer in answers if answer.reason)
    return {
        "asked": len(answers),
        "answered": sum(answer.reason is None for answer in answers),
        "missing": dict(sorted(reasons.items())),
        "prompt_tokens": _total(answer.prompt_tokens for answer in answers),
        "completion_tokens": _total(answer.completion_tokens for answer in answers),
        "fingerprints": sorted({answer.fingerprint for answer in answers if answer.fingerprint}),
    }


def answer_warnings(asked: int, missing: Mapping[str, int], fingerprints: Sequence[str]) -> list[str]:
    """What the reader of a run's results must know.

    Examples
    --------
    >>> answer_warnings(10, {"refused": 1}, [])
    ['1 of 10 answers are missing (1 refused)']
    """
    said = []
    if sum(missing.values()) > MANY_MISSING * asked:
        reasons = ", ".join(f"{count} {reason}" for reason, count in missing.items())
        said.append(f"{sum(missing.values())} of {asked} answers are missing ({reasons})")
    if len(fingerprints) > 1:
        said.append(f"the server changed while it was asked: {', '.join(fingerprints)}")
    return said


def _total(counts: Iterable[int | None]) -> int | None:
    """The sum; None where one of them is not known."""
    known = list(counts)
    return None if None in known else sum(count for count in known if count is not None)
