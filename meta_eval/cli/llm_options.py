"""Options of every command that asks language models, and what they come to."""

import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from meta_eval.cli.options import finite
from meta_eval.errors import InputError
from meta_eval.llm.counting import SERVER
from meta_eval.llm.files import read_replies
from meta_eval.llm.limits import Limits, Price
from meta_eval.llm.models import Model, ModelOptions, Reply, parse_model
from meta_eval.llm.opening import open_model

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


@dataclass(frozen=True, slots=True)
class AskOptions:
    """What a command was told of asking: where replies are kept and found, how often, and how much.

    Each model has its own count of `limits`. With `dry_run` or `batch` nothing is sent.
    """

    store: str | None
    given: dict[str, Reply]
    attempts: int
    limits: Limits
    price: Price
    dry_run: bool
    batch: bool

    @property
    def sends(self) -> bool:
        """Whether models are asked at all."""
        return not (self.dry_run or self.batch)


def _ask_options(
    store: RepliesStoreOption = None,
    replies: RepliesOption = None,
    dry_run: DryRunOption = False,
    batch: BatchOption = False,
    attempts: AttemptsOption = 2,
    max_requests: RequestsOption = None,
    max_tokens_total: TokensOption = None,
    max_cost: CostOption = None,
    per_minute: PaceOption = None,
    price_in: PriceInOption = 0.0,
    price_out: PriceOutOption = 0.0,
) -> AskOptions:
    """The options that all commands share, in the order of their help, and what they come to."""
    price = Price(price_in, price_out)
    if max_cost is not None and price == Price():
        raise InputError("--max-cost needs what tokens cost: give --price-in and --price-out")
    return AskOptions(
        store=store,
        given={} if replies is None else read_replies(replies),
        attempts=attempts,
        limits=Limits(max_requests, max_tokens_total, max_cost, per_minute),
        price=price,
        dry_run=dry_run,
        batch=batch,
    )


_SHARED = [
    one.replace(kind=inspect.Parameter.KEYWORD_ONLY)
    for one in inspect.signature(_ask_options).parameters.values()
]


def asks_models(command: Callable[..., None]) -> Callable[..., None]:
    """A command with the shared options in place of its keyword parameter `how`, which gets what they say.

    They stand where `how` stood, so that the help of every command shows them in one order.
    """
    parameters: list[inspect.Parameter] = []
    signature = inspect.signature(command)
    for one in signature.parameters.values():
        parameters += _SHARED if one.name == "how" else [one]

    @wraps(command)
    def asked(**typed: Any) -> None:
        shared = {one.name: typed.pop(one.name) for one in _SHARED}
        command(**typed, how=_ask_options(**shared))

    asked.__annotations__ = {one.name: one.annotation for one in parameters}
    asked.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]  # Typer reads it
    return asked


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
        for model in models:
            if model.place and model.options.tokenizer == SERVER:
                name = model.options.title
                sys.stderr.write(
                    f"{name}: {model.place} counts tokens: texts go there before any question.\n"
                )
        yield models
    finally:
        for model in models:
            model.close()


def require_draws(models: Sequence[ModelOptions], draws: int) -> None:
    """Raises `InputError` for several draws of a model that would answer the same each time."""
    greedy = [options.title for options in models if options.temperature == 0]
    if draws > 1 and greedy:
        raise InputError(
            f"--draws {draws} needs a temperature above 0 to differ: set it for {', '.join(greedy)} "
            "(...,temperature=0.7), or leave --draws out"
        )
