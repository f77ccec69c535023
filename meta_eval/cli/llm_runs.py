"""How a command asks a model its questions: announced before, counted after, stopped cleanly at a limit."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import typer

from meta_eval.cli.inputs import progress_bar
from meta_eval.cli.llm_options import (
    announce,
    expect,
    kept_replies,
    kept_when_ended,
    render_prompts,
    report_usage,
)
from meta_eval.cli.options import INCOMPLETE
from meta_eval.errors import InputError
from meta_eval.files.writing import write_text
from meta_eval.llm.asking import Answer, Asking
from meta_eval.llm.files import reply_lines
from meta_eval.llm.limits import Limits, Price, StoppedError
from meta_eval.llm.models import Model, Reply
from meta_eval.llm.questions import Question
from meta_eval.llm.runs import count_answers, run_warnings

PROMPTS, BATCH, REPLIES = "prompts.jsonl", "batch.jsonl", "replies.jsonl"


@dataclass(frozen=True, slots=True)
class Runs:
    """What the options of a command say of asking: where replies are kept, how long, how much."""

    store: str | None
    given: dict[str, Reply]
    attempts: int
    limits: Limits
    price: Price
    replies: dict[str, Reply] = field(default_factory=dict)
    """Every reply that was used so far."""

    def ask(self, model: Model, questions: Sequence[Question]) -> list[Answer]:
        """The answers, in order; what leaves, what it took and what is missing is said on stderr."""
        kept = kept_replies(model, self.store, self.given)
        announce(model, expect(questions, model, kept, self.price))
        with progress_bar(model.options.title, "questions") as progress:
            run = Asking(
                questions,
                model,
                kept=kept,
                attempts=self.attempts,
                limits=self.limits,
                price=self.price,
                progress=progress,
            )
            answers = list(run)
        self.replies.update(run.replies)
        report_usage(model, run.usage, self.price)
        for warning in run_warnings(count_answers(answers)):
            sys.stderr.write(f"warning: {model.options.title}: {warning}\n")
        return answers

    def write_replies(self, out: Path) -> None:
        """The replies that were used, as `--replies` takes them: they give the same result again."""
        write_text("".join(reply_lines(self.replies)), out / REPLIES)

    def write_prompts(
        self, models: Sequence[Model], questions: Sequence[Question], out: Path, *, batch: bool
    ) -> None:
        """What would be asked, as a file, and what it would take; nothing is sent."""
        if len(models) > 1 and batch:
            raise InputError("a batch file is for one model: name one --model")
        for model in models:
            announce(model, expect(questions, model, kept_replies(model, self.store, self.given), self.price))
        text = render_prompts(questions, models[0], batch=batch)
        write_text(text, out / (BATCH if batch else PROMPTS))


@contextmanager
def stopping() -> Iterator[None]:
    """At a limit, or where a server is gone, the command ends with status 1; what was answered is kept."""
    try:
        with kept_when_ended():
            yield
    except StoppedError as error:
        sys.stderr.write(f"Stopped: {error}\n")
        raise typer.Exit(INCOMPLETE) from error


def require_draws(models: Sequence[Model], draws: int) -> None:
    """Raises `InputError` for several draws of a model that would answer the same each time."""
    greedy = [model.options.title for model in models if model.options.temperature == 0]
    if draws > 1 and greedy:
        raise InputError(
            f"--draws {draws} needs a temperature above 0 to differ: set it for {', '.join(greedy)} "
            "(...,temperature=0.7), or leave --draws out"
        )
