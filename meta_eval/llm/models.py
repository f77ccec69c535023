"""Language models by name: what may be set, what of it shapes a reply, and where a reply comes from."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from math import isfinite
from types import NoneType
from typing import Any, Literal, Protocol, get_args

from meta_eval.errors import MetaEvalError
from meta_eval.llm.counting import token_counter
from meta_eval.llm.limits import Sends
from meta_eval.llm.questions import Message, Request
from meta_eval.measures.base import OptionValue, Signature

Kind = Literal["http", "local", "replay"]
Structured = Literal["auto", "schema", "object", "none"]
Reason = Literal["unreadable", "refused", "cut off", "prompt too long", "failed", "not kept"]
"""Why an answer is missing."""
REFUSED, CUT_OFF = "content_filter", "length"
"""What a server says of a reply that was filtered or refused, and of one that its limit cut."""

_NAME = re.compile(r"[a-z_]{1,16}")


class ModelError(MetaEvalError):
    """A model that does not exist, cannot be reached as it is set, or has no such option: ends a run."""


class RequestFailedError(Exception):
    """A request that has no reply, with the `reason` for which its answer is missing."""

    def __init__(self, reason: Reason, message: str = "") -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model wrote, why it stopped (`finish`), and how many tokens that took, where anybody says.

    `top` is what is known of the probabilities of its last tokens, as `weighing` reads it.
    """

    text: str
    finish: str = "stop"
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    fingerprint: str | None = None
    top: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """All that may be set of a model; `parse_model` reads it as it is typed.

    `name` is what results call the model. `seed` is of the first draw: draw k is sent with `seed` + k.
    `probabilities`: how likely each value of an answer was is asked for, too. Of the rest only what `shape`
    gives is part of what is asked; the others say how.
    """

    kind: Kind
    model: str
    name: str | None = None
    url: str = "http://localhost:8000/v1"
    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int | None = None
    seed: int = 0
    structured: Structured = "auto"
    probabilities: bool = False
    tokenizer: str | None = None
    revision: str | None = None
    device: str = "auto"
    concurrent: int = 8
    timeout: float = 600.0
    retries: int = 6

    def __post_init__(self) -> None:
        for name, wrong, wanted in (
            ("kind", self.kind not in get_args(Kind), f"one of {', '.join(get_args(Kind))}"),
            ("model", not self.model, "the model's name"),
            ("temperature", not 0 <= self.temperature <= 2, "a number from 0 to 2"),
            ("top_p", not 0 < self.top_p <= 1, "a number above 0 and at most 1"),
            ("top_k", self.top_k is not None and self.top_k < 1, "a whole number from 1"),
            ("seed", not 0 <= self.seed < 2**31, "a whole number from 0"),
            ("structured", self.structured not in get_args(Structured), "auto, schema, object or none"),
            ("probabilities", not isinstance(self.probabilities, bool), "true or false"),
            ("concurrent", not 1 <= self.concurrent <= 256, "a whole number from 1 to 256"),
            ("timeout", not (isfinite(self.timeout) and self.timeout > 0), "seconds above 0"),
            ("retries", not 0 <= self.retries <= 20, "a whole number from 0 to 20"),
        ):
            if wrong:
                # Not what was written: a key may stand in its place.
                raise ModelError(f"{name} of a model must be {wanted}.")

    @property
    def title(self) -> str:
        """What results call the model."""
        return self.name or self.model

    @property
    def shape(self) -> dict[str, OptionValue]:
        """The options on which a reply depends; a model and its `replay` have the same.

        Probabilities are named only where they are asked for: replies of before keep their keys.
        """
        names = ("model", "revision", "temperature", "top_p", "top_k", "seed", "structured")
        shape = {name: getattr(self, name) for name in names}
        return {**shape, "probabilities": True} if self.probabilities else shape


def parse_model(text: str, defaults: Mapping[str, Any] | None = None) -> ModelOptions:
    """A model as typed: its kind, then options after a colon; `defaults` are set unless typed otherwise.

    `none` takes an option back that has no value by itself, such as a default `top_k`.

    Parameters
    ----------
    text : KIND:NAME=VALUE,NAME=VALUE
    defaults : options by name that are set unless typed otherwise

    Returns
    -------
    ModelOptions

    Raises
    ------
    ModelError : for another kind, an option that there is not, and a value that it cannot have

    Examples
    --------
    >>> parse_model("http:model=qwen3-8b,url=http://localhost:8000/v1,temperature=0").model
    'qwen3-8b'
    """
    kind, _, rest = text.partition(":")
    known = {item.name: item.type for item in fields(ModelOptions) if item.name != "kind"}
    values: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in rest.split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        # No message has the value: what was mistyped may be a key.
        if not equals or name not in known:
            called = f" {name!r}" if equals and _NAME.fullmatch(name) else " of that name"
            raise ModelError(
                f"A model has no option{called}, written as name=value; its options are {', '.join(known)}."
            )
        if name in values:
            raise ModelError(f"{name} of a model stands twice: leave one out.")
        values[name] = _value(name, value, known[name])
    if "model" not in values:
        shown = kind if kind in get_args(Kind) else "KIND"
        raise ModelError(f"--model says no model; write {shown}:model=NAME, and options after commas.")
    given = {**(defaults or {}), **values}
    return ModelOptions(kind=kind.strip(), **given)  # type: ignore[arg-type]  # checked there


def _value(name: str, text: str, kind: Any) -> Any:
    if text.lower() == "none" and NoneType in get_args(kind):
        return None
    if kind is bool:
        # Anything else is refused where all options are checked.
        return {"true": True, "false": False}.get(text.lower(), text)
    for wanted in (int, float):
        if wanted in (get_args(kind) or (kind,)):
            try:
                return wanted(text)
            except ValueError as error:
                raise ModelError(f"{name} of a model must be a number.") from error
    return text


class Model(Protocol):
    """What answers requests. `answer` may be called by `concurrent` threads at once."""

    options: ModelOptions
    concurrent: int

    @property
    def place(self) -> str | None:
        """The host to which texts are sent; None where they stay in this process."""

    @property
    def counting(self) -> str:
        """How prompt tokens are counted: by which tokenizer, or estimated."""

    def answer(self, request: Request, sends: Sends | None = None) -> Reply:
        """The reply; `sends` is told of each send, and how it ended, but for the one that the reply ends.

        Raises `RequestFailedError` where there is none, `ModelError` where no other will be.
        """

    def count_tokens(self, messages: Sequence[Message]) -> int: ...

    def close(self) -> None: ...


class ReplayModel:
    """A model whose replies are all kept: it makes no connection, and knows nothing else."""

    def __init__(self, options: ModelOptions) -> None:
        self.options = options
        self.concurrent = 1
        self.place = None
        self._count, self.counting = token_counter(options.tokenizer)

    def answer(self, request: Request, sends: Sends | None = None) -> Reply:  # noqa: ARG002 - whatever it is
        """Refused: what is kept was looked up before."""
        raise RequestFailedError("not kept")

    def count_tokens(self, messages: Sequence[Message]) -> int:
        return self._count(messages)

    def close(self) -> None:
        """Nothing is open."""


def request_key(options: ModelOptions, request: Request) -> str:
    """SHA-256 of all on which a reply depends, in hexadecimal: the key under which it is kept.

    The model's `shape`, the messages, the form, the longest reply and the number of the draw; not the place
    that answers, nor how patiently it is asked.
    """
    content = {
        "model": options.shape,
        "messages": [message.as_dict() for message in request.messages],
        "form": request.form.record,
        "max_tokens": request.max_tokens,
        "sample": request.sample,
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def replies_signature(options: ModelOptions) -> Signature:
    """Under which a store keeps a model's replies: what shapes them, and no version of a library."""
    shape = {name: value for name, value in options.shape.items() if name not in ("model", "revision")}
    return Signature("llm-replies", shape, model=options.model, revision=options.revision)
