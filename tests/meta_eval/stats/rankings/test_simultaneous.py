"""Ranks that hold for all systems at once."""

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meta_eval.errors import InputError
from meta_eval.stats.rankings.simultaneous import simultaneous_ranks


def draw(scores, spread, resamples=2000, seed=0):
    scores = np.asarray(scores, dtype=float)
    return scores + spread * np.random.default_rng(seed).normal(size=(resamples, len(scores)))


def test_far_systems_have_one_rank_and_near_ones_share_several():
    scores = [9.0, 5.05, 5.0, 1.0]
    found = simultaneous_ranks(scores, draw(scores, 0.2)).systems
    assert [(one.rank, one.low, one.high) for one in found] == [(1, 1, 1), (2, 2, 3), (3, 2, 3), (4, 4, 4)]
    assert [one.group for one in found] == [1, 2, 2, 3]


def test_a_chain_of_near_neighbours_is_one_group():
    """The ends differ, but no cut has all above better than all below."""
    scores = [4.0, 3.0, 2.0, 1.0]
    found = simultaneous_ranks(scores, draw(scores, 0.6))
    assert found.better.sum() == 1
    assert found.better[0, 3]
    assert {one.group for one in found.systems} == {1}
    assert [(one.low, one.high) for one in found.systems] == [(1, 3), (1, 4), (1, 4), (2, 4)]


def test_ties_share_their_ranks_and_a_system_without_score_has_none():
    found = simultaneous_ranks([2.0, None, 2.0, 1.0], draw([2.0, np.nan, 2.0, 1.0], 0.01)).systems
    assert [one.rank for one in found] == [1.5, None, 1.5, 3.0]
    assert (found[1].low, found[1].high, found[1].group) == (None, None, None)
    assert [found[at].group for at in (0, 2, 3)] == [1, 1, 2]


def test_the_bound_is_over_all_pairs_at_once():
    """Ten equal systems: one bound a pair would part some of them in most draws."""
    rng = np.random.default_rng(5)
    parted = 0
    for _ in range(200):
        documents = rng.normal(size=(40, 10))
        counts = rng.multinomial(40, [1 / 40] * 40, size=300)
        found = simultaneous_ranks(documents.mean(axis=0).tolist(), counts @ documents / 40)
        parted += bool(found.better.any())
    assert parted / 200 <= 0.10


def test_with_few_documents_standard_errors_are_uncertain_themselves():
    """Ten equal systems on ten documents: taken for certain, they part some in a quarter of the draws."""
    rng = np.random.default_rng(6)
    parted = {None: 0, 10: 0}
    for _ in range(150):
        scores = rng.normal(size=(10, 10))
        drawn = rng.multinomial(10, [1 / 10] * 10, size=300) @ scores / 10
        for documents in parted:
            ranks = simultaneous_ranks(scores.mean(axis=0).tolist(), drawn, documents=documents)
            parted[documents] += bool(ranks.better.any())
    assert parted[None] / 150 > 0.25
    assert parted[10] / 150 < 0.13


def test_one_document_tells_no_systems_apart():
    found = simultaneous_ranks([3.0, 1.0], draw([3.0, 1.0], 0.001), documents=1)
    assert [(one.low, one.high) for one in found.systems] == [(1, 2), (1, 2)]


def test_settled_pairs_leave_a_lower_bound_for_the_rest():
    """The bound of all six statements is about 2.28; of the four that the first step leaves, 2.16."""
    scores = [30.0, 2.22 * 0.17 * np.sqrt(2), 0.0]
    found = simultaneous_ranks(scores, draw(scores, [1.0, 0.17, 0.17], resamples=20_000))
    assert found.better[1, 2]
    near = [1.0, *scores[1:]]
    assert not simultaneous_ranks(near, draw(near, [1.0, 0.17, 0.17], resamples=20_000)).better.any()


def test_systems_that_never_move_are_parted_by_any_difference():
    found = simultaneous_ranks([1.0, 0.5, 0.5], np.tile([1.0, 0.5, 0.5], (20, 1)))
    assert [one.group for one in found.systems] == [1, 2, 2]


def test_what_does_not_fit_is_refused():
    with pytest.raises(InputError, match=r"resamples of shape \(5, 2\) cannot be those of 3 systems"):
        simultaneous_ranks([1, 2, 3], np.ones((5, 2)))
    with pytest.raises(InputError, match="level must be between 0 and 1, not 1"):
        simultaneous_ranks([1, 2], np.ones((5, 2)), level=1.0)


def plainly_better(scores, drawn, level):
    """Step-down by the book, statement by statement: {(a, b)} where system a is better than b for sure."""
    pairs = [(a, b) for a in range(len(scores)) for b in range(len(scores)) if a != b]
    errors, settled = {}, set()
    for a, b in pairs:
        errors[a, b] = statistics.pstdev(row[a] - row[b] for row in drawn)
    while left := [pair for pair in pairs if pair not in settled]:
        largest = sorted(
            max((row[a] - row[b] - scores[a] + scores[b]) / errors[a, b] for a, b in left) for row in drawn
        )
        place = level * (len(largest) - 1)
        low = int(place)
        high = largest[min(low + 1, len(largest) - 1)]
        critical = max(largest[low] + (place - low) * (high - largest[low]), 0.0)
        found = {(a, b) for a, b in left if (scores[a] - scores[b]) / errors[a, b] > critical}
        if not found:
            break
        settled |= found
    return settled


@given(
    st.lists(st.integers(0, 12), min_size=2, max_size=6),
    st.integers(0, 10_000),
    st.sampled_from([0.5, 0.8, 0.95]),
)
def test_ranks_are_those_of_a_plain_version(steps, seed, level):
    scores = [step / 4 for step in steps]
    drawn = draw(scores, 0.3, resamples=60, seed=seed)
    found = simultaneous_ranks(scores, drawn, level=level)
    better = plainly_better(scores, drawn.tolist(), level)
    assert {(int(a), int(b)) for a, b in zip(*np.nonzero(found.better), strict=True)} == better
    systems = range(len(scores))
    assert [(one.low, one.high) for one in found.systems] == [
        (
            1 + sum((other, at) in better for other in systems),
            len(scores) - sum((at, other) in better for other in systems),
        )
        for at in systems
    ]
