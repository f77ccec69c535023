"""A chat completion, as servers and batch files hold it, read as a reply."""

from collections.abc import Mapping
from typing import Any

from meta_eval.llm.models import REFUSED, Reply

WRONG = (ValueError, KeyError, IndexError, TypeError, AttributeError)
"""What reading raises for something that is no chat completion."""


def completion_reply(body: Mapping[str, Any]) -> Reply:
    """The reply in a chat completion; raises one of `WRONG` for what is none."""
    choice = body["choices"][0]
    message, usage = choice["message"], body.get("usage") or {}
    refusal = message.get("refusal")
    return Reply(
        text=require_text(refusal or message.get("content") or ""),
        finish=REFUSED if refusal else str(choice.get("finish_reason") or "stop"),
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        fingerprint=body.get("system_fingerprint") or None,
    )


def require_text(value: Any) -> str:
    """The value, which must be text."""
    if not isinstance(value, str):
        raise TypeError("a reply is text")
    return value


def _count(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None
