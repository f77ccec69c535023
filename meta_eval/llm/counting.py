"""How many tokens messages are: counted by a tokenizer or by the server of a model, or estimated."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from meta_eval.llm.questions import Message

CHARACTERS_PER_TOKEN = 4
SERVER = "server"
"""The tokenizer that asks the server of the model itself."""
Post = Callable[[str, Mapping[str, Any]], Any]
"""Sends an object to an address of a server, and gives what it answers.

Raises `CountError` where the server does not take it, `StoppedError` where it cannot be reached.
"""
_MOST_REMEMBERED = 100_000
_TOKENS_PER_MESSAGE = 4  # what a chat template adds, about


def token_counter(tokenizer: str | None) -> tuple[Callable[[Sequence[Message]], int], str]:
    """A function from messages to their number of tokens, and in words how it counts; None: it estimates."""
    if tokenizer in (None, SERVER):
        return estimate_tokens, f"estimated: characters/{CHARACTERS_PER_TOKEN}"
    return load_counter(tokenizer), f"counted by {tokenizer}"


def estimate_tokens(messages: Sequence[Message]) -> int:
    """About how many tokens the messages are, where no tokenizer is at hand."""
    characters = sum(len(message.content) for message in messages)
    return -(-characters // CHARACTERS_PER_TOKEN) + _TOKENS_PER_MESSAGE * len(messages)


def server_counter(post: Post, model: str) -> Callable[[Sequence[Message]], int] | None:
    """A function that asks a server for the number of tokens, each prompt once; None where it cannot say.

    vLLM counts messages at `/tokenize`. llama.cpp puts them into the model's template at `/apply-template`,
    and counts the text at `/tokenize`.
    """
    for way in (_count_as_vllm, _count_as_llama):
        try:
            if way(post, model, (Message("user", "a"),)) is not None:
                return _remembering(way, post, model)
        except CountError:
            continue
    return None


class CountError(Exception):
    """A server does not count a prompt, and what it said to that."""


Way = Callable[[Post, str, tuple[Message, ...]], int | None]


def _remembering(way: Way, post: Post, model: str) -> Callable[[Sequence[Message]], int]:
    @lru_cache(maxsize=_MOST_REMEMBERED)
    def count(messages: tuple[Message, ...]) -> int:
        found = way(post, model, messages)
        if found is None:
            raise CountError("it named no number")
        return found

    return lambda messages: count(tuple(messages))


def _count_as_vllm(post: Post, model: str, messages: tuple[Message, ...]) -> int | None:
    asked = {"model": model, "messages": _sent(messages), "add_generation_prompt": True}
    return _whole(_part(post("/tokenize", asked), "count"))


def _count_as_llama(post: Post, _model: str, messages: tuple[Message, ...]) -> int | None:
    prompt = _part(post("/apply-template", {"messages": _sent(messages)}), "prompt")
    if not isinstance(prompt, str):
        return None
    asked = {"content": prompt, "add_special": True, "parse_special": True}
    tokens = _part(post("/tokenize", asked), "tokens")
    return len(tokens) if isinstance(tokens, list) else None


def _sent(messages: tuple[Message, ...]) -> list[dict[str, str]]:
    return [message.as_dict() for message in messages]


def _part(answer: Any, name: str) -> Any:
    return answer.get(name) if isinstance(answer, dict) else None


def _whole(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None


def load_counter(name: str) -> Callable[[Sequence[Message]], int]:
    """A function that counts tokens with the tokenizer of a folder or of the hub; no weights are needed."""
    from meta_eval.kernels.generate import encode_messages
    from meta_eval.kernels.models import find_tokenizer, load_tokenizer

    tokenizer = load_tokenizer(name, find_tokenizer(name))
    return lambda messages: len(encode_messages(tokenizer, [message.as_dict() for message in messages]))
