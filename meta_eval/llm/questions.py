"""What is asked: messages, the form of the answer, and how long it may be."""

from dataclasses import dataclass
from typing import Literal

from meta_eval.llm.forms import Form

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Role
    content: str

    def as_dict(self) -> dict[str, str]:
        """As servers and chat templates take it."""
        return {"role": self.role, "content": self.content}


@dataclass(frozen=True, slots=True)
class Request:
    """What a model is sent, and all of a question by which its reply is kept.

    `max_tokens` bounds the reply; `sample` numbers repeated draws of one prompt from 0.
    """

    messages: tuple[Message, ...]
    form: Form
    max_tokens: int = 512
    sample: int = 0


@dataclass(frozen=True, slots=True)
class Question:
    """A request with the caller's key `id`: what its answer is about. Equal requests are sent once.

    Examples
    --------
    >>> from meta_eval.llm.forms import Choice
    >>> request = Request((Message("user", "Is rain wet? yes or no"),), Choice(("yes", "no")), max_tokens=16)
    >>> Question("rain", request).request.sample
    0
    """

    id: str
    request: Request
