"""Attention of many short sequences as one Triton kernel: several sequences share a tile of the tensor cores.

Library kernels give each sequence and head a tile of 128 rows, of which a headline fills a tenth.
"""

import torch
import triton  # type: ignore[import-not-found, unused-ignore]
import triton.language as tl  # type: ignore[import-not-found, unused-ignore]
from torch import Tensor


@triton.jit  # type: ignore[untyped-decorator, unused-ignore]
def _attend_tile(  # type: ignore[no-untyped-def]  # noqa: PLR0917  Triton passes by position
    qkv,
    out,
    rows,
    length,
    tile_rows,
    scale,
    heads: tl.constexpr,
    size: tl.constexpr,
    tile: tl.constexpr,
):
    hidden: tl.constexpr = heads * size
    within = tl.arange(0, tile)
    column = tl.program_id(1) * size + tl.arange(0, size)
    row = tl.program_id(0) * tile_rows + within
    real = (within < tile_rows) & (row < rows)
    place = row[:, None].to(tl.int64) * (3 * hidden) + column[None, :]
    query = tl.load(qkv + place, mask=real[:, None], other=0.0)
    key = tl.load(qkv + place + hidden, mask=real[:, None], other=0.0)
    value = tl.load(qkv + place + 2 * hidden, mask=real[:, None], other=0.0)
    sequence = within // length
    together = (sequence[:, None] == sequence[None, :]) & real[None, :]
    # A row always sees itself, so that filler rows, never stored, stay finite too.
    together = together | (within[:, None] == within[None, :])
    scores = tl.where(together, tl.dot(query, tl.trans(key)) * scale, float("-inf"))
    exponents = tl.exp2(scores - tl.max(scores, axis=1)[:, None])
    total = tl.sum(exponents, axis=1)
    mixed = tl.dot(exponents.to(value.dtype), value) / total[:, None]
    target = row[:, None].to(tl.int64) * hidden + column[None, :]
    tl.store(out + target, mixed.to(value.dtype), mask=real[:, None])


def attend_short(qkv: Tensor, length: int, heads: int, *, tile: int | None = None) -> Tensor:
    """Attention within sequences of `length` <= 128 rows: (sequences T, 3 d) -> (sequences T, d), 16-bit
    floats.
    """
    rows, hidden = qkv.shape[0], qkv.shape[1] // 3
    size = hidden // heads
    tile = tile or (64 if length <= 32 else 128)
    tile_rows = tile // length * length
    out = torch.empty(rows, hidden, dtype=qkv.dtype, device=qkv.device)
    log2_e = 1.4426950408889634
    _attend_tile[(triton.cdiv(rows, tile_rows), heads)](
        qkv, out, rows, length, tile_rows, size**-0.5 * log2_e, heads, size, tile, num_warps=4
    )
    return out


def serves(qkv: Tensor, length: int, heads: int) -> bool:
    """Whether the kernel can take these sequences: on a GPU, 16-bit, short, and a head size of a power of
    two.
    """
    size = qkv.shape[1] // 3 // heads
    return (
        qkv.is_cuda
        and qkv.dtype in {torch.bfloat16, torch.float16}
        and length <= 128
        and size in {32, 64, 128}
    )
