"""A chat completion, as servers and batch files hold it, read as a reply."""

import re
from collections.abc import Mapping
from typing import Any

from meta_eval.llm.models import REFUSED, Reply
from meta_eval.llm.weighing import tail_of

WRONG = (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError)
"""What reading raises for something that is no chat completion."""
_NO_CHARACTER = re.compile("[\0\ud800-\udfff]")
_MOST = 2**63
"""What a kept count of tokens stays below."""


def completion_reply(body: Mapping[str, Any]) -> Reply:
    """The reply in a chat completion; raises one of `WRONG` for what is none."""
    choice = body["choices"][0]
    message, usage = choice["message"], body.get("usage") or {}
    refusal = message.get("refusal")
    return Reply(
        text=require_text(refusal or message.get("content") or ""),
        finish=REFUSED if refusal else require_text(choice.get("finish_reason") or "stop"),
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        fingerprint=require_text(body.get("system_fingerprint") or "") or None,
        top=tail_of(choice.get("logprobs")),
    )


def require_text(value: Any) -> str:
    """The value, which must be text; half a surrogate pair or NUL, which no store takes, becomes U+FFFD."""
    if not isinstance(value, str):
        raise TypeError("a reply is text")
    return _NO_CHARACTER.sub("\ufffd", value)


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value < _MOST else None
