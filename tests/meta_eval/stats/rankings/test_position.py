from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from meta_eval.corpus.documents import GOLD
from meta_eval.design.positions import balance_positions
from meta_eval.errors import InputError
from meta_eval.stats.rankings import position
from meta_eval.stats.rankings.position import PlacedRating, measure_position_effects

SYSTEMS = tuple(f"s{number}" for number in range(10))
Bias = Callable[[int, bool], float]


def no_bias(*_place):
    return 0.0


def favour_first(position, _flipped):
    return 0.9 * (position == 0)


def grow_severe(position, _flipped):
    return -0.25 * position


def mind_sides(_position, flipped):
    return 0.6 * flipped


def on_scale(level):
    return int(np.clip(round(level), 1, 6))


def simulate_survey(seed: int, *, documents: int = 15, bias: Bias = no_bias):
    """PerSEval's design, with raters of different severity, systems that differ, and a bias, if any."""
    rng = np.random.default_rng(seed)
    halves = [rng.permutation(SYSTEMS) for _ in range(documents)]
    names = [(GOLD, *part) for order in halves for part in (order[:5], order[5:])]
    quality = dict(zip((GOLD, *SYSTEMS), rng.normal(0, 0.8, 11), strict=True))
    for number, pages in enumerate(balance_positions(names, raters=2, seed=seed)):
        for rater, page in enumerate(pages):
            severity = rng.normal(0, 0.5)
            for one in page:
                name = str(names[number][one.item])
                latent = 3.5 + quality[name] + severity + bias(one.position, one.flipped) + rng.normal(0, 1)
                value = on_scale(latent)
                yield PlacedRating((number, rater), name, one.position + 1, one.flipped, value)


def effects_of(seed, *, permutations=199, **arguments):
    return measure_position_effects(
        simulate_survey(seed, **arguments), rng=np.random.default_rng(seed), permutations=permutations
    )


def test_indifferent_raters_are_flagged_as_often_as_the_level_says():
    """300 surveys at 5 %: 15 expected; 4 to 28 is within 3 standard deviations and a bit."""
    found = [effects_of(seed) for seed in range(300)]
    for name in ("p_positions", "p_trend", "p_sides"):
        assert 4 <= sum(getattr(one, name) <= 0.05 for one in found) <= 28, name


def test_raters_who_favour_the_first_pair_are_found():
    found = [effects_of(seed, bias=favour_first) for seed in range(20)]
    assert all(one.p_positions <= 0.05 for one in found)
    assert all(one.shifts[0].shift == max(shift.shift for shift in one.shifts) for one in found)
    assert {shift.ratings for one in found for shift in one.shifts} == {60}


def test_raters_who_grow_severe_down_the_page_are_found():
    found = [effects_of(seed, bias=grow_severe) for seed in range(20)]
    assert all(one.p_trend <= 0.05 for one in found)
    assert np.mean([one.trend for one in found]) == pytest.approx(-0.25, abs=0.05)


def test_raters_who_mind_which_text_stands_first_are_found():
    found = [effects_of(seed, bias=mind_sides) for seed in range(20)]
    assert all(one.p_sides <= 0.05 for one in found)
    assert np.mean([one.side_shift for one in found]) == pytest.approx(0.6, abs=0.12)
    assert sum(one.p_positions <= 0.05 for one in found) <= 4


def test_pages_of_unequal_length_count_with_the_positions_they_have():
    ratings = [one for one in simulate_survey(1) if not (one.page[0] % 3 == 0 and one.position == 6)]
    effects = measure_position_effects(ratings, rng=np.random.default_rng(0), permutations=99)
    assert [shift.ratings for shift in effects.shifts] == [60] * 5 + [40]
    assert 0 < effects.p_positions <= 1


def test_shifts_are_what_is_left_once_raters_and_systems_are_taken_out():
    ratings = [
        PlacedRating(page, name, 1 + (page + shift) % 2, False, 2 + shift + (page + shift) % 2 + page % 3)
        for page in range(12)
        for shift, name in enumerate(("a", "b"))
    ]
    effects = measure_position_effects(ratings, rng=np.random.default_rng(0), permutations=1999)
    assert [(one.position, one.ratings) for one in effects.shifts] == [(1, 12), (2, 12)]
    assert [one.shift for one in effects.shifts] == pytest.approx([-0.5, 0.5])
    assert effects.trend == pytest.approx(1.0)
    assert effects.p_positions <= 0.002
    assert (effects.side_shift, effects.p_sides) == (None, None)


def test_raters_who_drift_each_their_own_way_are_no_effect():
    """Eight raters, each with a slope of mean 0, in 200 surveys: at most .07 are called an effect at 5 %.

    Taken page by page the first 60 show one in a third of cases, so the test of raters is what holds it.
    """

    def trend(ratings, seed):
        found = measure_position_effects(ratings, rng=np.random.default_rng(seed), permutations=99)
        return found.p_trend <= 0.05

    surveys = [list(own_slopes(seed)) for seed in range(200)]
    assert sum(trend(ratings, seed) for seed, ratings in enumerate(surveys)) <= 14
    by_page = [[replace(one, rater=None) for one in ratings] for ratings in surveys[:60]]
    assert sum(trend(ratings, seed) for seed, ratings in enumerate(by_page)) >= 12


def test_single_positions_are_no_effect_of_raters_who_drift_each_their_own_way(monkeypatch):
    """Steep slopes: by shuffled pages alone any position differs in one survey of seven."""
    surveys = [list(own_slopes(seed, spread=0.5)) for seed in range(60)]

    def count():
        found = [
            measure_position_effects(ratings, rng=np.random.default_rng(seed), permutations=99)
            for seed, ratings in enumerate(surveys)
        ]
        return sum(one.p_positions <= 0.05 for one in found)

    with_signs = count()
    monkeypatch.setattr(position, "LEAST_RATERS", 9)
    assert with_signs <= 5
    assert count() >= 2 * max(1, with_signs)


def own_slopes(seed, spread=0.15):
    rng = np.random.default_rng(seed)
    slopes = rng.normal(0.0, spread, 8)
    for one in simulate_survey(seed):
        rater = (2 * one.page[0] + one.page[1]) % 8
        drift = slopes[rater] * one.position + rng.normal(0, 0.1)
        yield replace(one, rater=rater, rating=on_scale(one.rating + drift))


def test_a_fixed_order_tells_nothing_of_positions():
    """Items that always stand where they stand: a drift of 0.4 a position is a difference of items, too."""
    rng = np.random.default_rng(1)
    ratings = [
        PlacedRating(page, f"s{place}", place, False, on_scale(1 + 0.4 * place + rng.normal()))
        for page in range(30)
        for place in range(1, 7)
    ]
    effects = measure_position_effects(ratings, rng=rng)
    assert effects.reason == (
        "undefined: every item stood in the same position on each page, so the two cannot be told apart"
    )
    assert (effects.p_positions, effects.p_trend, effects.p_sides, effects.shifts) == (None, None, None, ())


def test_sides_that_go_with_the_item_tell_nothing_of_sides():
    ratings = [replace(one, flipped=one.name in ("s0", "s1", GOLD)) for one in simulate_survey(2)]
    effects = measure_position_effects(ratings, rng=np.random.default_rng(0), permutations=99)
    assert (effects.p_sides, effects.side_shift) == (None, None)
    assert effects.p_trend is not None


def test_a_drift_is_measured_free_of_items_that_stand_early():
    """Half of the pages keep one order, so good items stand early: what is found is raters' drift."""
    rng = np.random.default_rng(3)
    ratings = []
    for page in range(400):
        places = range(5) if page % 2 else rng.permutation(5)
        for item, place in enumerate(places):
            level = 4.5 - 0.5 * item - 0.2 * place + rng.normal(0, 0.5)
            ratings.append(PlacedRating(page, f"s{item}", int(place) + 1, False, on_scale(level)))
    effects = measure_position_effects(ratings, rng=rng, permutations=99)
    assert effects.trend == pytest.approx(-0.2, abs=0.04)
    assert effects.p_trend <= 0.02


def test_the_same_seed_gives_the_same_p():
    assert effects_of(4) == effects_of(4)


def test_too_few_pages_say_so():
    effects = effects_of(1, documents=2)
    assert (effects.pages, effects.p_positions) == (8, None)
    assert effects.reason == "8 completed questionnaires, at least 10 are needed"


def test_ratings_that_never_vary_say_so():
    ratings = [PlacedRating(page, "a" if n else "b", n + 1, False, 4) for page in range(12) for n in range(2)]
    effects = measure_position_effects(ratings, rng=np.random.default_rng(0))
    assert (effects.p_positions, effects.reason) == (None, "the ratings of a page do not vary")


def test_a_position_twice_on_a_page_is_refused():
    with pytest.raises(InputError, match="two ratings in one position"):
        measure_position_effects(
            [PlacedRating(1, "a", 1, False, 4), PlacedRating(1, "b", 1, False, 3)],
            rng=np.random.default_rng(0),
        )


@pytest.mark.parametrize(("raters", "too_few"), [(7, True), (8, False)])
def test_few_raters_cannot_tell_a_drift_of_their_own_from_an_effect(raters, too_few):
    ratings = [replace(one, rater=one.page[0] % raters) for one in simulate_survey(0)]
    found = measure_position_effects(ratings, rng=np.random.default_rng(0), permutations=19)
    assert (found.raters, found.too_few_raters) == (raters, too_few)


def test_the_drift_of_one_rater_is_not_told_from_an_effect():
    ratings = [replace(one, rater="only") for one in simulate_survey(3, bias=grow_severe)]
    effects = measure_position_effects(ratings, rng=np.random.default_rng(3), permutations=99)
    assert effects.reason.startswith("undefined: one rater completed all questionnaires")
    assert (effects.p_positions, effects.p_trend, effects.shifts) == (None, None, ())


def test_intervals_of_positions_hold_what_is_there_as_often_as_they_say():
    """40 surveys without an effect, of 6 positions: 95 % of 240 are 228; 211 is 5 deviations less."""
    shifts = [shift for seed in range(40) for shift in effects_of(seed, permutations=1).shifts]
    assert 211 <= sum(one.low <= 0 <= one.high for one in shifts) < 240
    assert all(one.low < one.shift < one.high for one in shifts)


def test_the_interval_of_a_favoured_position_leaves_zero_out():
    first, *others = effects_of(1, permutations=1, documents=40, bias=favour_first).shifts
    assert first.low > 0
    assert all(one.high < first.low for one in others)
