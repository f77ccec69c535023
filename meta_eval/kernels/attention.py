"""Self-attention over packed batches: no padding, so no sequence needs a mask of its own."""

from functools import cache, lru_cache
from types import ModuleType

import torch
from torch import Tensor
from torch.nn import functional

from meta_eval.kernels.pack import PackedBatch, PackedSegment

# A GPU computes attention in tiles of this many rows: shorter sequences share one.
_TILE = 128
_SHORT = 64


def attend(qkv: Tensor, batch: PackedBatch, heads: int) -> Tensor:
    """Attention within each sequence: (N, 3 d) queries, keys, values -> (N, d); filler rows give 0."""
    hidden = qkv.shape[1] // 3
    if len(batch.segments) == 1 and batch.used == batch.rows:
        return _attend_segment(qkv, batch.segments[0], heads)
    attended = qkv.new_empty(batch.rows, hidden)
    attended[batch.used :] = 0
    for segment in batch.segments:
        attended[segment.tokens] = _attend_segment(qkv[segment.tokens], segment, heads)
    return attended


def _attend_segment(qkv: Tensor, segment: PackedSegment, heads: int) -> Tensor:
    if not qkv.is_cuda or segment.length > _SHORT:
        return attend_equal(qkv, segment.count, heads)
    kernel = _short_kernel()
    if kernel is not None and kernel.serves(qkv, segment.length, heads):
        attended: Tensor = kernel.attend_short(qkv, segment.length, heads)
        return attended
    return attend_folded(qkv, segment.count, segment.length, heads)


@cache
def _short_kernel() -> ModuleType | None:
    """The Triton kernel, where torch came with Triton."""
    try:
        from meta_eval.kernels import short_attention
    except ImportError:
        return None
    return short_attention


def attend_equal(qkv: Tensor, count: int, heads: int, mask: Tensor | None = None) -> Tensor:
    """`count` sequences of equal length, (count T, 3 d) -> (count T, d)."""
    rows, hidden = qkv.shape[0], qkv.shape[1] // 3
    # (count T, 3 d) -> (count, T, 3, heads, d / heads) -> 3 x (count, heads, T, d / heads)
    query, key, value = qkv.view(count, -1, 3, heads, hidden // heads).permute(2, 0, 3, 1, 4).unbind(0)
    attended = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    return attended.transpose(1, 2).reshape(rows, hidden)  # (count, heads, T, d / heads) -> (count T, d)


def attend_folded(qkv: Tensor, count: int, length: int, heads: int) -> Tensor:
    """The same for short sequences: as many as fit share a tile, kept apart by a mask of blocks."""
    fold = _TILE // length
    full = count // fold * fold * length
    parts = []
    if full:
        mask = _block_mask(fold, length, qkv.device, qkv.dtype)
        parts.append(attend_equal(qkv[:full], count // fold, heads, mask))
    if full < len(qkv):
        rest = count % fold
        mask = _block_mask(rest, length, qkv.device, qkv.dtype)
        parts.append(attend_equal(qkv[full:], 1, heads, mask))
    return torch.cat(parts) if len(parts) > 1 else parts[0]


@lru_cache(maxsize=256)
def _block_mask(fold: int, length: int, device: torch.device, dtype: torch.dtype) -> Tensor:
    """0 within each of `fold` sequences, -inf between them: (fold T, fold T)."""
    sequence = torch.arange(fold * length, device=device) // length
    apart = sequence[:, None] != sequence[None, :]
    return torch.zeros(apart.shape, device=device, dtype=dtype).masked_fill_(apart, -torch.inf)
