"""How commands ask models: announced before, counted after, in steps or parts, stopped cleanly at a limit."""

import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import NoReturn

import typer

from meta_eval.cli.inputs import progress_bar
from meta_eval.cli.llm_options import AskOptions
from meta_eval.cli.options import INCOMPLETE
from meta_eval.errors import InputError
from meta_eval.files.writing import write_text
from meta_eval.llm.asking import Answer, Asking, estimate
from meta_eval.llm.files import batch_lines, prompt_lines, reply_lines
from meta_eval.llm.limits import Budget, Price, StoppedError
from meta_eval.llm.models import Model, ReplayModel, Reply
from meta_eval.llm.questions import Question
from meta_eval.llm.replies import KeptReplies, ReplyStore
from meta_eval.llm.runs import count_answers, run_warnings

PROMPTS, BATCH, REPLIES = "prompts.jsonl", "batch.jsonl", "replies.jsonl"


class UnansweredError(Exception):
    """A dry run has come to questions that nobody has answered yet: `questions`, of `model`."""

    def __init__(self, questions: Sequence[Question], model: Model) -> None:
        super().__init__(f"{len(questions)} questions have no kept reply")
        self.questions = questions
        self.model = model


class StagedAsking:
    """A model that is asked in steps: call it with a step's questions for their answers, in order.

    `answers` are all of the run, `replies` those of which they were made. The limits hold for all steps. In a
    dry run nothing is sent: kept replies answer, and the first step that they do not answer in full raises
    `UnansweredError`.
    """

    def __init__(self, model: Model, how: AskOptions) -> None:
        self.model = model
        self.answers: list[Answer] = []
        self.requests: list[Question] = []
        self.replies: dict[str, Reply] = {}
        self._how = how
        self._kept = _kept_replies(model, how)
        self._budget = Budget(how.limits, how.price)

    def __call__(self, questions: Sequence[Question]) -> list[Answer]:
        if not questions:
            return []
        _announce(questions, self.model, self._kept, self._how.price)
        found = self._asked(questions) if self._how.sends else self._replayed(questions)
        self.answers += found
        self.requests += questions
        return found

    def report_usage(self) -> None:
        """Say on stderr what was sent in all."""
        used, price = self._budget.usage, self._how.price
        cost = f", {used.cost(price):,.2f} in cost" if price != Price() else ""
        sys.stderr.write(
            f"{self.model.options.title}: {used.requests:,} requests sent, {used.prompt_tokens:,} prompt "
            f"tokens, {used.completion_tokens:,} of replies{cost}\n"
        )

    def report(self) -> None:
        """Say on stderr what was sent in all, and what the reader of the results must know."""
        self.report_usage()
        self.warn(self.answers)

    def warn(self, answers: Sequence[Answer]) -> None:
        """Say on stderr what the reader of these answers must know."""
        for warning in run_warnings(count_answers(answers)):
            sys.stderr.write(f"warning: {self.model.options.title}: {warning}\n")

    def _asked(self, questions: Sequence[Question]) -> list[Answer]:
        with progress_bar(self.model.options.title, "questions") as progress:
            run = Asking(
                questions,
                self.model,
                kept=self._kept,
                attempts=self._how.attempts,
                budget=self._budget,
                progress=progress,
            )
            found = list(run)
        self.replies.update(run.replies)
        return found

    def _replayed(self, questions: Sequence[Question]) -> list[Answer]:
        model = ReplayModel(replace(self.model.options, kind="replay"))
        found = list(Asking(questions, model, kept=self._kept, attempts=self._how.attempts))
        if unanswered := [
            question for question, one in zip(questions, found, strict=True) if one.reason == "not kept"
        ]:
            raise UnansweredError(unanswered, self.model)
        return found


def ask_parts(
    model: Model, how: AskOptions, parts: Sequence[Sequence[Question]], used: dict[str, Reply] | None = None
) -> list[list[Answer]]:
    """The answers to each part of the questions; `used` gets the replies of which they were made.

    All parts are one run, so that the limits hold for them together and equal requests are sent once. What it
    took is said on stderr, and of each part what its reader must know.
    """
    asking = StagedAsking(model, how)
    answers = iter(asking([question for part in parts for question in part]))
    found = [list(islice(answers, len(part))) for part in parts]
    asking.report_usage()
    for part in found:
        asking.warn(part)
    if used is not None:
        used.update(asking.replies)
    return found


def write_replies(replies: Mapping[str, Reply], out: Path) -> None:
    """The replies that were used, as `--replies` takes them: they give the same result again."""
    write_text("".join(reply_lines(replies)), out / REPLIES)


def write_prompts(models: Sequence[Model], questions: Sequence[Question], how: AskOptions, out: Path) -> None:
    """What would be asked of each model, as a file in a folder, and what it would take; nothing is sent."""
    require_one_batch(models, how)
    for model in models:
        announce(model, questions, how)
    save_prompts(models[0], questions, how, out / prompts_name(how))


def prompts_name(how: AskOptions) -> str:
    """What a file of prompts, or of requests for a server, is called."""
    return BATCH if how.batch else PROMPTS


def save_prompts(model: Model, questions: Sequence[Question], how: AskOptions, file: Path) -> None:
    """The prompts to read, or the lines of a batch file."""
    write_text("".join((batch_lines if how.batch else prompt_lines)(questions, model)), file)


def require_one_batch(models: Sequence[Model], how: AskOptions) -> None:
    """Raises `InputError` for a batch file of several models."""
    if len(models) > 1 and how.batch:
        raise InputError("a batch file is for one model: name one --model")


def announce(model: Model, questions: Sequence[Question], how: AskOptions) -> None:
    """Say on stderr what leaves this machine, where to, and what it will take, before it does."""
    _announce(questions, model, _kept_replies(model, how), how.price)


def _announce(questions: Sequence[Question], model: Model, kept: KeptReplies, price: Price) -> None:
    """A cost is said only where a price is named."""
    expected = estimate(questions, model, kept, None if price == Price() else price)
    where = "stay in this process" if model.place is None else f"go to {model.place}"
    cost = "" if expected.cost is None else f", at most {expected.cost:,.2f} in cost"
    sys.stderr.write(
        f"{model.options.title}: {expected.requests:,} requests, {expected.new:,} of them new; their texts "
        f"{where}. {expected.prompt_tokens:,} prompt tokens ({expected.counting}), at most "
        f"{expected.most_completion_tokens:,} for replies{cost}.\n"
    )


def _kept_replies(model: Model, how: AskOptions) -> KeptReplies:
    """What is kept of a model's replies: in the store if one is named, and in a file of them."""
    if how.store is None:
        return KeptReplies(None, how.given)
    return ReplyStore(how.store).of(model.options, how.given)


@contextmanager
def stopping() -> Iterator[None]:
    """At a limit, or where a server is gone, the command ends with status 1; what was answered is kept."""
    try:
        with _kept_when_ended():
            yield
    except StoppedError as error:
        sys.stderr.write(f"Stopped: {error}\n")
        raise typer.Exit(INCOMPLETE) from error


@contextmanager
def _kept_when_ended() -> Iterator[None]:
    """While it lasts SIGTERM ends the command as Ctrl-C does, so that what was answered is kept."""

    def leave(number: int, _: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
