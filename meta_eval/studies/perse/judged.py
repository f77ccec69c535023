"""What one judge said of all cases: its answers averaged over draws, counted, and as records."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import Any, Protocol, TypeVar

from meta_eval.llm.asking import Answer
from meta_eval.llm.models import ModelOptions
from meta_eval.llm.prompts import Prompt
from meta_eval.llm.runs import count_answers, total_known
from meta_eval.measures.base import Signature
from meta_eval.measures.signatures import signature_line
from meta_eval.studies.perse.baselines import Baseline
from meta_eval.studies.perse.cases import Profiles

PAPER = (
    "profiles of past judgments of the person, and disjoint persons for tuning and test",
    "scores from 1 to 10, coefficients over all pairs of scores pooled",
    "one request an aspect, accuracy by aspect in the order as given, and their plain mean",
    "baselines: the profile's mean or majority, matrix factorisation, no profile",
    "consistency and bias to the first text when the texts are changed over",
    "a work is memorised where the model gives its exact title, case, articles and punctuation aside",
)
OURS = (
    "temperature 0 unless set (paper: 0.8)",
    "the words of the prompts, and answers as JSON that is read strictly and never repaired by guessing",
    "the mean of persons' own coefficients, and coefficients beyond the person's usual score",
    "intervals: 95 %, persons resampled",
    "shuffled profiles as a control: the judge is personal where the person's own profile does better",
    "factors, ridge and rounds of the matrix factorisation",
    "BLEU of explanations is the mean over pairs of texts",
    "expected scores by the probabilities of tokens (G-Eval), apart from those that were read",
)
"""Which decisions are the paper's and which are ours: every result says so."""


FEW = 20
"""Intervals over fewer persons or documents are rough."""
PERSONAL = "Under the person's own profile this judge agrees better than under another person's."
NOT_PERSONAL = (
    "These cases do not show that this judge agrees better under the person's own profile than under another "
    "person's: it cannot be called personal."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeName:
    """Who judged: a model by its title, or a baseline, and under whose profiles."""

    judge: str
    profiles: Profiles
    baseline: Baseline | None = None

    def as_record(self) -> dict[str, Any]:
        return {"judge": self.judge, "profiles": self.profiles, "baseline": self.baseline}


@dataclass(frozen=True, slots=True)
class Draws:
    """The answers to one question over all its draws."""

    answers: tuple[Answer, ...]

    @property
    def values(self) -> list[Any]:
        return [answer.value for answer in self.answers if answer.value is not None]

    @property
    def mean(self) -> float | None:
        """The mean of the scores there are; None of none."""
        return fmean(self.values) if self.values else None

    @property
    def expected(self) -> float | None:
        """The mean of the scores under their probabilities; None unless every score there is was weighed."""
        weighed = [answer.expected for answer in self.answers if answer.value is not None]
        known = [one for one in weighed if one is not None]
        return fmean(known) if known and len(known) == len(weighed) else None

    @property
    def probabilities(self) -> dict[str, float] | None:
        """Of each value, the mean over the draws with a value; None unless every one of them was weighed."""
        weighed = [answer.probabilities for answer in self.answers if answer.value is not None]
        known = [one for one in weighed if one is not None]
        if not known or len(known) < len(weighed):
            return None
        return {value: fmean(one[value] for one in known) for value in known[0]}

    @property
    def majority(self) -> Any:
        """The option that most draws chose, "tie" where two did, None of none."""
        counts = Counter(self.values).most_common(2)
        if not counts:
            return None
        return "tie" if len(counts) > 1 and counts[0][1] == counts[1][1] else counts[0][0]

    @property
    def explanation(self) -> str | None:
        """Of the first draw that has one."""
        return next((answer.explanation for answer in self.answers if answer.explanation), None)

    def as_record(self) -> dict[str, Any]:
        """Why an answer is missing, what was said, and how many tokens it took."""
        return {
            "reason": None if self.values else self.answers[0].reason,
            "problem": next((answer.problem for answer in self.answers if answer.problem), None),
            "explanation": self.explanation,
            "texts": [answer.text for answer in self.answers],
            "sd": stdev(self.values) if len(self.values) > 1 and _numbers(self.values) else None,
            **({"probabilities": found} if (found := self.probabilities) else {}),
            "prompt_tokens": total_known(answer.prompt_tokens for answer in self.answers),
            "completion_tokens": total_known(answer.completion_tokens for answer in self.answers),
        }


def _numbers(values: Sequence[Any]) -> bool:
    return all(isinstance(value, int) for value in values)


def group_draws(keys: Iterable[Any], answers: Iterable[Answer]) -> dict[Any, Draws]:
    """The answers by what they are about, in the order of first occurrence."""
    found: dict[Any, list[Answer]] = {}
    for key, answer in zip(keys, answers, strict=True):
        found.setdefault(key, []).append(answer)
    return {key: Draws(tuple(one)) for key, one in found.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRun:
    """How a model was asked: what its record and its signature say, beside its answers."""

    options: ModelOptions
    prompt: Prompt
    signature: Signature
    answers: Sequence[Answer] = field(default=())

    @property
    def weighs(self) -> bool:
        """Whether the model was asked how likely each value was."""
        return self.options.probabilities

    @property
    def weighed(self) -> int:
        """Answers of which the probabilities of all values are known."""
        return sum(answer.probabilities is not None for answer in self.answers)

    def as_record(self) -> Mapping[str, Any]:
        """Counts, reasons, tokens, builds of the server, prompt and signature."""
        return {
            "model": self.options.model,
            **count_answers(self.answers),
            **({"weighed": self.weighed} if self.weighs else {}),
            "prompt": self.prompt.name,
            "prompt_version": self.prompt.version,
            "prompt_digest": self.prompt.digest,
            "signature": self.signature.as_dict(),
            "signature_line": signature_line(self.signature),
        }


class _Judged(Protocol):
    @property
    def name(self) -> JudgeName: ...

    @property
    def asked(self) -> JudgeRun | None: ...


_One = TypeVar("_One", bound=_Judged)


def control_of(one: _One, judged: Sequence[_One]) -> _One | None:
    """The same model under shuffled profiles, for one under the persons' own; None without it."""
    if one.asked is None or one.name.profiles != "own":
        return None
    wanted = JudgeName(judge=one.name.judge, profiles="shuffled")
    return next((other for other in judged if other.name == wanted), None)


def verdict_on(
    gain: Mapping[str, Any],
    count: int,
    units: str = "persons",
    *,
    words: tuple[str, str] = (PERSONAL, NOT_PERSONAL),
) -> dict[str, Any]:
    """Whether a judge is personal: its gain over shuffled profiles lies above 0 with the whole interval.

    Parameters
    ----------
    gain : mapping
        With `ci_low`, None where there is no interval.
    count, units : int, str
        How many of what the interval was resampled over.
    words : tuple of str
        What is said of a judge that is personal, and of one that is not.

    Returns
    -------
    dict
        `personal` (None without an interval), `verdict` in words, and a `note` where `count` is below 20.

    Examples
    --------
    >>> verdict_on({"estimate": 0.2, "ci_low": 0.1, "ci_high": 0.3}, 30)["personal"]
    True
    """
    low = gain["ci_low"]
    if low is None:
        return {"personal": None, "verdict": None, "note": None}
    rough = f"{count} {units}; intervals of fewer than {FEW} are rough" if count < FEW else None
    return {"personal": low > 0, "verdict": words[0 if low > 0 else 1], "note": rough}
