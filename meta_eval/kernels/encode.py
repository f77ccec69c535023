"""Hidden states of texts, each text once, in batches of equal lengths side by side."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from meta_eval.kernels.config import EngineConfig
from meta_eval.kernels.layers import compiled_finish, embed, run_layers
from meta_eval.kernels.pack import PackedBatch, run_batches
from meta_eval.kernels.tokens import IntArray, Ragged, take_rows
from meta_eval.kernels.weights import EncoderWeights

EncodeBatch = Callable[[Tensor, PackedBatch], Tensor]


@dataclass(frozen=True)
class TokenVectors:
    """One unit vector a word piece: text i at rows `offsets[i] : offsets[i + 1]` of `vectors` (tokens, d)
    float32.
    """

    vectors: Tensor
    offsets: IntArray


@dataclass(frozen=True)
class Encoder:
    """How one device encodes: batches of `tokens` word pieces into states of `hidden` numbers."""

    encode: EncodeBatch
    device: torch.device
    hidden: int
    tokens: int
    fixed: bool = False


@torch.no_grad()
def encode_texts(ragged: Ragged, encoders: Sequence[Encoder]) -> TokenVectors:
    """The unit vectors of all word pieces of all texts, in the texts' order, on the first encoder's device.

    With several encoders, one a device, texts are dealt out by length and encoded side by side.
    """
    order = np.argsort(ragged.lengths, kind="stable")
    parts = [take_rows(ragged, order[number :: len(encoders)]) for number in range(len(encoders))]
    with ThreadPoolExecutor(len(encoders)) as workers:
        done = list(workers.map(_encode_ascending, [part for part, _ in parts], encoders))
    vectors = torch.empty(len(ragged.ids), encoders[0].hidden, device=encoders[0].device)
    for (_, source), found in zip(parts, done, strict=True):
        vectors[torch.from_numpy(source).to(vectors.device)] = found.to(vectors.device)
    return TokenVectors(vectors, ragged.offsets)


@torch.no_grad()  # a thread has its own
def _encode_ascending(ragged: Ragged, encoder: Encoder) -> Tensor:
    """The unit vectors of texts sorted by length: (tokens, d)."""
    ids = torch.from_numpy(ragged.ids).to(encoder.device)
    vectors = torch.empty(len(ids), encoder.hidden, device=encoder.device)

    def run(batch: PackedBatch) -> None:
        start = int(ragged.offsets[batch.sequences.start])
        taken = slice(start, start + batch.used)
        states = encoder.encode(ids[taken], batch)[: batch.used].float()
        vectors[taken] = functional.normalize(states, dim=-1)

    run_batches(ragged.lengths, run, tokens=encoder.tokens, fixed=encoder.fixed)
    return vectors


def layer_states(weights: EncoderWeights, layers: int, config: EngineConfig) -> EncodeBatch:
    """Encode with the kernels: word pieces (used,) of a batch -> hidden states (rows, d) after `layers`
    layers.
    """
    finish = compiled_finish(config.compile)

    def encode(ids: Tensor, batch: PackedBatch) -> Tensor:
        hidden = weights.words.new_zeros(batch.rows, weights.hidden, dtype=weights.dtype)
        for segment in batch.segments:
            text = ids[segment.tokens].view(segment.count, segment.length)  # (C T,) -> (C, T)
            hidden[segment.tokens] = embed(text, weights).flatten(0, 1)  # (C, T, d) -> (C T, d)
        return run_layers(hidden, batch, weights, weights.layers[:layers], finish=finish)

    return encode


def module_states(module: Any, layers: int) -> EncodeBatch:
    """Encode with a transformers model's own forward, for architectures that the kernels do not know."""

    def encode(ids: Tensor, batch: PackedBatch) -> Tensor:
        states = []
        for segment in batch.segments:
            text = ids[segment.tokens].view(segment.count, segment.length)  # (C T,) -> (C, T)
            output = module(text, attention_mask=torch.ones_like(text), output_hidden_states=True)
            states.append(output.hidden_states[layers].flatten(0, 1))  # (C, T, d) -> (C T, d)
        return torch.cat(states)

    return encode
