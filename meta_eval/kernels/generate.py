"""Text from a causal language model: its chat template, and one token after the other with kept states."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import torch
from torch import Tensor

from meta_eval.kernels.config import find_devices
from meta_eval.kernels.models import ModelFolder, load_model


class Generator:
    """A causal model on one device: float32 on a CPU, bfloat16 on a GPU."""

    def __init__(self, name: str, folder: ModelFolder, device: str = "auto") -> None:
        self._device = find_devices(device)[0]
        dtype = torch.float32 if self._device.type == "cpu" else torch.bfloat16
        loaded = load_model(name, folder, "causal-lm")
        self._model = loaded.module.to(self._device, dtype)
        self._tokenizer = loaded.tokenizer
        self.max_length = loaded.max_length
        self._ends = _end_tokens(self._model, self._tokenizer)
        ends = "-".join(map(str, sorted(self._ends)))
        self.setting = f"{str(dtype).removeprefix('torch.')}+ends-{ends}"
        """What shapes a reply beside the folder's revision: the number type, and the tokens that end it."""

    def encode(self, messages: Sequence[Mapping[str, str]]) -> list[int]:
        """Messages as tokens, ready for the model to go on."""
        return encode_messages(self._tokenizer, messages)

    def decode(self, tokens: Sequence[int]) -> str:
        """Tokens as text, without special ones."""
        text: str = self._tokenizer.decode(list(tokens), skip_special_tokens=True)
        return text

    @torch.inference_mode()
    def generate(
        self,
        prompt: Sequence[int],
        most: int,
        *,
        temperature: float = 0.0,
        top_p: float = 1.0,
        top_k: int | None = None,
        seed: int = 0,
    ) -> tuple[list[int], bool]:
        """At most `most` tokens that follow the prompt, and whether the model ended by itself.

        Temperature 0 takes the likeliest token; else each is drawn, by a generator of this call alone.
        """
        source = torch.Generator().manual_seed(seed)
        written: list[int] = []
        states: Any = None
        step = torch.tensor([list(prompt)], device=self._device)  # (1, prompt), then (1, 1)
        while len(written) < most:
            output = self._model(input_ids=step, past_key_values=states, use_cache=True)
            states = output.past_key_values
            logits = output.logits[0, -1].float().cpu()  # (V,)
            token = choose_token(logits, temperature, top_p, top_k, source)
            if token in self._ends:
                return written, True
            written.append(token)
            step = torch.tensor([[token]], device=self._device)
        return written, False

    @torch.inference_mode()
    def score_options(self, prompt: Sequence[int], texts: Sequence[str]) -> list[float]:
        """The log-probability of each text after the prompt, less that of the tokens with which all begin."""
        options = [self._tokenizer(text, add_special_tokens=False)["input_ids"] for text in texts]
        shared = next(
            (at for at, tokens in enumerate(zip(*options, strict=False)) if len(set(tokens)) > 1),
            min(map(len, options)),
        )
        # The token before the first that differs says how likely each of those is.
        head = [*prompt, *options[0][:shared]]
        states = self._model(input_ids=self._row(head[:-1]), use_cache=True).past_key_values
        found = []
        for tokens in options:
            rest = tokens[shared:]
            step = self._row([head[-1], *rest])
            logits = self._model(input_ids=step, past_key_values=deepcopy(states), use_cache=True).logits
            likely = torch.log_softmax(logits[0, : len(rest)].float(), dim=-1)  # (rest, V)
            found.append(float(likely[range(len(rest)), rest].sum()))
        return found

    def _row(self, tokens: Sequence[int]) -> Tensor:
        return torch.tensor([list(tokens)], device=self._device)


def encode_messages(tokenizer: Any, messages: Sequence[Mapping[str, str]]) -> list[int]:
    """Messages in the tokenizer's chat template; without one, their contents with blank lines between."""
    if tokenizer.chat_template:
        text = tokenizer.apply_chat_template(list(messages), tokenize=False, add_generation_prompt=True)
        ids: list[int] = tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids
    plain = "\n\n".join(message["content"] for message in messages)
    encoded: list[int] = tokenizer(f"{plain}\n\n")["input_ids"]
    return encoded


def choose_token(
    logits: Tensor, temperature: float, top_p: float, top_k: int | None, source: torch.Generator
) -> int:
    """The next token from logits (V,): the likeliest, or one drawn from the top of the distribution.

    The smallest set of tokens that holds `top_p` of the probability, and of these the `top_k` likeliest.
    """
    if temperature == 0:
        return int(logits.argmax())
    chances, order = torch.softmax(logits / temperature, dim=-1).sort(descending=True, stable=True)  # (V,)
    outside = chances.cumsum(dim=-1) - chances >= top_p
    if top_k is not None:
        outside[top_k:] = True
    chances = chances.masked_fill(outside, 0.0)
    return int(order[torch.multinomial(chances, 1, generator=source)])


def _end_tokens(model: Any, tokenizer: Any) -> frozenset[int]:
    """Tokens at which a reply ends: those of the model's settings, and the tokenizer's own."""
    named = getattr(model.generation_config, "eos_token_id", None)
    listed = named if isinstance(named, list) else [named]
    return frozenset(int(token) for token in [*listed, tokenizer.eos_token_id] if token is not None)
