from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meta_eval.corpus.documents import GOLD
from meta_eval.design.plan import plan_survey
from meta_eval.design.positions import balance_positions
from meta_eval.errors import InputError
from tests.meta_eval.design.test_plan import SYSTEMS, plannable


def planned_names(*, documents, systems=10, per=5, pairs=1, seed=0):
    plan = plan_survey(
        [plannable(f"d{n}") for n in range(documents)],
        systems=SYSTEMS[:systems],
        systems_per_questionnaire=per,
        reader_pairs=pairs,
        seed=seed,
    )
    return [(GOLD, *planned.systems) for planned in plan.questionnaires]


def count_positions(names, placements):
    """How often each name stands in each position, by length of the page."""
    counts = Counter()
    for items, pages in zip(names, placements, strict=True):
        counts.update((len(items), items[one.item], one.position) for page in pages for one in page)
    return counts


def count_swapped(names, placements):
    return Counter(
        (items[one.item], one.flipped)
        for items, pages in zip(names, placements, strict=True)
        for page in pages
        for one in page
    )


def test_complete_design_is_balanced_exactly():
    """Thirty questionnaires of gold and nine systems, one rater each: three times in each of ten places."""
    names = planned_names(documents=10, systems=9, per=9, pairs=3)
    counts = count_positions(names, balance_positions(names, raters=1, seed=1))
    assert counts == {(10, name, place): 3 for name in (GOLD, *SYSTEMS[:9]) for place in range(10)}


def test_perseval_design_is_balanced_exactly():
    """Eighteen documents, ten systems in two questionnaires, two raters: gold 12 times, systems 6."""
    names = planned_names(documents=18)
    counts = count_positions(names, balance_positions(names, raters=2, seed=1))
    expected = {(6, name, place): 6 for name in SYSTEMS for place in range(6)}
    assert counts == expected | {(6, GOLD, place): 12 for place in range(6)}


@settings(max_examples=60)
@given(
    names=st.builds(
        planned_names,
        documents=st.integers(1, 8),
        systems=st.integers(1, 10),
        per=st.integers(1, 6),
        pairs=st.integers(1, 3),
        seed=st.integers(0, 10**6),
    ),
    raters=st.integers(1, 4),
    seed=st.integers(0, 10**6),
)
def test_any_design_is_balanced_to_within_one_page(names, raters, seed):
    placements = balance_positions(names, raters=raters, seed=seed)
    for items, pages in zip(names, placements, strict=True):
        assert len(pages) == raters
        for page in pages:
            assert [one.position for one in page] == list(range(len(items)))
            assert sorted(one.item for one in page) == list(range(len(items)))
    counts, swapped = count_positions(names, placements), count_swapped(names, placements)
    for size in {len(items) for items in names}:
        for name in {name for items in names for name in items if len(items) == size}:
            seen = [counts[size, name, place] for place in range(size)]
            assert max(seen) - min(seen) <= 1
    for name in {name for items in names for name in items}:
        assert abs(swapped[name, True] - swapped[name, False]) <= 1


def test_two_raters_meet_a_pair_in_other_places_and_the_other_way_round():
    names = planned_names(documents=12)
    for pages in balance_positions(names, raters=2, seed=3):
        first, second = ({one.item: one for one in page} for page in pages)
        assert [item for item in first if first[item].position == second[item].position] == []
        assert [item for item in first if first[item].flipped == second[item].flipped] == []


def test_placements_repeat_with_their_seed_and_change_with_it():
    names = planned_names(documents=6)
    once, again, other = (balance_positions(names, raters=2, seed=seed) for seed in (1, 1, 2))
    assert once == again
    assert once != other


def test_no_place_tells_which_item_is_gold():
    """Over seeds, gold stands anywhere on the page that somebody sees, whatever stood on the one before."""
    names = planned_names(documents=3)
    seen = Counter()
    for seed in range(1200):
        pages = balance_positions(names, raters=2, seed=seed)
        places = [next(one.position for one in pages[number][0] if one.item == 0) for number in (0, 3)]
        seen.update([tuple(places)])
    first = Counter()
    for (place, _), count in seen.items():
        first[place] += count
    assert all(abs(first[place] - 200) < 60 for place in range(6))
    assert len(seen) >= 30


def test_thousands_of_questionnaires_are_placed():
    shuffled = Random(0)
    names = [(GOLD, *shuffled.sample(SYSTEMS, 5)) for _ in range(2000)]
    counts = count_positions(names, balance_positions(names, raters=2, seed=0))
    assert sum(counts.values()) == 24_000
    assert max(counts[6, GOLD, place] for place in range(6)) == 667


@pytest.mark.parametrize(
    ("names", "raters", "message"),
    [
        ([("a", "b")], 0, "at least 1, not 0"),
        ([("a",), ("b", "b")], 1, "questionnaire 2 names an item twice"),
    ],
)
def test_what_cannot_be_placed_says_why(names, raters, message):
    with pytest.raises(InputError, match=message):
        balance_positions(names, raters=raters, seed=0)
