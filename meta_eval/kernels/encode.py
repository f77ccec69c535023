"""Hidden states of texts, each text once, in batches of equal lengths side by side."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from meta_eval.kernels.config import EngineConfig
from meta_eval.kernels.layers import compiled_finish, embed, run_layers
from meta_eval.kernels.pack import PackedBatch, run_batches
from meta_eval.kernels.tokens import IntArray, Ragged, kept_tokens, take_rows
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
    vectors = torch.empty(len(ragged.ids), encoders[0].hidden, device=encoders[0].device)
    for part, found in _side_by_side(ragged, encoders, _encode_ascending):
        vectors[torch.from_numpy(part.tokens).to(vectors.device)] = found.to(vectors.device)
    return TokenVectors(vectors, ragged.offsets)


@torch.no_grad()
def embed_texts(ragged: Ragged, encoders: Sequence[Encoder], *, without: Sequence[int] = ()) -> Tensor:
    """The mean of the hidden states of each text, (texts, d) float32 on the first encoder's device.

    The word pieces `without` enter no mean; a text of these alone has NaN.
    """
    means = torch.empty(len(ragged.lengths), encoders[0].hidden, device=encoders[0].device)
    for part, found in _side_by_side(ragged, encoders, partial(_average_ascending, without=without)):
        means[torch.from_numpy(part.texts).to(means.device)] = found.to(means.device)
    return means


@dataclass(frozen=True)
class _Part:
    """The texts that one device encodes, by length: their numbers (texts,) and those of their word pieces."""

    ragged: Ragged
    texts: IntArray
    tokens: IntArray


def _side_by_side(
    ragged: Ragged, encoders: Sequence[Encoder], work: Callable[[Ragged, Encoder], Tensor]
) -> list[tuple[_Part, Tensor]]:
    """What each device makes of the texts that are dealt to it."""
    order = np.argsort(ragged.lengths, kind="stable")
    dealt = [order[number :: len(encoders)] for number in range(len(encoders))]
    taken = [take_rows(ragged, texts) for texts in dealt]
    parts = [_Part(part, texts, tokens) for texts, (part, tokens) in zip(dealt, taken, strict=True)]
    with ThreadPoolExecutor(len(encoders)) as workers:
        done = list(workers.map(work, [part.ragged for part in parts], encoders))
    return list(zip(parts, done, strict=True))


@torch.no_grad()  # a thread has its own
def _encode_ascending(ragged: Ragged, encoder: Encoder) -> Tensor:
    """The unit vectors of texts sorted by length: (tokens, d)."""
    vectors = torch.empty(len(ragged.ids), encoder.hidden, device=encoder.device)

    def keep(batch: PackedBatch, taken: slice, states: Tensor) -> None:  # noqa: ARG001 - what all keepers get
        vectors[taken] = functional.normalize(states, dim=-1)

    _run_ascending(ragged, encoder, keep)
    return vectors


@torch.no_grad()
def _average_ascending(ragged: Ragged, encoder: Encoder, *, without: Sequence[int]) -> Tensor:
    """The mean hidden state of each of the texts, which are sorted by length: (texts, d)."""
    means = torch.empty(len(ragged.lengths), encoder.hidden, device=encoder.device)
    kept = torch.from_numpy(kept_tokens(ragged.ids, without)).to(encoder.device)

    def keep(batch: PackedBatch, taken: slice, states: Tensor) -> None:
        for segment in batch.segments:
            text = states[segment.tokens].view(segment.count, segment.length, -1)  # (C T, d) -> (C, T, d)
            if not without:
                means[segment.sequences] = text.mean(dim=1)  # (C, T, d) -> (C, d)
                continue
            counted = kept[taken][segment.tokens].view(segment.count, segment.length, 1)  # -> (C, T, 1)
            means[segment.sequences] = (text * counted).sum(dim=1) / counted.sum(dim=1)  # -> (C, d)

    _run_ascending(ragged, encoder, keep)
    return means


def _run_ascending(
    ragged: Ragged, encoder: Encoder, keep: Callable[[PackedBatch, slice, Tensor], None]
) -> None:
    """Hand `keep` each batch, where its word pieces stand and their hidden states (used, d) float32."""
    ids = torch.from_numpy(ragged.ids).to(encoder.device)

    def run(batch: PackedBatch) -> None:
        start = int(ragged.offsets[batch.sequences.start])
        taken = slice(start, start + batch.used)
        keep(batch, taken, encoder.encode(ids[taken], batch)[: batch.used].float())

    run_batches(ragged.lengths, run, tokens=encoder.tokens, fixed=encoder.fixed)


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
