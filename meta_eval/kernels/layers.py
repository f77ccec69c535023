"""Transformer layers over packed batches, and the last layer for the masked rows alone."""

import logging
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from meta_eval.kernels.attention import attend
from meta_eval.kernels.float8 import linear
from meta_eval.kernels.pack import PackedBatch
from meta_eval.kernels.weights import ACTIVATIONS, EncoderWeights, LayerWeights

logger = logging.getLogger(__name__)


def embed(ids: Tensor, weights: EncoderWeights) -> Tensor:
    """Word plus position, normalised: (rows, T) -> (rows, T, d), in the layers' precision."""
    summed = weights.words[ids] + weights.positions[: ids.shape[1]]  # (rows, T) -> (rows, T, d)
    return _normalise(summed, weights.norm, weights.norm_bias, weights.epsilon).to(weights.dtype)


def project(hidden: Tensor, layer: LayerWeights) -> Tensor:
    """Queries, keys and values in one product: (..., d) -> (..., 3 d)."""
    return linear(hidden, layer.qkv, layer.qkv_bias)


def finish_layer(
    hidden: Tensor, attended: Tensor, layer: LayerWeights, activation: str, epsilon: float
) -> Tensor:
    """What follows attention: output, add and normalise, feed-forward, add and normalise; (N, d)."""
    mixed = hidden + linear(attended, layer.out, layer.out_bias)
    mixed = _normalise(mixed, layer.norm1, layer.norm1_bias, epsilon)
    inner = ACTIVATIONS[activation](linear(mixed, layer.up, layer.up_bias))  # (N, d) -> (N, f)
    mixed = mixed + linear(inner, layer.down, layer.down_bias)  # (N, f) -> (N, d)
    return _normalise(mixed, layer.norm2, layer.norm2_bias, epsilon)


def _normalise(hidden: Tensor, weight: Tensor, bias: Tensor, epsilon: float) -> Tensor:
    return functional.layer_norm(hidden, (hidden.shape[-1],), weight, bias, epsilon)


class Compiled:
    """A function compiled on first use; if compiling fails it goes on as it is, and says so once."""

    def __init__(self, function: Callable[..., Tensor], mode: str, *, dynamic: bool | None = False) -> None:
        self._plain = function
        self._used = function if mode == "none" else torch.compile(function, mode=mode, dynamic=dynamic)

    def __call__(self, *args: Any) -> Tensor:
        if self._used is self._plain:
            return self._plain(*args)
        try:
            return self._used(*args)
        except torch.OutOfMemoryError:
            raise
        except Exception as error:  # whatever a compiler raises, the plain function works
            logger.warning("compiling failed, going on without: %s", error)
            self._used = self._plain
            return self._plain(*args)


@cache
def compiled_finish(mode: str) -> Callable[..., Tensor]:
    """`finish_layer` under a mode of torch.compile, compiled once."""
    return Compiled(finish_layer, mode)


def run_layers(
    hidden: Tensor,
    batch: PackedBatch,
    weights: EncoderWeights,
    layers: Sequence[LayerWeights],
    *,
    qkv: Tensor | None = None,
    finish: Callable[..., Tensor] = finish_layer,
) -> Tensor:
    """Hidden rows (N, d) through `layers`; `qkv` (N, 3 d) is the first layer's projection, if known."""
    for layer in layers:
        projected = project(hidden, layer) if qkv is None else qkv
        attended = attend(projected, batch, weights.heads)
        hidden, qkv = finish(hidden, attended, layer, weights.activation, weights.epsilon), None
    return hidden


def last_layer_rows(
    hidden: Tensor, batch: PackedBatch, positions: Tensor, weights: EncoderWeights, layer: LayerWeights
) -> Tensor:
    """One layer for one row of each sequence: (N, d) and the row's position (sequences,) -> (sequences, d).

    Only the chosen row asks, so keys and values of the other rows are never formed. With q its query in a
    head, q . (K h_j) = (K' q) . h_j, and the sum of weights w_j times V h_j is V applied to the sum of w_j
    h_j; the keys' bias adds the same number to every score and drops out. `positions` covers the batch's
    sequences.
    """
    chosen, context = [], []
    first = batch.sequences.start
    for segment in batch.segments:
        states = hidden[segment.tokens].view(segment.count, segment.length, -1)  # (C T, d) -> (C, T, d)
        at = positions[segment.first - first : segment.first - first + segment.count]
        rows = states[torch.arange(segment.count, device=at.device), at]  # (C, T, d) -> (C, d)
        chosen.append(rows)
        context.append(_single_query(rows, states, weights.heads, layer))
    rows = torch.cat(chosen)
    return finish_layer(rows, torch.cat(context), layer, weights.activation, weights.epsilon)


def _single_query(rows: Tensor, states: Tensor, heads: int, layer: LayerWeights) -> Tensor:
    """Attention of one query a sequence: rows (C, d), states (C, T, d) -> (C, d)."""
    if not isinstance(layer.qkv, Tensor):
        raise TypeError("the layer of a single query needs its weights as they are, not as 8-bit floats")
    count, hidden = rows.shape
    size = hidden // heads
    query_weight, key_weight, value_weight = layer.qkv.view(
        3, heads, size, hidden
    )  # (3 d, d) -> 3 x (h, s, d)
    query_bias, _, value_bias = layer.qkv_bias.view(3, hidden)  # (3 d,) -> 3 x (d,)
    query = functional.linear(rows, query_weight.reshape(hidden, hidden), query_bias)  # (C, d) -> (C, d)
    query = query.view(count, heads, size).transpose(0, 1)  # (C, d) -> (h, C, s)
    asked = torch.bmm(query, key_weight).transpose(0, 1)  # (h, C, s) (h, s, d) -> (C, h, d)
    scores = product_float32(asked, states.transpose(1, 2)) * size**-0.5  # (C, h, d) (C, d, T) -> (C, h, T)
    attention = scores.softmax(dim=-1).to(states.dtype)
    mixed = torch.bmm(attention, states).transpose(0, 1)  # (C, h, T) (C, T, d) -> (h, C, d)
    values = torch.bmm(mixed, value_weight.transpose(1, 2))  # (h, C, d) (h, d, s) -> (h, C, s)
    joined: Tensor = values.transpose(0, 1).reshape(count, hidden) + value_bias  # (h, C, s) -> (C, d)
    return joined


def product_float32(a: Tensor, b: Tensor) -> Tensor:
    """Batched or plain matrix product of 16-bit operands, accumulated and returned in float32 at least."""
    if a.dtype in {torch.float32, torch.float64}:
        return a @ b
    if not a.is_cuda:
        return a.float() @ b.float()
    multiply: Callable[..., Tensor] = torch.bmm if a.dim() == 3 else torch.mm
    return multiply(a, b, out_dtype=torch.float32)
