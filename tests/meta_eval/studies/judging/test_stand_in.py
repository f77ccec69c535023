"""A model beside people: the same coefficients of the same thing, from files that are kept apart."""

from dataclasses import replace

import numpy as np
import pytest

from meta_eval.corpus.documents import GOLD
from meta_eval.errors import InputError
from meta_eval.measures import make_measure
from meta_eval.ratings.of_models import ModelAnswer, ModelTable
from meta_eval.report.inference.stand_in import StandInOptions
from meta_eval.report.inference.stand_in_scores import NOTHING_BEYOND
from meta_eval.stats.raters.agreement import ALPHA
from meta_eval.stats.raters.prediction_powered import prediction_powered_mean
from meta_eval.studies.judging.stand_in import compare_with_people
from tests.meta_eval.model_ratings import ALL, FEW, RATED, SYSTEMS, make_study, tables_of_ratings


@pytest.fixture(scope="module")
def study():
    return make_study()


@pytest.fixture(scope="module")
def found(study):
    corpus, people, models = study
    surrogates = {"rouge-l": make_measure("rouge-l")}
    tables = tables_of_ratings(models)
    return compare_with_people(
        people, tables, corpus, scale="similarity", surrogates=surrogates, inference=FEW,
        stand_in=StandInOptions(named=True, mixed=True),
    )  # fmt: skip


def alpha(side):
    return next(one for one in side.coefficients if one.coefficient == ALPHA)


def test_a_good_model_agrees_as_people_do_and_an_idle_one_does_not(found):
    good, idle = found
    assert (good.rater, good.pairs, good.people) == ("model:good", 5 * RATED, 4)
    assert good.agreement_with_people.pairs_of_ratings == 4 * 5 * RATED
    assert good.agreement_of_people.pairs_of_ratings == 6 * 5 * RATED
    assert good.agreement_of_people == idle.agreement_of_people
    assert alpha(good.agreement_with_people).estimate > alpha(good.agreement_of_people).estimate > 0.5
    assert alpha(idle.agreement_with_people).estimate < 0.1
    assert [one.alternative_annotator_test.passes for one in found] == [True, False]
    assert [row.rater for row in good.alternative_annotator_test.raters] == ["p1", "p2", "p3", "p4"]
    one = alpha(good.agreement_with_people)
    assert one.ci_low < one.estimate < one.ci_high


def test_scores_as_the_model_judges_them_stand_beside_those_of_people(found):
    good, idle = found
    assert (good.scored_pairs, good.all_pairs) == (5 * RATED, 5 * RATED)
    row = next(row for row in good.systems if (row.human, row.coefficient) == ("degress_hj", "pearson"))
    assert (row.measure, row.surrogate, row.n, row.shared_input) == ("model:good", "rouge-l", 4, True)
    assert row.estimate > 0.9
    assert row.ci_low <= row.estimate <= row.ci_high
    assert row.p_raters is not None
    of_idle = next(row for row in idle.systems if (row.human, row.coefficient) == ("degress_hj", "pearson"))
    assert of_idle.estimate is None or of_idle.estimate < row.estimate


def test_a_mixed_survey_is_prediction_powered_where_the_model_rated_more(study, found):
    good, idle = found
    assert {(row.people_documents, row.model_documents) for row in good.mixed} == {(RATED, ALL - RATED)}
    assert {row.reason for row in idle.mixed if row.people_low is not None} == {NOTHING_BEYOND}
    assert all(row.mixed_estimate is None and row.people_estimate is not None for row in idle.mixed)
    assert {row.planned_documents for row in idle.mixed} == {ALL - RATED}
    varied = [row for row in good.mixed if row.reason is None]
    assert {row.system for row in varied} >= set(SYSTEMS[1:])
    for row in varied:
        assert row.saved == pytest.approx(
            1 - ((row.mixed_high - row.mixed_low) / (row.people_high - row.people_low)) ** 2
        )


def test_a_mixed_survey_is_off_unless_it_is_asked_for(study, found):
    corpus, people, models = study
    tables = tables_of_ratings(models)
    surrogates = {"rouge-l": make_measure("rouge-l")}
    asked = {"scale": "similarity", "inference": FEW, "stand_in": StandInOptions(named=True)}
    unasked = compare_with_people(people, tables, corpus, surrogates=surrogates, **asked)
    assert unasked == tuple(replace(one, mixed=()) for one in found)
    assert [one.asks_mixed for one in (*unasked, *found)] == [False, False, True, True]
    (without_surrogate,) = compare_with_people(
        people, tables[:1], corpus, **{**asked, "stand_in": StandInOptions(mixed=True)}
    )
    assert [part.question for part in without_surrogate.unanswered] == ["systems", "mixed"]
    assert without_surrogate.asks_mixed


def test_the_mixed_score_equals_the_formula_on_scores_of_documents(study, found):
    """DEGRESS-HJ of each document by people and by the model, by the library's own scores."""
    from meta_eval.ratings.divergences import human_divergences
    from meta_eval.scores.human import score_humans

    corpus, people, models = study
    rated = [rating for rating in models if rating.rater == "model:good"]
    sides = [
        score_humans(
            corpus, human_divergences(given, scale="similarity"), make_measure("rouge-l")
        ).contributions
        for given in (people, rated)
    ]
    ours, theirs = (
        dict(zip(side.documents, side.degress[side.systems.index("S2")], strict=True)) for side in sides
    )
    both = [name for name in ours if np.isfinite(ours[name]) and np.isfinite(theirs[name])]
    alone = [name for name in theirs if name not in ours and np.isfinite(theirs[name])]
    expected = prediction_powered_mean(
        np.array([ours[name] for name in both]),
        np.array([theirs[name] for name in both]),
        np.array([theirs[name] for name in alone]),
    )
    row = next(row for row in found[0].mixed if (row.human, row.system) == ("degress_hj", "S2"))
    assert (row.mixed_low, row.mixed_high) == pytest.approx((expected.mixed.low, expected.mixed.high))


def test_what_a_model_leans_to_is_told_from_its_answers(study):
    corpus, people, _ = study
    answers = []
    pairs = dict.fromkeys(rating.pair for rating in people)
    for number, pair in enumerate(pairs):
        first = 3 + number % 2
        answers += [
            ModelAnswer(pair, first + 1, "ab", 0),
            ModelAnswer(pair, first + 2, "ab", 1),
            ModelAnswer(pair, first, "ba", 0),
            ModelAnswer(pair, first + 1, "ba", 1) if number else ModelAnswer(pair, None, "ba", 1, "refused"),
        ]
    table = ModelTable("model:first", tuple(answers))
    (one,) = compare_with_people(people, [table], corpus, scale="similarity", inference=FEW)
    told = {row.leaning: row for row in one.leanings}
    assert told["position"].estimate == pytest.approx((59 * 1.0 + 1.5) / 60)
    assert (told["drift"].estimate, told["drift"].n) == (pytest.approx(1.0), 119)
    assert told["spread of draws"].estimate == pytest.approx(0.5**0.5)
    assert (told["equal texts"].n, told["equal texts, people"].n) == (RATED, 4 * RATED)
    assert told["equal texts"].estimate == 1.0
    assert told["severity"].reason is None
    missing = {row.reason: (row.missing, row.share) for row in one.missing_answers}
    assert missing == {"unreadable": (0, 0.0), "refused": (1, 1 / 240)}
    assert sum(row.model for row in one.scale_use) == len(table.ratings) == 60
    assert sum(row.people_share for row in one.scale_use) == pytest.approx(1)
    assert [part.question for part in one.unanswered] == ["systems"]


def test_equal_texts_are_counted_over_the_pairs_of_both_sides(study):
    """People rated one document fewer than the model: their equal texts are those of both."""
    corpus, people, models = study
    first = people[0].doc_id
    fewer = [rating for rating in people if rating.doc_id != first]
    one, _ = compare_with_people(fewer, tables_of_ratings(models), corpus, scale="similarity", inference=FEW)
    told = {row.leaning: row for row in one.leanings}
    assert (told["equal texts"].n, told["equal texts, people"].n) == (RATED - 1, 4 * (RATED - 1))


def test_ratings_alone_say_nothing_of_answers(found):
    told = {row.leaning: row.reason for row in found[0].leanings}
    assert {name for name, why in told.items() if why and why.startswith("only ratings are known")} == {
        "position",
        "drift",
        "spread of draws",
    }
    assert found[0].missing_answers == ()


def test_only_pairs_that_the_model_rated_count(study):
    corpus, people, models = study
    (half,) = compare_with_people(
        people, tables_of_ratings(models[:20]), corpus, scale="similarity", inference=FEW,
        surrogates={"rouge-l": make_measure("rouge-l")}, stand_in=StandInOptions(mixed=True),
    )  # fmt: skip
    assert half.agreement_of_people.pairs_of_ratings == 6 * 20
    assert half.alternative_annotator_test.reason.startswith("0 of 4 raters have 30 items")
    assert (half.scored_pairs, half.all_pairs) == (20, 60)
    assert {row.ceiling_reason for row in half.systems} == {
        "a ceiling is that of all rated pairs, of which the model rated only some"
    }
    assert {row.reason for row in half.mixed} == {
        "people and the model rated 4 documents both; 10 are needed"
    }


def test_a_model_that_rates_other_documents_otherwise_gives_no_mixed_score(study):
    """All pairs of the documents of people, one system alone of the others: no estimate may join these."""
    corpus, people, models = study
    uneven = [
        rating
        for rating in models
        if rating.rater == "model:good" and (rating.doc_id < f"d{RATED:02}" or rating.system in (GOLD, "S1"))
    ]
    (one,) = compare_with_people(
        people, tables_of_ratings(uneven), corpus, scale="similarity", inference=FEW,
        surrogates={"rouge-l": make_measure("rouge-l")}, stand_in=StandInOptions(mixed=True),
    )  # fmt: skip
    assert {row.reason.partition(" of the pairs")[0] for row in one.mixed if row.system == "S1"} == {
        "the model rated 100 %"
    }


def test_gold_pairs_alone_of_other_documents_give_a_reason_and_no_error(study):
    corpus, people, models = study
    given = [
        rating
        for rating in models
        if rating.rater == "model:good" and (rating.doc_id < f"d{RATED:02}" or rating.system == GOLD)
    ]
    (one,) = compare_with_people(
        people, tables_of_ratings(given), corpus, scale="similarity", inference=FEW,
        surrogates={"rouge-l": make_measure("rouge-l")}, stand_in=StandInOptions(mixed=True),
    )  # fmt: skip
    assert len(one.systems) > 0
    told = {row.reason.partition(":")[0] for row in one.mixed if row.people_low is not None}
    assert told == {"the model's ratings of documents that no person rated give no score"}


def test_people_and_models_are_kept_apart(study):
    corpus, _, models = study
    with pytest.raises(InputError, match="'model:good' is a model, and stands in the file of people's"):
        compare_with_people(models, tables_of_ratings(models), corpus, scale="similarity")
