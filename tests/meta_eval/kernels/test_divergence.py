"""Divergences of many pairs from matrix products, against one pair at a time."""

import numpy as np
import pytest
import torch

from meta_eval.kernels import divergence
from meta_eval.kernels.divergence import ab_divergence, cosines


def distributions(texts, words=50, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(texts, words, generator=generator).pow(8).double().softmax(dim=-1).float()


def one_by_one(p, first, second):
    p = p.double()
    return torch.stack(
        [torch.cosine_similarity(p[i], p[j], dim=0) for i, j in zip(first, second, strict=True)]
    )


@pytest.mark.parametrize("most", [512, 4], ids=["together", "in pieces"])
def test_cosines_equal_one_pair_at_a_time(monkeypatch, most):
    monkeypatch.setattr(divergence, "_MOST_TEXTS", most)
    p = distributions(30)
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, 30, 200), rng.integers(0, 30, 200)
    torch.testing.assert_close(cosines(p, first, second), one_by_one(p, first, second), atol=1e-15, rtol=0)


def test_texts_of_other_documents_do_not_enter_a_product(monkeypatch):
    sizes = []
    p = distributions(12)
    original = torch.Tensor.double
    monkeypatch.setattr(
        torch.Tensor, "double", lambda tensor: (sizes.append(len(tensor)), original(tensor))[1]
    )
    cosines(p, np.array([0, 1, 5, 5]), np.array([2, 2, 6, 7]))
    assert sorted(sizes) == [3, 3]


def test_no_pairs_are_no_cosines():
    assert cosines(distributions(3), np.array([], dtype=np.int64), np.array([], dtype=np.int64)).shape == (0,)


def test_divergence_with_alpha_and_beta_one_is_minus_log_cosine():
    p, q = distributions(2).double()
    full = 0.5 * (p**2).sum().log() + 0.5 * (q**2).sum().log() - (p * q).sum().log()
    raw = ab_divergence(cosines(torch.stack([p, q]), np.array([0]), np.array([1])), raw=True)
    torch.testing.assert_close(raw[0], full)
    assert ab_divergence(torch.exp(-full)[None], raw=False)[0].item() == pytest.approx(
        1 - np.exp(-full.item())
    )


def test_rounding_never_makes_a_distance_negative_and_no_overlap_stays_finite():
    cosine = torch.tensor([1 + 2e-16, 1.0, 0.0], dtype=torch.float64)
    assert ab_divergence(cosine, raw=False).tolist() == [0.0, 0.0, 1.0]
    raw = ab_divergence(cosine, raw=True)
    assert raw[:2].tolist() == [0.0, 0.0]
    assert raw[2].item() == pytest.approx(708.396, abs=1e-3)
