"""How many tokens messages are: counted by a tokenizer, or estimated."""

from collections.abc import Callable, Sequence

from meta_eval.llm.questions import Message

CHARACTERS_PER_TOKEN = 4
_TOKENS_PER_MESSAGE = 4  # what a chat template adds, about


def token_counter(tokenizer: str | None) -> tuple[Callable[[Sequence[Message]], int], str]:
    """A function from messages to their number of tokens, and in words how it counts; None: it estimates."""
    if tokenizer is None:
        return estimate_tokens, f"estimated: characters/{CHARACTERS_PER_TOKEN}"
    return load_counter(tokenizer), f"counted by {tokenizer}"


def estimate_tokens(messages: Sequence[Message]) -> int:
    """About how many tokens the messages are, where no tokenizer is at hand."""
    characters = sum(len(message.content) for message in messages)
    return -(-characters // CHARACTERS_PER_TOKEN) + _TOKENS_PER_MESSAGE * len(messages)


def load_counter(name: str) -> Callable[[Sequence[Message]], int]:
    """A function that counts tokens with the tokenizer of a folder or of the hub; no weights are needed."""
    from meta_eval.kernels.generate import encode_messages
    from meta_eval.kernels.models import find_tokenizer, load_tokenizer

    tokenizer = load_tokenizer(name, find_tokenizer(name))
    return lambda messages: len(encode_messages(tokenizer, [message.as_dict() for message in messages]))
