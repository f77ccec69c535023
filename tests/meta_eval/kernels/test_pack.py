"""Batches without padding, and what happens when memory runs out."""

import numpy as np
import pytest
import torch

from meta_eval.errors import MeasureError
from meta_eval.kernels import pack
from meta_eval.kernels.pack import PackedSegment, choose_batch_tokens, pack_batch, run_batches

LENGTHS = np.array([3, 3, 3, 5, 5, 9])


def test_a_batch_lays_equal_lengths_side_by_side():
    batch = pack_batch(LENGTHS, 1, 16)
    assert batch.segments == (PackedSegment(1, 2, 3, 0), PackedSegment(3, 2, 5, 6))
    assert (batch.rows, batch.used, batch.sequences) == (16, 16, slice(1, 5))


def test_a_fixed_batch_is_filled_up():
    batch = pack_batch(LENGTHS, 0, 8, fixed=True)
    assert batch.segments == (PackedSegment(0, 2, 3, 0),)
    assert (batch.rows, batch.used) == (8, 6)


def test_a_sequence_longer_than_the_budget_goes_alone():
    assert pack_batch(LENGTHS, 5, 4).segments == (PackedSegment(5, 1, 9, 0),)


@pytest.mark.parametrize("tokens", [1, 3, 7, 10, 100])
def test_every_sequence_is_run_once_in_order(tokens):
    seen = []
    run_batches(LENGTHS, lambda batch: seen.extend(range(6)[batch.sequences]), tokens=tokens)
    assert seen == [0, 1, 2, 3, 4, 5]


def test_out_of_memory_halves_the_batch_and_goes_on():
    lengths = np.full(64, 100)
    done, sizes = [], []

    def run(batch):
        sizes.append(batch.used)
        if batch.used > 1_700:
            raise torch.OutOfMemoryError("CUDA out of memory")
        done.extend(range(64)[batch.sequences])

    assert run_batches(lengths, run, tokens=6_400) == 1_600
    assert done == list(range(64))
    assert sizes == [6_400, 3_200, 1_600, 1_600, 1_600, 1_600]


def test_out_of_memory_of_the_smallest_batch_is_an_error_that_says_what_to_do():
    def run(batch):
        raise torch.OutOfMemoryError("CUDA out of memory")

    with pytest.raises(MeasureError, match="free some memory"):
        run_batches(np.full(64, 100), run, tokens=6_400)


def test_another_fault_is_not_retried():
    calls = []

    def run(batch):
        calls.append(batch)
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        run_batches(LENGTHS, run, tokens=100)
    assert len(calls) == 1


@pytest.mark.parametrize(("free", "expected"), [(1 << 30, 4_096), (1 << 22, 2_048), (0, 512)])
def test_the_batch_fits_half_the_free_memory(monkeypatch, free, expected):
    monkeypatch.setattr(pack, "free_memory", lambda _device: free)
    assert choose_batch_tokens(torch.device("cpu"), 1_024, most=4_096) == expected


def test_free_memory_of_this_machine_is_known():
    assert pack.free_memory(torch.device("cpu")) > 1 << 20
