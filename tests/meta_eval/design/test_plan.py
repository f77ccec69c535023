from collections import Counter, defaultdict
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meta_eval.design.plan import PlannableDocument, plan_survey, shuffle_items
from meta_eval.errors import InputError

SYSTEMS = tuple(f"s{number}" for number in range(10))


def plannable(doc_id: str, readers: int = 4, *, without: str | None = None) -> PlannableDocument:
    names = tuple(f"r{number}" for number in range(readers))
    wrote = {system: frozenset(names if system != without else names[:1]) for system in SYSTEMS}
    return PlannableDocument(doc_id, names, wrote)


def test_perseval_design_is_two_questionnaires_of_five_systems_per_document():
    plan = plan_survey([plannable(f"d{n}") for n in range(6)], systems=SYSTEMS, seed=1)
    assert len(plan.questionnaires) == 12
    assert {len(planned.systems) for planned in plan.questionnaires} == {5}
    assert (plan.items, plan.ratings) == (72, 144)
    assert {Counter(p.document for p in plan.questionnaires)[f"d{n}"] for n in range(6)} == {2}


def test_icopernicus_design_is_all_three_pairs_among_three_readers_in_ten_items():
    """Any three pairs of five readers would name three readers in one document of eight only."""
    available = [plannable(f"d{number}", 5) for number in range(200)]
    plan = plan_survey(available, systems=SYSTEMS[:9], readers=3, systems_per_questionnaire=9, raters=1)
    drawn = defaultdict(list)
    for planned in plan.questionnaires:
        drawn[planned.document].append((planned.reader_a, planned.reader_b))
    trios = {name: sorted({reader for pair in pairs for reader in pair}) for name, pairs in drawn.items()}
    assert len(drawn) == 200
    assert {name: sorted(pairs) for name, pairs in drawn.items()} == {
        name: list(combinations(trio, 2)) for name, trio in trios.items()
    }
    assert {len(trio) for trio in trios.values()} == {3}
    assert len({tuple(trio) for trio in trios.values()}) == 10
    assert {planned.items for planned in plan.questionnaires} == {10}


def test_parts_that_are_kept_together_stand_one_after_the_other():
    available = [plannable(f"d{number}") for number in range(30)]
    apart, together = (
        plan_survey(available, systems=SYSTEMS, reader_pairs=2, parts_together=kept) for kept in (False, True)
    )
    assert sorted(together.questionnaires, key=str) == sorted(apart.questionnaires, key=str)
    halves = [(p.document, p.reader_a, p.reader_b) for p in together.questionnaires]
    assert halves[::2] == halves[1::2]
    assert halves != sorted(halves)
    halves = [(p.document, p.reader_a, p.reader_b) for p in apart.questionnaires]
    assert halves[::2] != halves[1::2]


@given(
    seed=st.integers(0, 5),
    systems=st.integers(1, 10),
    per=st.integers(1, 6),
    pairs=st.integers(1, 3),
    documents=st.integers(1, 4),
)
def test_every_system_is_rated_equally_often_and_plans_repeat(seed, systems, per, pairs, documents):
    chosen = SYSTEMS[:systems]
    arguments = {
        "systems": chosen,
        "documents": documents,
        "reader_pairs": pairs,
        "systems_per_questionnaire": per,
        "seed": seed,
    }
    available = [plannable(f"d{n}") for n in range(5)]
    plan = plan_survey(available, **arguments)
    counts = Counter(system for planned in plan.questionnaires for system in planned.systems)
    assert counts == dict.fromkeys(chosen, documents * pairs)
    assert plan == plan_survey(available[::-1], **arguments)
    sizes = {len(planned.systems) for planned in plan.questionnaires}
    assert max(sizes) <= per
    assert max(sizes) - min(sizes) <= 1


def test_another_seed_gives_another_plan():
    available = [plannable(f"d{n}") for n in range(5)]
    assert plan_survey(available, systems=SYSTEMS, seed=1) != plan_survey(available, systems=SYSTEMS, seed=2)


def test_a_documents_draw_does_not_depend_on_the_others():
    alone = plan_survey([plannable("d1")], systems=SYSTEMS, reader_pairs=2)
    together = plan_survey([plannable("d0"), plannable("d1")], systems=SYSTEMS, reader_pairs=2)
    assert set(alone.questionnaires) == {p for p in together.questionnaires if p.document == "d1"}


def test_only_reader_pairs_for_which_every_system_wrote_are_used():
    available = [plannable("whole"), plannable("partial", without="s3"), plannable("single", readers=1)]
    plan = plan_survey(available, systems=SYSTEMS)
    assert {planned.document for planned in plan.questionnaires} == {"whole"}
    assert plan.notes == (
        "2 of 3 documents cannot be surveyed: fewer than 1 reader pair(s) for which every system wrote",
    )
    assert len(plan_survey(available, systems=SYSTEMS[:3]).questionnaires) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"systems": ()}, "at least one system"),
        ({"systems": ("s1", "s1")}, "named twice"),
        ({"raters": 0}, "raters per questionnaire must be at least 1, not 0"),
        ({"documents": 2}, "2 documents are wanted; 1 of 1 have at least 1 reader pair"),
        ({"documents": ["d", "e"]}, "the corpus has no document e"),
        ({"documents": []}, "no document is named"),
        ({"documents": ["d"], "reader_pairs": 7}, "fewer than 7 reader pair"),
        ({"reader_pairs": 7}, "no document has 7 reader pair"),
        ({"readers": 1}, "readers per document must be at least 2, not 1"),
        ({"readers": 5}, "no document has 5 readers for whom every system wrote"),
    ],
)
def test_what_cannot_be_planned_says_why(arguments, message):
    with pytest.raises(InputError, match=message):
        plan_survey([plannable("d")], **{"systems": SYSTEMS, **arguments})


def test_shuffled_items_are_a_permutation_that_repeats_with_its_seed():
    placed = shuffle_items(seed="a", items=6)
    assert sorted(placement.item for placement in placed) == list(range(6))
    assert [placement.position for placement in placed] == list(range(6))
    assert placed == shuffle_items(seed="a", items=6)


def test_positions_and_sides_are_even_over_raters():
    placements = [shuffle_items(seed=seed, items=6) for seed in range(3000)]
    first = Counter(placed[0].item for placed in placements)
    flipped = sum(placement.flipped for placed in placements for placement in placed)
    assert all(abs(first[item] - 500) < 100 for item in range(6))
    assert abs(flipped - 9000) < 300
