"""Prompts and replies as files: to review what is asked, ask it elsewhere, and read the answers back."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from meta_eval.files.json_files import json_line, read_json_lines
from meta_eval.files.reading import Faults
from meta_eval.llm.completions import WRONG, completion_reply, require_text
from meta_eval.llm.models import Model, ModelError, ModelOptions, Reply, request_key
from meta_eval.llm.questions import Question

FAULTS = 20
"""The most lines of a file that are named as faults; the others are counted."""
_COUNTED = ("prompt_tokens", "completion_tokens", "fingerprint", "top")
_NO_REPLY = "is neither a line of a batch's result nor an object with id and text"
BATCH_ADDRESS = "/v1/chat/completions"


def prompt_lines(questions: Iterable[Question], model: Model) -> Iterator[str]:
    """Each different request as a line of JSON: its key (`id`), its messages, and their tokens."""
    for key, question in _by_key(questions, model.options).items():
        messages = question.request.messages
        line = {
            "id": key,
            "messages": [message.as_dict() for message in messages],
            "tokens": model.count_tokens(messages),
        }
        yield f"{json_line(line)}\n"


def batch_lines(questions: Iterable[Question], model: Model) -> Iterator[str]:
    """Each different request as a line of OpenAI's batch format; `custom_id` is its key."""
    from meta_eval.llm.http import HttpModel

    if not isinstance(model, HttpModel):
        raise ModelError("A batch file is for a server: write the model as http:model=NAME.")
    structured = {"auto": "schema"}.get(model.options.structured, model.options.structured)
    for key, question in _by_key(questions, model.options).items():
        line = {
            "custom_id": key,
            "method": "POST",
            "url": BATCH_ADDRESS,
            "body": model.body(question.request, structured),
        }
        yield f"{json_line(line)}\n"


def reply_lines(replies: Mapping[str, Reply]) -> Iterator[str]:
    """Replies as lines of JSON in the order of their keys; `read_replies` gives the same replies again.

    Examples
    --------
    >>> print(*reply_lines({"k": Reply("yes", prompt_tokens=7)}), end="")
    {"id": "k", "text": "yes", "finish": "stop", "prompt_tokens": 7}
    """
    for key, reply in sorted(replies.items()):
        known = {name: getattr(reply, name) for name in _COUNTED if getattr(reply, name) is not None}
        line = {"id": key, "text": reply.text, "finish": reply.finish, **known}
        yield f"{json_line(line)}\n"


def read_replies(source: Path | BinaryIO, name: str | None = None) -> dict[str, Reply]:
    """Replies by key, from the result of a batch or from lines as `reply_lines` writes them.

    `name` is what messages call the file.

    Raises `InputError` with the lines that are neither, and those with another reply to an id that came
    before; a batch's line with an error is passed over, and its answer stays missing.
    """
    replies: dict[str, Reply] = {}
    lines: dict[str, int] = {}
    faults = Faults(FAULTS)
    called = name or str(source)
    for number, line in read_json_lines(source, called, faults, _NO_REPLY):
        try:
            key, reply = _reply_of(line)
        except WRONG:
            faults.add(called, number, _NO_REPLY)
            continue
        if reply is None:
            continue
        if _differ(replies.setdefault(key, reply), reply):
            faults.add(called, number, f"holds another reply to the id of line {lines[key]}: leave one out")
        lines.setdefault(key, number)
    faults.raise_if_any()
    return replies


def _differ(first: Reply, second: Reply) -> bool:
    return (first.text, first.finish) != (second.text, second.finish)


def _by_key(questions: Iterable[Question], options: ModelOptions) -> dict[str, Question]:
    found: dict[str, Question] = {}
    for question in questions:
        found.setdefault(request_key(options, question.request), question)
    return found


def _reply_of(line: Mapping[str, Any]) -> tuple[str, Reply | None]:
    if "custom_id" not in line:
        text, finish = require_text(line["text"]), require_text(line.get("finish", "stop"))
        return str(line["id"]), Reply(text, finish, **_counted(line))
    response = line.get("response") or {}
    if response.get("status_code") != 200:
        return str(line["custom_id"]), None
    return str(line["custom_id"]), completion_reply(response["body"])


def _counted(line: Mapping[str, Any]) -> dict[str, Any]:
    """Tokens and the server's build, where a line has them; ValueError for what is neither."""
    found = {name: line[name] for name in _COUNTED if line.get(name) is not None}
    if any(type(value) is not (int if name.endswith("_tokens") else str) for name, value in found.items()):
        raise ValueError("tokens are whole numbers, a fingerprint and top are texts")
    return found
