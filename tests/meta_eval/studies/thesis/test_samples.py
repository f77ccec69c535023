"""Many pairs of readers: memory is bounded, and a long study says how far it is."""

import numpy as np

from meta_eval.stats.reader_pairs.deviation import PairDeviations, study_deviations
from meta_eval.stats.reader_pairs.samples import Sampling, coefficient_records


def test_resamples_in_parts_are_the_same_resamples(monkeypatch):
    """Memory is bounded by drawing some readers at a time."""
    generator = np.random.default_rng(3)
    pairs = np.stack(np.triu_indices(8, 1), axis=-1)
    x, y = generator.normal(size=(2, len(pairs)))
    sampling = Sampling((0.5,), 2, 200)
    whole = list(coefficient_records(x, y, pairs, sampling))
    monkeypatch.setattr("meta_eval.stats.reader_pairs.samples.MOST_CELLS", 1)
    parts = list(coefficient_records(x, y, pairs, sampling))
    for name in ("value", "ci_low", "ci_high", "median"):
        np.testing.assert_allclose([one[name] for one in parts], [one[name] for one in whole], atol=1e-12)


def test_a_long_study_says_how_far_it_is():
    one = PairDeviations(
        ("A", "B"), ("ann", "bob", "cy"), np.array([[0, 1], [0, 2], [1, 2]]), np.array([[0.5, 0.2, 0.1]] * 2)
    )
    told = []
    sampling = Sampling(shares=(0.5, 1.0), samples=1, resamples=0, coefficients=("pearson", "kendall"))
    study_deviations(one, one, sampling, progress=lambda *steps: told.append(steps))
    assert told == [(done, 8) for done in range(1, 9)]
