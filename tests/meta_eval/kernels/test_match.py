"""Greedy matching in blocks against one pair at a time."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from meta_eval.kernels import match
from meta_eval.kernels.encode import TokenVectors
from meta_eval.kernels.match import match_pairs

LENGTHS = np.array([4, 3, 9, 30, 5, 12, 3, 31, 4])


def texts(seed=0):
    generator = torch.Generator().manual_seed(seed)
    offsets = np.concatenate([[0], np.cumsum(LENGTHS)])
    vectors = functional.normalize(torch.randn(offsets[-1], 6, generator=generator), dim=1)
    weights = torch.rand(offsets[-1], generator=generator)
    weights[offsets[:-1]] = 0
    return TokenVectors(vectors, offsets), weights


def naive(vectors, weights, i, j):
    a, b = (slice(vectors.offsets[k], vectors.offsets[k + 1]) for k in (i, j))
    similarity = vectors.vectors[a].double() @ vectors.vectors[b].double().T
    precision = (similarity.max(1).values * weights[a]).sum() / weights[a].sum()
    recall = (similarity.max(0).values * weights[b]).sum() / weights[b].sum()
    return precision, recall, 2 * precision * recall / (precision + recall)


@pytest.mark.parametrize("long", [1_000, 10, 1], ids=["none long", "some long", "all long"])
@pytest.mark.parametrize("elements", [1, 500, 1 << 20])
def test_blocks_equal_one_pair_at_a_time(monkeypatch, long, elements):
    monkeypatch.setattr(match, "_LONG", long)
    vectors, weights = texts()
    first, second = (side.ravel() for side in np.indices((9, 9)))
    scores = match_pairs(vectors, weights, first, second, elements=elements)
    expected = [naive(vectors, weights, i, j) for i, j in zip(first, second, strict=True)]
    found = torch.stack([scores.precision, scores.recall, scores.f1], dim=1)
    torch.testing.assert_close(
        found.double(), torch.tensor(expected, dtype=torch.float64), atol=1e-5, rtol=1e-5
    )


def test_padding_never_beats_a_negative_similarity():
    vectors = TokenVectors(
        torch.tensor([[1.0, 0], [-1, 0], [-0.6, 0.8], [0, 1], [0, 1]]), np.array([0, 1, 2, 5])
    )
    scores = match_pairs(vectors, torch.ones(5), np.array([0, 0]), np.array([1, 2]), elements=1 << 20)
    assert scores.precision.tolist() == [-1.0, 0.0]
    assert scores.recall.tolist() == pytest.approx([-1.0, -0.2])


def test_inputs_are_not_changed():
    vectors, weights = texts()
    before = vectors.vectors.clone(), weights.clone()
    match_pairs(vectors, weights, np.array([0, 1]), np.array([2, 3]))
    assert torch.equal(vectors.vectors, before[0])
    assert torch.equal(weights, before[1])


def test_no_pairs_are_no_scores():
    vectors, weights = texts()
    none = np.array([], dtype=np.int64)
    assert match_pairs(vectors, weights, none, none).f1.shape == (0,)
