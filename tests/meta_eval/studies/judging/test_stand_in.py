"""A model beside people: the same coefficients of the same thing, from files that are kept apart."""

import numpy as np
import pytest

from meta_eval.errors import InputError
from meta_eval.ratings.rating import Rating
from meta_eval.stats.raters.agreement import ALPHA
from meta_eval.studies.judging.stand_in import compare_with_people


def ratings(rater, values):
    return [
        Rating(f"d{item % 12}", f"S{item // 12}", "a", "b", rater, value) for item, value in enumerate(values)
    ]


@pytest.fixture(scope="module")
def study():
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 7, 48)

    def noisy(spread):
        return [int(value) for value in np.clip(np.round(truth + spread * rng.standard_normal(48)), 1, 6)]

    people = [rating for name in ("p1", "p2", "p3", "p4") for rating in ratings(name, noisy(0.8))]
    models = ratings("model:good", noisy(0.3)) + ratings("model:idle", [3] * 48)
    return people, models


def alpha(side):
    return next(one for one in side["coefficients"] if one["coefficient"] == ALPHA)


def test_a_good_model_agrees_as_people_do_and_an_idle_one_does_not(study):
    good, idle = compare_with_people(*study, resamples=50)
    assert (good["rater"], good["pairs"], good["people"]) == ("model:good", 48, 4)
    assert good["agreement_with_people"]["pairs_of_ratings"] == 4 * 48
    assert good["agreement_of_people"]["pairs_of_ratings"] == 6 * 48
    assert good["agreement_of_people"] == idle["agreement_of_people"]
    assert (
        alpha(good["agreement_with_people"])["estimate"]
        > alpha(good["agreement_of_people"])["estimate"]
        > 0.5
    )
    assert alpha(idle["agreement_with_people"])["estimate"] < 0.1
    assert good["alternative_annotator_test"]["passes"] is True
    assert idle["alternative_annotator_test"]["passes"] is False
    one = alpha(good["agreement_with_people"])
    assert one["ci_low"] < one["estimate"] < one["ci_high"]


def test_only_pairs_that_the_model_rated_count(study):
    people, models = study
    (half,) = compare_with_people(people, models[:20], resamples=20)
    assert half["agreement_of_people"]["pairs_of_ratings"] == 6 * 20
    assert half["alternative_annotator_test"]["reason"].startswith("0 of 4 raters have 30 items")


def test_people_and_models_are_kept_apart(study):
    people, models = study
    with pytest.raises(InputError, match="'model:good' is a model, and stands in the file of people's"):
        compare_with_people(models, models)
    with pytest.raises(InputError, match="'p1' is no model"):
        compare_with_people(people, people)
