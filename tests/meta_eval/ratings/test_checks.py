from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meta_eval.ratings.checks import (
    GoldSeparation,
    describe_failure,
    fails_control,
    find_heavy_markers,
    is_straight,
    separate_gold_by_rater,
)

pages = st.lists(st.lists(st.integers(1, 6), min_size=2, max_size=6), min_size=1, max_size=4)


def separate_gold(pages, **options):
    """What is found of one rater alone."""
    separations, _ = separate_gold_by_rater({"rater": pages}, rng=rng(), **options)
    return separations["rater"]


def rng():
    return np.random.default_rng(0)


def exact_p(pages, direction):
    """Every choice of one pair a page as the gold one."""

    def share(page, index):
        others = [value for other, value in enumerate(page) if other != index]
        return sum((value < page[index]) + (value == page[index]) / 2 for value in others) / len(others)

    observed = sum(share(page, 0) for page in pages)
    drawn = [
        sum(share(page, index) for page, index in zip(pages, chosen, strict=True))
        for chosen in product(*(range(len(page)) for page in pages))
    ]
    return np.mean([direction * value >= direction * observed - 1e-9 for value in drawn])


@given(pages)
def test_p_is_the_share_of_choices_that_put_gold_as_far(pages):
    found = separate_gold(pages)
    assert found.pages == len(pages)
    assert found.p_above == pytest.approx(exact_p(pages, 1), abs=0.025)
    assert found.p_below == pytest.approx(exact_p(pages, -1), abs=0.025)


def test_rank_is_the_share_of_systems_below_gold():
    assert separate_gold([[6, 1, 1, 6], [1, 2, 3]]).rank == pytest.approx((2.5 / 3 + 0) / 2)


def test_without_a_systems_pair_there_is_nothing_to_tell():
    assert separate_gold([[3]]) == GoldSeparation(0)
    assert separate_gold([]) == GoldSeparation(0)


def test_indifferent_raters_are_flagged_as_often_as_the_level_says():
    draw = np.random.default_rng(1)
    found = [separate_gold(draw.integers(1, 7, (6, 6)).tolist(), permutations=399) for _ in range(400)]
    assert 6 <= sum(one.p_above <= 0.05 for one in found) <= 34


def test_a_rater_with_the_scale_upside_down_is_found_and_nobody_else():
    draw = np.random.default_rng(2)
    ratings = {f"r{n}": [[2, *draw.integers(3, 7, 5).tolist()] for _ in range(5)] for n in range(6)}
    ratings["turned"] = [[7 - value for value in page] for page in ratings["r0"]]
    found, contrary = separate_gold_by_rater(ratings, rng=rng())
    assert contrary == {"turned"}
    assert found["turned"].rank == 1 - found["r0"].rank == 1.0


def test_nobody_is_contrary_where_gold_is_like_any_system():
    draw = np.random.default_rng(3)
    ratings = {f"r{n}": draw.integers(1, 7, (5, 6)).tolist() for n in range(8)}
    assert separate_gold_by_rater(ratings, rng=rng())[1] == frozenset()
    assert separate_gold_by_rater({}, rng=rng()) == ({}, frozenset())


@pytest.mark.parametrize(
    ("page", "straight"), [([4, 4, 4, 4], True), ([4, 4, 4], False), ([4, 4, 4, 4, 5], False)]
)
def test_straight_pages(page, straight):
    assert is_straight(page) == straight


def test_a_rater_is_held_against_the_others_alone():
    """Somebody who rated more than all others together does not become the measure of themselves."""
    page = [1, 3, 4, 4, 5, 6]
    ratings = {f"r{n}": [page] * 3 for n in range(5)} | {"turned": [[7 - value for value in page]] * 30}
    assert "turned" in separate_gold_by_rater(ratings, rng=rng())[1]


@pytest.mark.parametrize(
    ("kind", "scale", "failing", "words"),
    [
        ("identical", "similarity", [1, 2, 3, 4], "below 5"),
        ("identical", "dissimilarity", [3, 4, 5, 6], "above 2"),
        ("unrelated", "similarity", [4, 5, 6], "above 3"),
        ("unrelated", "dissimilarity", [1, 2, 3], "below 4"),
    ],
)
def test_a_control_fails_in_the_direction_of_the_scale(kind, scale, failing, words):
    assert [rating for rating in range(1, 7) if fails_control(kind, rating, scale)] == failing
    assert describe_failure(kind, scale) == words


def careful(*raters, pairs=range(30)):
    return {rater: dict.fromkeys(pairs, False) for rater in raters}


@pytest.mark.parametrize(
    ("marked", "met", "flagged"), [(3, 6, True), (2, 3, False), (14, 30, True), (3, 30, False)]
)
def test_who_marks_half_of_all_pairs_or_far_more_than_others_is_found(marked, met, flagged):
    own = {pair: pair < marked for pair in range(met)}
    assert find_heavy_markers({**careful("p", "q"), "own": own}) == ({"own"} if flagged else set())


def test_pairs_that_nobody_could_judge_are_no_rater_s_fault():
    broken = {pair: pair < 12 for pair in range(30)}
    assert find_heavy_markers(dict.fromkeys("pqr", broken)) == set()
    assert find_heavy_markers({"p": broken, "q": broken, **careful("r")}) == set()
    assert find_heavy_markers({"p": broken, "q": broken, **careful(*"rstuv")}) == {"p", "q"}


def test_who_alone_met_a_page_is_judged_by_half_of_it():
    own = {("own", pair): pair < 5 for pair in range(10)}
    assert find_heavy_markers({**careful("p", "q"), "own": own}) == {"own"}
    own[("own", 0)] = False
    assert find_heavy_markers({**careful("p", "q"), "own": own}) == set()


marks = st.dictionaries(st.integers(0, 8), st.booleans(), max_size=9)


@given(st.dictionaries(st.sampled_from("abcdef"), marks, max_size=6), st.permutations(range(9)))
def test_neither_the_order_of_raters_nor_the_names_of_pairs_matter(met, names):
    renamed = {rater: {names[pair]: marked for pair, marked in own.items()} for rater, own in met.items()}
    assert find_heavy_markers(dict(reversed(renamed.items()))) == find_heavy_markers(met)


@given(st.dictionaries(st.sampled_from("abcdef"), marks, max_size=6))
def test_who_is_found_marked_three_pairs_and_who_marks_half_of_six_is_found(met):
    found = find_heavy_markers(met)
    counts = {rater: (sum(own.values()), len(own)) for rater, own in met.items()}
    assert all(counts[rater][0] >= 3 for rater in found)
    assert found >= {rater for rater, (marked, size) in counts.items() if marked >= 3 and 2 * marked >= size}
