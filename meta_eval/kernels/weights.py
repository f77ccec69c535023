"""The weights of a BERT-like encoder and of its masked-LM head, taken out of a transformers model as plain
tensors.

BERT, RoBERTa, XLM-RoBERTa and CamemBERT share one layer: attention, add and normalise, feed-forward, add and
normalise. For these the kernels compute the layers themselves and leave out what a measure does not need; any
other architecture runs through its own `forward` (`generic`).
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from meta_eval.kernels.float8 import Float8Weight, fits_float8, quantise_weight

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": functional.gelu,
    "gelu_new": partial(functional.gelu, approximate="tanh"),
    "gelu_pytorch_tanh": partial(functional.gelu, approximate="tanh"),
    "relu": functional.relu,
}
_FAMILY = ("bert", "roberta", "xlm-roberta", "camembert")
# Rows of the head's matrix product must start at multiples of 16 bytes, or a GPU takes a slow path.
_VOCABULARY_MULTIPLE = 64


class LayerWeights(NamedTuple):
    """One layer with d hidden and f feed-forward units; queries, keys and values are stacked in order.

    Biases and norms are in the precision in which the layer computes; the four weights may be 8-bit floats.
    """

    qkv: Tensor | Float8Weight  # (3 d, d)
    qkv_bias: Tensor  # (3 d,)
    out: Tensor | Float8Weight  # (d, d)
    out_bias: Tensor  # (d,)
    norm1: Tensor  # (d,)
    norm1_bias: Tensor  # (d,)
    up: Tensor | Float8Weight  # (f, d)
    up_bias: Tensor  # (f,)
    down: Tensor | Float8Weight  # (d, f)
    down_bias: Tensor  # (d,)
    norm2: Tensor  # (d,)
    norm2_bias: Tensor  # (d,)

    def map(self, change: Callable[[Tensor], Tensor | Float8Weight], *names: str) -> "LayerWeights":
        """The layer with `change` applied to the named parts, to all where none is named."""
        changed: dict[str, Any] = {name: change(getattr(self, name)) for name in names or self._fields}
        return self._replace(**changed)


@dataclass(frozen=True)
class EncoderWeights:
    """Embeddings and layers. `positions` already holds token type 0; its row 0 is a text's first position."""

    words: Tensor  # (V, d)
    positions: Tensor  # (P, d)
    norm: Tensor  # (d,)
    norm_bias: Tensor  # (d,)
    layers: tuple[LayerWeights, ...]
    heads: int
    activation: str
    epsilon: float

    @property
    def hidden(self) -> int:
        return self.words.shape[1]

    @property
    def max_length(self) -> int:
        return self.positions.shape[0]

    @property
    def device(self) -> torch.device:
        return self.words.device

    @property
    def dtype(self) -> torch.dtype:
        """In which the layers compute."""
        return self.layers[0].qkv_bias.dtype

    @property
    def inner(self) -> int:
        """Feed-forward units."""
        return self.layers[0].up_bias.shape[0]

    def to(self, device: torch.device, dtype: torch.dtype) -> "EncoderWeights":
        """A copy for one device. Embeddings stay float32: they are summed and normalised once per text."""
        layers = tuple(layer.map(lambda part: part.to(device, dtype)) for layer in self.layers)
        return replace(self, layers=layers, **_tensors_to(self, device, torch.float32))

    def in_float8(self, layers: int) -> "EncoderWeights | None":
        """The weights of the first `layers` layers as 8-bit floats; None where their shapes forbid it."""
        names = ("qkv", "out", "up", "down")
        if not all(fits_float8(getattr(self.layers[0], name)) for name in names):
            return None
        changed = tuple(layer.map(quantise_weight, *names) for layer in self.layers[:layers])
        return replace(self, layers=(*changed, *self.layers[layers:]))


@dataclass(frozen=True)
class HeadWeights:
    """Dense layer, activation, norm, then the vocabulary: padded to a multiple of 64 words that have bias
    -inf.
    """

    dense: Tensor  # (d, d)
    dense_bias: Tensor  # (d,)
    norm: Tensor  # (d,)
    norm_bias: Tensor  # (d,)
    decoder: Tensor  # (V', d)
    bias: Tensor  # (V',)
    activation: str
    epsilon: float

    def to(self, device: torch.device, dtype: torch.dtype) -> "HeadWeights":
        """A copy for one device; the output bias stays float32, as the logits do."""
        moved = _tensors_to(self, device, dtype)
        return replace(self, **{**moved, "bias": self.bias.to(device, torch.float32)})


def _tensors_to(
    weights: EncoderWeights | HeadWeights, device: torch.device, dtype: torch.dtype
) -> dict[str, Any]:
    tensors = {item.name: getattr(weights, item.name) for item in fields(weights)}
    return {name: part.to(device, dtype) for name, part in tensors.items() if isinstance(part, Tensor)}


def extract_encoder(module: nn.Module) -> EncoderWeights | None:
    """The encoder of a transformers model; None where its architecture is not of the BERT family."""
    config: Any = module.config
    if config.model_type not in _FAMILY or config.hidden_act not in ACTIVATIONS or config.is_decoder:
        return None
    if getattr(config, "position_embedding_type", "absolute") not in (None, "absolute"):
        return None
    base: Any = getattr(module, "base_model", module)
    embeddings = base.embeddings
    first = 0 if config.model_type == "bert" else config.pad_token_id + 1
    positions = embeddings.position_embeddings.weight[first:] + embeddings.token_type_embeddings.weight[0]
    return EncoderWeights(
        words=_plain(embeddings.word_embeddings.weight),
        positions=_plain(positions),
        norm=_plain(embeddings.LayerNorm.weight),
        norm_bias=_plain(embeddings.LayerNorm.bias),
        layers=tuple(_extract_layer(layer) for layer in base.encoder.layer),
        heads=config.num_attention_heads,
        activation=config.hidden_act,
        epsilon=config.layer_norm_eps,
    )


def _extract_layer(layer: Any) -> LayerWeights:
    attention, output = layer.attention.self, layer.attention.output
    parts = (attention.query, attention.key, attention.value)
    tensors = (
        torch.cat([part.weight for part in parts]),  # 3 x (d, d) -> (3 d, d)
        torch.cat([part.bias for part in parts]),  # 3 x (d,) -> (3 d,)
        *(output.dense.weight, output.dense.bias, output.LayerNorm.weight, output.LayerNorm.bias),
        *(layer.intermediate.dense.weight, layer.intermediate.dense.bias),
        *(layer.output.dense.weight, layer.output.dense.bias),
        *(layer.output.LayerNorm.weight, layer.output.LayerNorm.bias),
    )
    return LayerWeights(*(_plain(tensor) for tensor in tensors))


def extract_head(module: nn.Module) -> HeadWeights | None:
    """The masked-LM head of a transformers model of the BERT family, None of another."""
    config: Any = module.config
    holder: Any = module
    if config.model_type == "bert":
        head = holder.cls.predictions
        dense, norm, activation = head.transform.dense, head.transform.LayerNorm, config.hidden_act
    elif config.model_type in _FAMILY:
        head = holder.lm_head
        dense, norm, activation = head.dense, head.layer_norm, "gelu"
    else:
        return None
    missing = -head.decoder.weight.shape[0] % _VOCABULARY_MULTIPLE
    return HeadWeights(
        dense=_plain(dense.weight),
        dense_bias=_plain(dense.bias),
        norm=_plain(norm.weight),
        norm_bias=_plain(norm.bias),
        decoder=functional.pad(_plain(head.decoder.weight), (0, 0, 0, missing)),  # (V, d) -> (V', d)
        bias=functional.pad(_plain(head.decoder.bias), (0, missing), value=-torch.inf),  # (V,) -> (V',)
        activation=activation,
        epsilon=config.layer_norm_eps,
    )


def _plain(tensor: Tensor) -> Tensor:
    return tensor.detach().to(torch.float32).contiguous()
