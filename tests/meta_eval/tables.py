"""Comparing tables of distances, and a measure that remembers what it was asked."""

from collections.abc import Sequence
from dataclasses import fields

import numpy as np

from meta_eval.distances.computing import DistanceBlock, DistanceTable
from meta_eval.measures.base import Measure, MeasureInfo, ShardLimit, Signature


class Recorder(Measure):
    """A stand-in that remembers what it was asked; distances come from the texts' lengths."""

    def __init__(self, *, symmetric: bool = True, limit: ShardLimit | None = None) -> None:
        self.info = MeasureInfo(
            id="recorder", title="recorder", range="[0, 1]", symmetric=symmetric, cost="none", source="none"
        )
        self.shard_limit = limit or ShardLimit()
        self.encoded: list[str] = []
        self.most_encoded = 0
        self.compared: list[tuple[str, str]] = []

    @property
    def signature(self) -> Signature:
        return Signature("recorder", options={"symmetric": self.symmetric})

    def prepare(self, texts: Sequence[str]) -> Sequence[str]:
        self.encoded.extend(texts)
        self.most_encoded = max(self.most_encoded, len(texts))
        return texts

    def distances(self, prepared, first, second):
        pairs = [(prepared[i], prepared[j]) for i, j in zip(first, second, strict=True)]
        self.compared.extend(pairs)
        return np.array([(len(a) + 2 * len(b)) / 100 for a, b in pairs], dtype=float)


class Counting(Recorder):
    """A stand-in whose distances rest on what it counted."""

    counted: tuple[str, ...] = ()

    def fit(self, texts):
        if self.counted:
            return self
        fitted = Counting()
        fitted.counted = tuple(texts)
        return fitted

    @property
    def signature(self):
        return Signature("counting", options={"counted": len(self.counted)})


def assert_same_distances(found: DistanceTable, expected: DistanceTable) -> None:
    """Bit-equal blocks and equal counts of what is in them; how they were come by may differ."""
    for name in ("documents", "systems", "normalise", "signature"):
        assert getattr(found, name) == getattr(expected, name)
    for name in ("documents", "texts", "empty", "missing"):
        assert getattr(found.counts, name) == getattr(expected.counts, name)
    assert len(found.blocks) == len(expected.blocks)
    for block, other in zip(found.blocks, expected.blocks, strict=True):
        for field in fields(DistanceBlock):
            assert_same_bits(getattr(block, field.name), getattr(other, field.name))


def assert_same_bits(found: np.ndarray | None, expected: np.ndarray | None) -> None:
    if found is None or expected is None:
        assert found is expected
        return
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_array_equal(found, expected)
