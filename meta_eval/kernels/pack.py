"""Batches without padding: sequences sorted by length and laid one after the other, cut by a budget of
tokens.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch

from meta_eval.errors import MeasureError
from meta_eval.kernels.tokens import IntArray

_SMALLEST_BATCH = 512


@dataclass(frozen=True, slots=True)
class PackedSegment:
    """Sequences `first` to `first + count` - 1, all of the same length; tokens at rows `row` and on."""

    first: int
    count: int
    length: int
    row: int

    @property
    def tokens(self) -> slice:
        return slice(self.row, self.row + self.count * self.length)

    @property
    def sequences(self) -> slice:
        return slice(self.first, self.first + self.count)


@dataclass(frozen=True, slots=True)
class PackedBatch:
    """Segments laid one after the other in `rows` rows; the rows that no segment fills are filler."""

    segments: tuple[PackedSegment, ...]
    rows: int

    @property
    def used(self) -> int:
        last = self.segments[-1]
        return last.row + last.count * last.length

    @property
    def sequences(self) -> slice:
        return slice(self.segments[0].first, self.segments[-1].sequences.stop)


def pack_batch(lengths: IntArray, start: int, tokens: int, *, fixed: bool = False) -> PackedBatch:
    """The next batch of sequences from `start`: as many as fit in `tokens`, at least one.

    `lengths` (sequences,) is sorted. `fixed` makes every batch `tokens` rows long, so that kernels compiled
    for one shape serve all batches and a sequence meets the same arithmetic wherever it stands.
    """
    ends = np.cumsum(lengths[start : start + tokens])
    stop = start + max(1, int(np.searchsorted(ends, tokens, side="right")))
    taken = lengths[start:stop]
    edges = [0, *(np.flatnonzero(np.diff(taken)) + 1).tolist(), len(taken)]
    segments = []
    row = 0
    for left, right in pairwise(edges):
        segments.append(PackedSegment(start + left, right - left, int(taken[left]), row))
        row = segments[-1].tokens.stop
    return PackedBatch(tuple(segments), max(row, tokens) if fixed else row)


def run_batches(
    lengths: IntArray, run: Callable[[PackedBatch], None], *, tokens: int, fixed: bool = False
) -> int:
    """Call `run` with one batch after another until all sequences are done.

    Out of memory halves the budget of tokens and goes on where it stopped. Returns the budget at the end.
    """
    start = 0
    while start < len(lengths):
        batch = pack_batch(lengths, start, tokens, fixed=fixed)
        try:
            run(batch)
        except torch.OutOfMemoryError as error:
            if batch.used <= _SMALLEST_BATCH or len(lengths[batch.sequences]) == 1:
                raise MeasureError(
                    f"The device is out of memory for a batch of {batch.used} word pieces: free some memory, "
                    "or choose another device or a smaller model."
                ) from error
            tokens = min(tokens, batch.used) // 2
        else:
            start = batch.sequences.stop
            continue
        # Outside the handler: the exception holds the tensors of the failed batch as long as it lives.
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
    return tokens


def choose_batch_tokens(device: torch.device, bytes_per_token: int, *, most: int) -> int:
    """The largest power of two, at most `most`, whose activations fill half of the device's free memory."""
    budget = free_memory(device) // 2
    tokens = most
    while tokens > _SMALLEST_BATCH and tokens * bytes_per_token > budget:
        tokens //= 2
    return tokens


def roomy_device(device: torch.device, needed: int) -> torch.device:
    """The device if `needed` bytes fill at most half of its free memory, else the CPU."""
    return device if 2 * needed <= free_memory(device) else torch.device("cpu")


def free_memory(device: torch.device) -> int:
    """Bytes that can be allocated on the device now, those that torch holds without using them included."""
    if device.type == "cuda":
        free, _ = torch.cuda.mem_get_info(device)
        idle = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
        return free + idle
    return _available_host_memory()


def _available_host_memory() -> int:
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            values = dict(line.split(":", 1) for line in lines)
        return int(values["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError):
        return 4 << 30
