"""Asking a model in steps: the questions of each depend on the answers before, the limits hold for all."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

from meta_eval.cli.inputs import progress_bar
from meta_eval.cli.llm_options import announce, expect, kept_replies, report_usage
from meta_eval.llm.asking import Answer, Asking
from meta_eval.llm.limits import Limits, Price, Usage
from meta_eval.llm.models import Model, ReplayModel, Reply
from meta_eval.llm.questions import Question
from meta_eval.llm.runs import count_answers, run_warnings


class UnansweredError(Exception):
    """A dry run has come to questions that nobody has answered yet: `questions`, of `model`."""

    def __init__(self, questions: Sequence[Question], model: Model) -> None:
        super().__init__(f"{len(questions)} questions have no kept reply")
        self.questions = questions
        self.model = model


@dataclass(frozen=True, slots=True)
class Asked:
    """How a command asks: where replies are kept and found, how often, and within which limits."""

    store: str | None
    given: dict[str, Reply]
    attempts: int
    limits: Limits
    price: Price
    dry: bool = False


class StagedAsking:
    """A model that is asked in steps: call it with a step's questions for their answers, in order.

    `answers` are all of the run. In a dry run nothing is sent: kept replies answer, and the first step that
    they do not answer in full raises `UnansweredError`.
    """

    def __init__(self, model: Model, how: Asked) -> None:
        self.model = model
        self.answers: list[Answer] = []
        self.requests: list[Question] = []
        self._how = how
        self._kept = kept_replies(model, how.store, how.given)
        self._used = Usage()

    def __call__(self, questions: Sequence[Question]) -> list[Answer]:
        if not questions:
            return []
        announce(self.model, expect(questions, self.model, self._kept, self._how.price))
        found = self._replayed(questions) if self._how.dry else self._asked(questions)
        self.answers += found
        self.requests += questions
        return found

    def report_usage(self) -> None:
        """Say on stderr what was sent in all."""
        report_usage(self.model, self._used, self._how.price)

    def report(self) -> None:
        """Say on stderr what was sent in all, and what the reader of the results must know."""
        self.report_usage()
        title = self.model.options.title
        for warning in run_warnings(count_answers(self.answers)):
            sys.stderr.write(f"warning: {title}: {warning}\n")

    def _asked(self, questions: Sequence[Question]) -> list[Answer]:
        with progress_bar(self.model.options.title, "questions") as progress:
            run = Asking(
                questions,
                self.model,
                kept=self._kept,
                attempts=self._how.attempts,
                limits=self._left(),
                price=self._how.price,
                progress=progress,
            )
            try:
                return list(run)
            finally:
                self._count(run.usage)

    def _replayed(self, questions: Sequence[Question]) -> list[Answer]:
        model = ReplayModel(replace(self.model.options, kind="replay"))
        found = list(Asking(questions, model, kept=self._kept, attempts=self._how.attempts))
        if unanswered := [
            question for question, one in zip(questions, found, strict=True) if one.reason == "not kept"
        ]:
            raise UnansweredError(unanswered, self.model)
        return found

    def _count(self, used: Usage) -> None:
        self._used = Usage(
            self._used.requests + used.requests,
            self._used.prompt_tokens + used.prompt_tokens,
            self._used.completion_tokens + used.completion_tokens,
        )

    def _left(self) -> Limits:
        """What the limits leave to the steps to come."""
        limits, used = self._how.limits, self._used
        cost = self._how.price.of(used.prompt_tokens, used.completion_tokens)
        return replace(
            limits,
            requests=None if limits.requests is None else max(0, limits.requests - used.requests),
            tokens=(
                None
                if limits.tokens is None
                else max(0, limits.tokens - used.prompt_tokens - used.completion_tokens)
            ),
            cost=None if limits.cost is None else max(0.0, limits.cost - cost),
        )
