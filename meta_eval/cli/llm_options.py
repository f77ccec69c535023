"""Options of every command that asks language models, and what they come to."""

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, NoReturn

import typer

from meta_eval.cli.options import finite
from meta_eval.errors import InputError
from meta_eval.llm.asking import estimate
from meta_eval.llm.files import batch_lines, prompt_lines, read_replies
from meta_eval.llm.limits import Estimate, Limits, Price, Usage
from meta_eval.llm.models import Model, Reply, open_model, parse_model
from meta_eval.llm.questions import Question
from meta_eval.llm.replies import KeptReplies, ReplyStore

ModelOption = Annotated[
    list[str],
    typer.Option(
        "--model",
        metavar="KIND:OPTIONS",
        help="A model: http:model=NAME,url=..., local:model=FOLDER, or replay:model=NAME. May be repeated.",
    ),
]
RepliesStoreOption = Annotated[
    str | None,
    typer.Option(
        "--store", metavar="URL", help="Folder or URL in which replies are kept, each asked for once."
    ),
]
RepliesOption = Annotated[
    Path | None,
    typer.Option("--replies", metavar="FILE", help="Replies from elsewhere: a batch's result, or JSONL."),
]
DryRunOption = Annotated[
    bool,
    typer.Option("--dry-run", help="Send nothing: write every prompt, and say what it would take."),
]
BatchOption = Annotated[
    bool, typer.Option("--batch", help="Send nothing: write the requests as a batch file for a server.")
]
AttemptsOption = Annotated[
    int, typer.Option(min=1, max=10, help="Replies to a question until one can be read.")
]
RequestsOption = Annotated[
    int | None, typer.Option("--max-requests", min=1, help="Stop before more requests than this.")
]
TokensOption = Annotated[
    int | None,
    typer.Option("--max-tokens-total", min=1, help="Stop before more tokens than this, prompts and replies."),
]
CostOption = Annotated[
    float | None,
    typer.Option("--max-cost", min=0, help="Stop before a higher cost; needs the prices."),
]
PaceOption = Annotated[
    float | None, typer.Option("--per-minute", min=0.01, help="The most requests a minute, evenly spaced.")
]
PriceInOption = Annotated[
    float, typer.Option("--price-in", min=0, help="Cost of a million prompt tokens.", callback=finite)
]
PriceOutOption = Annotated[
    float, typer.Option("--price-out", min=0, help="Cost of a million reply tokens.", callback=finite)
]


def make_limits(
    requests: int | None, tokens: int | None, cost: float | None, per_minute: float | None, price: Price
) -> Limits:
    """The limits; raises `InputError` for one on a cost that nobody can know."""
    if cost is not None and price == Price():
        raise InputError("--max-cost needs what tokens cost: give --price-in and --price-out")
    return Limits(requests, tokens, cost, per_minute)


@contextmanager
def opened_models(texts: Sequence[str], **defaults: Any) -> Iterator[list[Model]]:
    """The models, each under a name of its own; closed at the end. Raises before any is opened.

    `defaults` are what is set of a model unless the user says otherwise.
    """
    options = [parse_model(text, defaults) for text in texts]
    titles = [one.title for one in options]
    if repeated := sorted({title for title in titles if titles.count(title) > 1}):
        raise InputError(f"{', '.join(repeated)} stands more than once: give each a name (...,name=WORD)")
    models: list[Model] = []
    try:
        models += (open_model(one) for one in options)
        yield models
    finally:
        for model in models:
            model.close()


def kept_replies(model: Model, store: str | None, given: dict[str, Reply]) -> KeptReplies:
    """What is kept of a model's replies: in the store if one is named, and in a file of them."""
    if store is None:
        return KeptReplies(None, given)
    return ReplyStore(store).of(model.options, given)


def given_replies(path: Path | None) -> dict[str, Reply]:
    """The replies of `--replies`."""
    return {} if path is None else read_replies(path)


def announce(model: Model, expected: Estimate) -> None:
    """Say on stderr what leaves this machine, where to, and what it will take, before it does."""
    where = "stay in this process" if model.place is None else f"go to {model.place}"
    cost = "" if expected.cost is None else f", at most {expected.cost:,.2f} in cost"
    sys.stderr.write(
        f"{model.options.title}: {expected.requests:,} requests, {expected.new:,} of them new; their texts "
        f"{where}. {expected.prompt_tokens:,} prompt tokens ({expected.counting}), at most "
        f"{expected.most_completion_tokens:,} for replies{cost}.\n"
    )


def expect(questions: Sequence[Question], model: Model, kept: KeptReplies, price: Price) -> Estimate:
    """What the questions will take; a cost only where a price is named."""
    return estimate(questions, model, kept, None if price == Price() else price)


def render_prompts(questions: Sequence[Question], model: Model, *, batch: bool) -> str:
    """The prompts to read, or the lines of a batch file."""
    return "".join((batch_lines if batch else prompt_lines)(questions, model))


def report_usage(model: Model, used: Usage, price: Price) -> None:
    """Say on stderr what a run has sent and taken."""
    cost = price.of(used.prompt_tokens, used.completion_tokens)
    sys.stderr.write(
        f"{model.options.title}: {used.requests:,} requests sent, {used.prompt_tokens:,} prompt tokens, "
        f"{used.completion_tokens:,} of replies{f', {cost:,.2f} in cost' if price != Price() else ''}\n"
    )


@contextmanager
def kept_when_ended() -> Iterator[None]:
    """While it lasts SIGTERM ends the command as Ctrl-C does, so that what was answered is kept."""

    def leave(number: int, _: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
