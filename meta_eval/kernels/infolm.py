"""InfoLM's averaged masked-LM distribution of each text (Colombo et al., AAAI 2022; protocol 2).

For every word piece that counts, a copy of the text with that piece masked goes through the encoder, and the
distribution that the model predicts there, softmax(logits / temperature), is averaged over the pieces.

What is left out, all of it exact up to rounding: padding (batches hold sequences of equal length side by
side); embeddings and first projections of the rows that all copies of a text share; keys and values of the
last layer, and everything after them but for the masked row; the head for any other row.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from meta_eval.kernels.config import CompileMode, EngineConfig
from meta_eval.kernels.layers import (
    Compiled,
    compiled_finish,
    embed,
    last_layer_rows,
    product_float32,
    project,
    run_layers,
)
from meta_eval.kernels.mask import MaskedTexts, equal_runs
from meta_eval.kernels.pack import PackedBatch, PackedSegment, run_batches
from meta_eval.kernels.tokens import IntArray
from meta_eval.kernels.weights import ACTIVATIONS, EncoderWeights, HeadWeights


@dataclass(frozen=True)
class MaskedModel:
    """An encoder and its head on one device, with what every masked row starts from.

    `mask_hidden` (P, d) is the embedding of the mask at each position, `mask_qkv` (P, 3 d) its first
    projection.
    """

    encoder: EncoderWeights
    head: HeadWeights
    mask_hidden: Tensor
    mask_qkv: Tensor

    @property
    def vocabulary(self) -> int:
        """Columns of a distribution: the vocabulary padded with words of probability 0."""
        return self.head.decoder.shape[0]


@torch.no_grad()
def make_masked_model(encoder: EncoderWeights, head: HeadWeights, mask: int) -> MaskedModel:
    """The model with the rows of a masked word piece worked out for every position."""
    ids = torch.full((1, encoder.max_length), mask, device=encoder.device)
    hidden = embed(ids, encoder)[0]  # (1, P, d) -> (P, d)
    return MaskedModel(encoder, head, hidden, project(hidden, encoder.layers[0]))


@torch.no_grad()
def average_distributions(
    masked: MaskedTexts,
    models: Sequence[MaskedModel],
    *,
    texts: int,
    temperature: float,
    config: EngineConfig,
    store: torch.device | None = None,
) -> Tensor:
    """The distribution of each text, (texts, V') float32, on `store` or the first model's device.

    Texts that are left out have 0 everywhere. With several models, one a device, parts of the texts are
    worked on side by side, with the same result.
    """
    first = models[0]
    total = torch.zeros(texts, first.vocabulary, device=store or first.encoder.device)

    def work(part: MaskedTexts, model: MaskedModel) -> tuple[IntArray, Tensor]:
        return part_distributions(part, model, temperature=temperature, config=config)

    for text, distributions in _map_parts(work, masked.parts(config.part_copies), models):
        index = torch.from_numpy(text).to(total.device)
        total.index_add_(0, index, distributions.to(total.device))
    return total


def _map_parts(
    work: Callable[[MaskedTexts, MaskedModel], tuple[IntArray, Tensor]],
    parts: Iterator[MaskedTexts],
    models: Sequence[MaskedModel],
) -> Iterator[tuple[IntArray, Tensor]]:
    if len(models) == 1:
        yield from (work(part, models[0]) for part in parts)
        return
    workers = [ThreadPoolExecutor(1) for _ in models]
    try:
        futures = [
            workers[i % len(models)].submit(torch.no_grad()(work), part, models[i % len(models)])
            for i, part in enumerate(parts)
        ]
        yield from (future.result() for future in futures)
    finally:
        for worker in workers:
            worker.shutdown(cancel_futures=True)


def part_distributions(
    part: MaskedTexts, model: MaskedModel, *, temperature: float, config: EngineConfig
) -> tuple[IntArray, Tensor]:
    """Distributions of the texts of one part: their numbers (u,) and weighted means (u, V')."""
    rows = masked_rows(part, model, config)
    text, local = np.unique(part.text, return_inverse=True)
    total = torch.zeros(len(text), model.vocabulary, device=rows.device)
    weight = torch.from_numpy(part.weight).to(rows.device)
    average = _compiled_average(config.compile)

    def run(batch: PackedBatch) -> None:
        done = []
        start = int(part.copies[: batch.sequences.start].sum())
        for segment in batch.segments:
            count = segment.count * segment.length
            logits = head_logits(rows[start : start + count], model.head)  # (count, d) -> (count, V')
            means = average(logits, weight[start : start + count].view(segment.count, -1), temperature)
            done.append((segment, means))
            start += count
        for segment, means in done:
            _add_windows(total, means, local[segment.sequences], part.number[segment.sequences])

    run_batches(part.copies, run, tokens=config.head_rows)
    return text, total


def _add_windows(total: Tensor, means: Tensor, text: IntArray, number: IntArray) -> None:
    """Add each window's share to its text; no addition meets a text twice, so the order is fixed."""
    for run in equal_runs(number):
        total.index_add_(0, torch.from_numpy(text[run]).to(total.device), means[run])


@dataclass(frozen=True)
class _Copies:
    """A part's masked copies on a device: word pieces of its windows, and each copy's window and position."""

    part: MaskedTexts
    ids: Tensor  # (tokens,)
    row: Tensor  # (copies,)
    position: Tensor  # (copies,)

    @classmethod
    def on(cls, device: torch.device, part: MaskedTexts) -> "_Copies":
        arrays = (part.ragged.ids, part.row, part.position)
        return cls(part, *(torch.from_numpy(array).to(device) for array in arrays))

    def windows(self, segment: PackedSegment) -> Tensor:
        """The windows from which a segment's copies come: (windows, T)."""
        first, last = self.part.row[segment.first], self.part.row[segment.first + segment.count - 1]
        offsets = self.part.ragged.offsets
        return self.ids[int(offsets[first]) : int(offsets[last + 1])].view(-1, segment.length)


def masked_rows(part: MaskedTexts, model: MaskedModel, config: EngineConfig) -> Tensor:
    """The last hidden state of the masked row of each copy: (copies, d)."""
    encoder = model.encoder
    copies = _Copies.on(encoder.device, part)
    rows = torch.empty(len(part.row), encoder.hidden, dtype=encoder.dtype, device=encoder.device)
    finish = compiled_finish(config.compile)

    def run(batch: PackedBatch) -> None:
        hidden, qkv = _first_rows(batch, copies, model)
        *layers, last = encoder.layers
        hidden = run_layers(hidden, batch, encoder, layers, qkv=qkv, finish=finish)
        at = copies.position[batch.sequences]
        rows[batch.sequences] = last_layer_rows(hidden, batch, at, encoder, last)

    run_batches(part.copy_lengths, run, tokens=config.batch_tokens, fixed=config.compile != "none")
    return rows


def _first_rows(batch: PackedBatch, copies: _Copies, model: MaskedModel) -> tuple[Tensor, Tensor]:
    """Embeddings and first projections of a batch of copies, (N, d) and (N, 3 d), from those of the texts."""
    encoder = model.encoder
    hidden = encoder.words.new_zeros(batch.rows, encoder.hidden, dtype=encoder.dtype)
    qkv = hidden.new_zeros(batch.rows, 3 * encoder.hidden)
    for segment in batch.segments:
        base = embed(copies.windows(segment), encoder)  # (windows, T) -> (windows, T, d)
        copied = copies.row[segment.sequences] - int(copies.part.row[segment.first])
        at = copies.position[segment.sequences]
        _spread(base, copied, at, model.mask_hidden, hidden[segment.tokens])
        _spread(project(base, encoder.layers[0]), copied, at, model.mask_qkv, qkv[segment.tokens])
    return hidden, qkv


def _spread(base: Tensor, copied: Tensor, at: Tensor, masked: Tensor, out: Tensor) -> None:
    """Write base[copied], row `at` of each replaced by masked[at]: (windows, T, w) -> out (copies T, w)."""
    count, (_, length, width) = len(copied), base.shape
    wide = out.view(count, length * width)
    torch.index_select(base.reshape(-1, length * width), 0, copied, out=wide)
    out.view(count, length, width)[torch.arange(count, device=at.device), at] = masked[at]


def head_logits(rows: Tensor, head: HeadWeights) -> Tensor:
    """The masked-LM head for masked rows: (rows, d) -> (rows, V') float32, padded words at -inf."""
    hidden = ACTIVATIONS[head.activation](functional.linear(rows, head.dense, head.dense_bias))
    hidden = functional.layer_norm(hidden, (hidden.shape[1],), head.norm, head.norm_bias, head.epsilon)
    return product_float32(hidden, head.decoder.t()).add_(head.bias)  # (rows, d) (d, V') -> (rows, V')


def average_softmax(logits: Tensor, weight: Tensor, temperature: float) -> Tensor:
    """Weighted mean of softmax(logits / temperature): (windows n, V'), (windows, n) -> (windows, V')."""
    windows, each = weight.shape
    probabilities = (logits / temperature).softmax(dim=-1).view(windows, each, -1)  # -> (windows, n, V')
    return (probabilities * weight[:, :, None]).sum(dim=1)  # (windows, n, V') -> (windows, V')


@cache
def _compiled_average(mode: CompileMode) -> Callable[..., Tensor]:
    return Compiled(average_softmax, "none" if mode == "none" else "default", dynamic=True)
