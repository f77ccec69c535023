"""What a summary claims, and whether the activities bear it out."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from meta_eval.studies.folding import content_words, fold_words

Entities = Literal["model", "timeline"]
"""Who finds what a summary names: the verifying model, or the names of all items, by string match."""

SAME_F1 = 0.6
"""From this F1 of their words on, two answers are the same; decided here."""
NOT_THERE = "not in the activities"

_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s*")
_NONE = "none"


@dataclass(slots=True)
class Claim:
    """One thing that a summary names: the `question` it answers, and what the activities answer (`found`).

    `supported` is None where nobody could check it, for the `reason`.
    """

    entity: str
    question: str | None = None
    found: str | None = None
    supported: bool | None = None
    reason: str | None = None

    def as_record(self) -> dict[str, Any]:
        """For the trail."""
        return {
            "claim": self.entity,
            "question": self.question,
            "found": self.found,
            "supported": self.supported,
            "reason": self.reason,
        }


@dataclass(slots=True)
class Round:
    """One look at a segment's summary: what is wrong with it, and what it was rewritten to.

    `dropped` was listed and stands nowhere in the summary; `unchecked` came beyond the claims of a round.
    """

    summary: str
    problems: str | None = None
    consistent: bool | None = None
    claims: list[Claim] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    revised: str | None = None

    @property
    def unsupported(self) -> list[Claim]:
        """Claims that the activities do not bear out."""
        return [claim for claim in self.claims if claim.supported is False]

    @property
    def is_sound(self) -> bool:
        """Whether nothing is to be rewritten."""
        return not self.unsupported and self.consistent is not False

    @property
    def faults(self) -> str:
        """What a rewriter is told, one fault a line."""
        problems = " ".join((self.problems or "").split())
        lines = [f"Problem: {problems or 'it does not do what was asked for'}"] * (self.consistent is False)
        lines += [
            f"Not borne out: {one.entity} (asked: {one.question}; the activities say: {one.found})"
            for one in self.unsupported
        ]
        return "\n".join(lines)

    def as_record(self) -> dict[str, Any]:
        """For the trail."""
        return {
            "summary": self.summary,
            "consistent": self.consistent,
            "problems": self.problems,
            "claims": [claim.as_record() for claim in self.claims],
            "not_in_summary": self.dropped,
            "not_checked": self.unchecked,
            "reasons": self.reasons,
            "revised": self.revised,
        }


def listed_entities(answer: str, summary: str) -> tuple[list[str], list[str]]:
    """Entities of an answer that lists them, one a line: those that stand in the summary, and the others.

    Examples
    --------
    >>> listed_entities("- Blue River\\n2. Red Dawn", "She liked Blue River.")
    (['Blue River'], ['Red Dawn'])
    """
    lines = (_BULLET.sub("", line).strip().strip("\"'") for line in answer.splitlines())
    named = [line for line in dict.fromkeys(lines) if line and line.casefold().rstrip(".") != _NONE]
    flat = " ".join(summary.split())
    return [one for one in named if one in flat], [one for one in named if one not in flat]


class ItemNames:
    """The names of all items, to find in a text those that it names.

    Names that a text does not hold as whole words are not found, and none that no timeline has: a work that
    was invented goes unseen.

    Examples
    --------
    >>> ItemNames(["Blue River", "Blue"]).within("She liked Blue River best.")
    ['Blue River']
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names: dict[tuple[str, ...], str] = {}
        for name in names:
            if words := tuple(fold_words(name)):
                self._names.setdefault(words, name)
        self._lengths = sorted({len(words) for words in self._names}, reverse=True)

    def within(self, text: str) -> list[str]:
        """Names in a text, in its order; of names that begin at one word the longest."""
        words, found, place = fold_words(text), [], 0
        while place < len(words):
            length = next(
                (size for size in self._lengths if tuple(words[place : place + size]) in self._names), 0
            )
            if length:
                found.append(self._names[tuple(words[place : place + length])])
            place += length or 1
        return list(dict.fromkeys(found))


def is_same_answer(found: str, claimed: str) -> bool:
    """Whether two answers say the same, case, punctuation and articles aside.

    They do if they are equal, or one stands in the other as whole words, or the F1 of their words is 0.6 or
    more; what is "not in the activities" is the same as nothing.

    Examples
    --------
    >>> is_same_answer("The Blue River!", "blue river"), is_same_answer("a blue dog", "red dog")
    (True, False)
    """
    one, other = content_words(found), content_words(claimed)
    if one == content_words(NOT_THERE):
        return False
    if not one or not other:
        return one == other
    if _holds(one, other) or _holds(other, one):
        return True
    shared = (Counter(one) & Counter(other)).total()
    return 2 * shared / (len(one) + len(other)) >= SAME_F1


def names_answer(question: str, entity: str) -> bool:
    """Whether a question gives its answer away."""
    return _holds(content_words(question), content_words(entity))


def _holds(words: list[str], part: list[str]) -> bool:
    return any(words[at : at + len(part)] == part for at in range(len(words) - len(part) + 1))
