"""Simulated raters: marked, reproducible, through the same services."""

import pytest

from survey_site.batches.queries import batch_progress
from survey_site.batches.states import Scale
from survey_site.common.errors import InvalidInputError
from survey_site.survey.models import Rater, Rating
from survey_site.survey.rating_rows import rating_rows
from survey_site.survey.simulation import judge_by_overlap, point_on_scale, simulate_raters
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_assignment, submit_all

pytestmark = pytest.mark.django_db


def simulate(batch, **changes):
    settings = {"raters": 4, "completion": 1.0, "seed": 1, "now": NOW}
    return simulate_raters(batch=batch, **(settings | changes))


def test_a_share_of_the_batch_is_completed_and_the_rest_left_for_people():
    batch = make_batch(corpus=make_corpus(documents=5))
    result = simulate(batch, completion=0.8)
    progress = batch_progress(batch, now=NOW)
    assert (result.raters, result.questionnaires, result.ratings) == (4, 8, 24)
    assert (progress.by_completed, progress.simulated_completions, progress.active) == ((1, 0, 4), 8, 0)
    assert make_assignment(batch).questionnaire.number == 5


def test_all_of_it_can_be_completed():
    batch = make_batch(corpus=make_corpus(documents=3))
    assert simulate(batch).questionnaires == 6
    assert batch_progress(batch, now=NOW).percent == 100


def test_calling_again_adds_nothing_and_a_larger_share_goes_on_with_the_same_raters():
    batch = make_batch(corpus=make_corpus(documents=4))
    simulate(batch, completion=0.5)
    ratings = list(Rating.objects.values_list("pk", "value"))
    assert simulate(batch, completion=0.5).questionnaires == 0
    assert list(Rating.objects.values_list("pk", "value")) == ratings
    assert simulate(batch, completion=1.0).questionnaires == 4
    assert Rater.objects.count() == 4


def test_what_people_completed_counts():
    batch = make_batch(corpus=make_corpus(documents=2))
    submit_all(make_assignment(batch))
    assert simulate(batch, completion=0.5).questionnaires == 1


def test_too_few_raters_do_what_they_can():
    batch = make_batch(corpus=make_corpus(documents=2), raters=2)
    assert simulate(batch, raters=1).questionnaires == 2
    assert batch_progress(batch, now=NOW).by_completed == (0, 2, 0)


def test_the_same_seed_gives_the_same_ratings_and_another_one_others():
    corpus = make_corpus(documents=4, systems=3)

    def ratings(seed):
        batch = make_batch(corpus=corpus)
        simulate(batch, seed=seed)
        rows = [(row["doc_id"], row["system"], row["rating"]) for row in rating_rows(batch)]
        return sorted(rows)

    assert ratings(1) == ratings(1)
    assert ratings(1) != ratings(2)


def test_simulated_raters_are_marked_everywhere():
    batch = make_batch()
    simulate(batch)
    rows = list(rating_rows(batch))
    assert {row["simulated"] for row in rows} == {True}
    assert {row["rater"].split("-")[0] for row in rows} == {"sim"}
    assert set(Rater.objects.values_list("simulated", flat=True)) == {True}


@pytest.mark.parametrize(("scale", "point"), [(Scale.SIMILARITY, 6), (Scale.DISSIMILARITY, 1)])
def test_equal_texts_get_the_similar_end_of_the_scale(scale, point):
    batch = make_batch(scale=scale, corpus=make_corpus(documents=10))
    simulate(batch, judge=lambda _a, _b: 1.0)
    values = list(Rating.objects.values_list("value", flat=True))
    assert sum(abs(value - point) for value in values) / len(values) < 1


@pytest.mark.parametrize(
    ("latent", "shift", "scale", "point"),
    [
        (0, 0, "similarity", 1),
        (1, 0, "similarity", 6),
        (0.5, 0.1, "similarity", 4),
        (1, 3, "similarity", 6),
        (0, -3, "similarity", 1),
        (0, 0, "dissimilarity", 6),
        (1, 0, "dissimilarity", 1),
        (0.4, 0, "dissimilarity", 4),
        (-1, 0, "similarity", 1),
    ],
)
def test_points_on_the_scale(latent, shift, scale, point):
    assert point_on_scale(latent, shift=shift, scale=scale) == point


def test_the_default_judge_sees_shared_words():
    same, half, none = (
        judge_by_overlap("the cat sat down", text)
        for text in ("the cat sat down", "the cat ran off", "markets fell")
    )
    assert (same, none) == (1.0, 0.0)
    assert none < half < same


@pytest.mark.parametrize("changes", [{"raters": 0}, {"completion": -0.1}, {"completion": 1.5}])
def test_senseless_settings_are_refused(changes):
    with pytest.raises(InvalidInputError):
        simulate(make_batch(), **changes)
