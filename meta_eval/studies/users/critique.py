"""Approach `hierarchy-critique` (Wang et al. 2024, section 3.2): segments, checked and revised; then one.

Every step is asked of all segments of all users together, so that a step is one batch of questions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from meta_eval.llm.asking import Answer
from meta_eval.llm.forms import Choice, Form, Passage, Text
from meta_eval.llm.prompts import Prompt, fence, load_prompt
from meta_eval.llm.questions import Message, Question, Request
from meta_eval.studies.users.claims import (
    Claim,
    Entities,
    ItemNames,
    Round,
    is_same_answer,
    listed_entities,
    names_answer,
)
from meta_eval.studies.users.segments import LEAST, Every, Segment, cut_segments
from meta_eval.studies.users.summaries import Summary
from meta_eval.studies.users.summarising import (
    SUMMARY,
    Ask,
    Size,
    Summarised,
    count,
    fill_with_activities,
    text_of,
)
from meta_eval.studies.users.timelines import FUTURE, Timeline

CHECK = Choice(("yes", "no"), explain="problems")
LIST = Passage("the list")
LINE = Text()
PROMPTS = ("segment", "check", "entities", "question", "answer", "revise", "combine")
_CHECK_TOKENS, _LIST_TOKENS, _LINE_TOKENS = 300, 300, 80


@dataclass(frozen=True, slots=True)
class Critique:
    """How summaries are checked: segments, rounds, and how many claims of one are checked in a round."""

    every: Every = "quarter"
    least: int = LEAST
    rounds: int = 2
    claims: int = 10
    entities: Entities = "model"

    def most_calls(self, segments: int) -> int:
        """The most questions about so many segments, the one that combines them left out."""
        listing = 1 if self.entities == "model" else 0
        return segments * (1 + self.rounds * (1 + listing + 2 * self.claims + 1))


@dataclass(slots=True)
class _Part:
    """A segment on its way: its activities, the summary so far, and what was said of it."""

    user: str
    segment: Segment
    shown: int = 0
    first: str | None = None
    reason: str | None = None
    rounds: list[Round] = field(default_factory=list)
    settled: bool = False

    @property
    def summary(self) -> str | None:
        """The newest text."""
        if not self.rounds:
            return self.first
        return self.rounds[-1].revised or self.rounds[-1].summary

    def as_record(self) -> dict[str, Any]:
        return {
            "period": self.segment.period,
            "activities": len(self.segment.activities),
            "shown": self.shown,
            "first": self.first,
            "reason": self.reason,
            "rounds": [one.as_record() for one in self.rounds],
            "summary": self.summary,
        }


def summarise_critically(
    timelines: Sequence[Timeline],
    ask: Ask,
    verify: Ask,
    *,
    critique: Critique | None = None,
    size: Size | None = None,
    future: int = FUTURE,
    approach: str = "hierarchy-critique",
) -> Summarised:
    """Summarise each segment of a user's past, check and revise it, and make one summary of all.

    In each round the verifier says whether the text does what was asked, lists what it names, asks a question
    about each and answers it from the segment's activities alone. What these do not bear out, and other
    problems, the summariser corrects. A segment without either is done.

    Parameters
    ----------
    timelines : sequence of Timeline
    ask, verify : functions
        From questions to their answers: of the model that writes, and of the one that checks.
    critique : Critique, optional
    size : Size, optional
    future : int
        How many last activities no model sees.
    approach : str
        What the summaries are called.

    Returns
    -------
    Summarised
        The `trail` has every segment, round and claim of each user. A check without an answer changes nothing
        and is said in the trail; a user one of whose segments, or whose combined text, has no answer has no
        summary.

    Examples
    --------
    >>> from meta_eval.studies.users.timelines import Activity
    >>> timeline = Timeline("ann", (Activity("x", "x"),))
    >>> summarise_critically([timeline], lambda asked: [], lambda asked: [], future=1).left_out
    {'users without a past': 1}
    """
    chosen, names = critique or Critique(), None
    if chosen.entities == "timeline":
        names = ItemNames(one.name for timeline in timelines for one in timeline.split(future)[0])
    run = _Run(ask, verify, chosen, size or Size(), names)
    return run.all(timelines, future, approach)


def count_segments(timelines: Sequence[Timeline], critique: Critique, future: int = FUTURE) -> int:
    """How many segments all users have together."""
    pasts = (timeline.split(future)[0] for timeline in timelines)
    return sum(len(cut_segments(past, every=critique.every, least=critique.least)) for past in pasts)


class _Run:
    def __init__(
        self, ask: Ask, verify: Ask, critique: Critique, size: Size, names: ItemNames | None
    ) -> None:
        self._ask, self._verify, self._critique, self._size = ask, verify, critique, size
        self._prompts: dict[str, Prompt] = {name: load_prompt(f"users-{name}") for name in PROMPTS}
        self._names = names

    def all(self, timelines: Sequence[Timeline], future: int, approach: str) -> Summarised:
        left_out: dict[str, int] = {}
        parts: dict[str, list[_Part]] = {}
        pasts: dict[str, int] = {}
        for timeline in timelines:
            past, _ = timeline.split(future)
            if not past:
                count(left_out, "users without a past")
                continue
            segments = cut_segments(past, every=self._critique.every, least=self._critique.least)
            parts[timeline.user] = [_Part(timeline.user, segment) for segment in segments]
            pasts[timeline.user] = len(past)
        every = [part for own in parts.values() for part in own]
        self._write(every)
        for part in every:
            part.settled = part.first is None
        for _ in range(self._critique.rounds):
            self._check([part for part in every if not part.settled])
        combined = self._combine(parts)
        summaries, trail = [], []
        for user, own in parts.items():
            text, reason = combined[user]
            record = {"user": user, "approach": approach, "past": pasts[user]}
            trail.append(
                {
                    **record,
                    "segments": [part.as_record() for part in own],
                    "summary": text,
                    "reason": reason,
                }
            )
            if text is None:
                count(left_out, f"summaries {reason}")
            else:
                summaries.append(Summary(user, approach, text, pasts[user]))
        unchecked = sum(len(one.unchecked) for part in every for one in part.rounds)
        return Summarised(tuple(summaries), tuple(trail), left_out, unchecked)

    def _write(self, parts: Sequence[_Part]) -> None:
        questions = []
        for part in parts:
            messages, part.shown = self._with_activities("segment", part, SUMMARY)
            questions.append(self._question(messages, SUMMARY, self._size.tokens))
        for part, answer in zip(parts, self._ask(questions), strict=True):
            part.first, part.reason = text_of(answer), answer.reason

    def _check(self, parts: Sequence[_Part]) -> None:
        """One round over the parts that are not settled."""
        if not parts:
            return
        for part in parts:
            part.rounds.append(Round(part.summary or ""))
        self._look(parts)
        self._ask_back(parts)
        for part in parts:
            part.settled = part.rounds[-1].is_sound
        self._revise([part for part in parts if not part.settled])

    def _look(self, parts: Sequence[_Part]) -> None:
        """Whether each text does what was asked, and what it names."""
        listing = self._names is None
        checks = [self._about(part, "check", CHECK, _CHECK_TOKENS) for part in parts]
        lists = [self._about(part, "entities", LIST, _LIST_TOKENS) for part in parts if listing]
        answers = list(self._verify([*checks, *lists]))
        for part, answer in zip(parts, answers[: len(parts)], strict=True):
            now = part.rounds[-1]
            now.problems = answer.explanation
            now.consistent = None if answer.reason else answer.value == "yes"
            now.reasons += _missing("query check", answer)
        for part, listed in zip(parts, answers[len(parts) :], strict=listing):
            now = part.rounds[-1]
            now.reasons += _missing("entities", listed)
            named, now.dropped = listed_entities(text_of(listed) or "", now.summary)
            self._claim(now, named)
        if self._names is not None:
            for part in parts:
                found = self._names.within(part.rounds[-1].summary)
                self._claim(part.rounds[-1], found)

    def _claim(self, now: Round, named: Sequence[str]) -> None:
        """As many of what a text names as are checked; the others are kept by name."""
        most = self._critique.claims
        now.claims, now.unchecked = [Claim(entity) for entity in named[:most]], list(named[most:])

    def _ask_back(self, parts: Sequence[_Part]) -> None:
        """A question about each claim, and its answer from the activities alone."""
        claims = [(part, claim) for part in parts for claim in part.rounds[-1].claims]
        if not claims:
            return
        questions = [
            self._about(part, "question", LINE, _LINE_TOKENS, entity=claim.entity) for part, claim in claims
        ]
        for (_, claim), answer in zip(claims, self._verify(questions), strict=True):
            claim.question, claim.reason = text_of(answer), answer.reason
            if claim.question and names_answer(claim.question, claim.entity):
                claim.reason = "the question names its answer"
        asked = [(part, claim) for part, claim in claims if not claim.reason]
        if not asked:
            return
        answered = [
            self._question(
                self._with_activities("answer", part, LINE, question=claim.question or "")[0],
                LINE,
                _LINE_TOKENS,
            )
            for part, claim in asked
        ]
        for (_, claim), answer in zip(asked, self._verify(answered), strict=True):
            claim.found, claim.reason = text_of(answer), answer.reason
            if claim.found is not None:
                claim.supported = is_same_answer(claim.found, claim.entity)

    def _revise(self, parts: Sequence[_Part]) -> None:
        if not parts:
            return
        questions = []
        for part in parts:
            now = part.rounds[-1]
            messages, _ = self._with_activities(
                "revise", part, SUMMARY, summary=now.summary, faults=now.faults
            )
            questions.append(self._question(messages, SUMMARY, self._size.tokens))
        for part, answer in zip(parts, self._ask(questions), strict=True):
            part.rounds[-1].revised = text_of(answer)
            part.rounds[-1].reasons += _missing("revise", answer)

    def _combine(self, parts: dict[str, list[_Part]]) -> dict[str, tuple[str | None, str | None]]:
        """One text a user, or why there is none; a user with one segment has its text."""
        found: dict[str, tuple[str | None, str | None]] = {}
        asked = {}
        for user, own in parts.items():
            reasons = [part.reason for part in own if part.first is None]
            if reasons:
                found[user] = (None, reasons[0])
            elif len(own) == 1:
                found[user] = (own[0].summary, None)
            else:
                asked[user] = self._question(self._combined(own), SUMMARY, self._size.tokens)
        if asked:
            for user, answer in zip(asked, self._ask(list(asked.values())), strict=True):
                found[user] = (text_of(answer), answer.reason)
        return found

    def _combined(self, own: Sequence[_Part]) -> tuple[Message, ...]:
        texts = [f"{part.segment.period}:\n{part.summary}" for part in own]
        return self._prompts["combine"].fill(
            SUMMARY, summaries="\n\n".join(texts), fence=fence(texts), words=str(self._size.words)
        )

    def _with_activities(
        self, name: str, part: _Part, form: Form, **places: str
    ) -> tuple[tuple[Message, ...], int]:
        return fill_with_activities(
            self._prompts[name],
            part.segment.activities,
            self._size,
            form,
            period=part.segment.period,
            **places,
        )

    def _about(self, part: _Part, name: str, form: Form, tokens: int, **places: str) -> Question:
        """A question about a segment's text, which shows no activity."""
        summary = part.rounds[-1].summary
        messages = self._prompts[name].fill(
            form,
            summary=summary,
            fence=fence([summary, *places.values()]),
            words=str(self._size.words),
            period=part.segment.period,
            **places,
        )
        return self._question(messages, form, tokens)

    def _question(self, messages: tuple[Message, ...], form: Form, tokens: int) -> Question:
        return Question("", Request(messages, form, tokens))


def _missing(step: str, answer: Answer) -> Iterator[str]:
    if answer.reason:
        yield f"{step}: {answer.reason}"
