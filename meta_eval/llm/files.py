"""Prompts and replies as files: to review what is asked, ask it elsewhere, and read the answers back."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from meta_eval.errors import Fault, InputError
from meta_eval.llm.completions import WRONG, completion_reply, require_text
from meta_eval.llm.models import Model, ModelError, ModelOptions, Reply, request_key
from meta_eval.llm.questions import Question

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
        yield json.dumps(line, ensure_ascii=False) + "\n"


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
        yield json.dumps(line, ensure_ascii=False) + "\n"


def read_replies(path: Path) -> dict[str, Reply]:
    """Replies by key, from the result of a batch or from lines of `id`, `text` and perhaps `finish`.

    Raises `InputError` with the first line that is neither; a batch's line with an error is passed over, and
    its answer stays missing.
    """
    replies: dict[str, Reply] = {}
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise InputError([Fault(str(path), None, f"cannot be read: {error.strerror}")]) from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            key, reply = _reply_of(json.loads(line))
        except WRONG as error:
            message = "is neither a line of a batch's result nor an object with id and text"
            raise InputError([Fault(str(path), number, message)]) from error
        if reply is not None:
            replies[key] = reply
    return replies


def _by_key(questions: Iterable[Question], options: ModelOptions) -> dict[str, Question]:
    found: dict[str, Question] = {}
    for question in questions:
        found.setdefault(request_key(options, question.request), question)
    return found


def _reply_of(line: Mapping[str, Any]) -> tuple[str, Reply | None]:
    if "custom_id" not in line:
        return str(line["id"]), Reply(require_text(line["text"]), str(line.get("finish", "stop")))
    response = line.get("response") or {}
    if response.get("status_code") != 200:
        return str(line["custom_id"]), None
    return str(line["custom_id"]), completion_reply(response["body"])
