"""Whether ratings can carry an answer, and the reasons where they cannot."""

from dataclasses import replace

import pytest

from meta_eval.report.answer import answer_in_words
from meta_eval.report.answerable import Rated
from meta_eval.report.options import InferenceOptions
from meta_eval.report.schema import Inference
from tests.meta_eval.report.test_certainty import (
    AGREEING,
    CHANCE,
    DISAGREEING,
    SHUFFLED,
    agreement_study,
    correlations,
    ranked,
)


def judged(*, study=AGREEING, rated=None, n=10, **changes):
    """The answer on one measure that shuffled ratings do not reach, and what is held against it."""
    inference = Inference(options=InferenceOptions(), ranking=(ranked("jsd", **changes),), agreement=study)
    found = answer_in_words(correlations({"jsd": 0.6}, n), None, inference, 20, rated=rated)
    return found, {reason.what: reason.why for reason in found.reasons}


def test_ratings_that_carry_an_answer_give_one():
    rated = Rated(completed=73, wanted=80, raters=12, flagged=1)
    found, reasons = judged(rated=rated)
    assert (found.answerable, found.claimed, reasons) == (True, True, {})
    assert found.headline == "DEGRESS by Jensen-Shannon agrees with the raters: Kendall's tau 0.60."


@pytest.mark.parametrize(
    ("given", "reasons"),
    [
        ({"study": DISAGREEING}, {"agreement": CHANCE}),
        ({"study": None}, {"agreement": "how far raters agree could not be computed"}),
        (
            {"study": agreement_study(0.5, None, None)},
            {"agreement": "how far raters agree has no interval (None)"},
        ),
        (
            {"study": agreement_study(None, None, None)},
            {"agreement": "how far raters agree is not known (None)"},
        ),
        (
            {"study": replace(DISAGREEING, units=9, single=1_000)},
            {
                "ratings_a_pair": "most pairs have one rating (1,000 of 1,009), so nobody knows how far "
                "raters agree"
            },
        ),
        ({"rated": Rated(raters=10, flagged=1)}, {}),
        ({"rated": Rated(raters=4, flagged=1)}, {"flagged": "1 of 4 raters is flagged and undecided"}),
        ({"rated": Rated(raters=4, flagged=4)}, {"flagged": "4 of 4 raters are flagged and undecided"}),
        ({"rated": Rated(completed=5, wanted=10)}, {}),
        (
            {"rated": Rated(completed=49, wanted=1_000)},
            {"plan": "only 49 of 1,000 planned questionnaires are done"},
        ),
        ({"n": 5}, {}),
        (
            {"n": 4},
            {
                "systems": "only 4 systems were compared, and unrelated rankings of so few agree perfectly "
                "too often"
            },
        ),
        (
            {"ci_low": None, "ci_high": None, "ci_reason": "most resamples are undefined"},
            {"interval": "there is no interval (most resamples are undefined)"},
        ),
        ({"p_raters": 0.2, "p_raters_adjusted": 0.4}, {"shuffled": SHUFFLED}),
    ],
)
def test_each_reason_by_itself_forbids_an_answer(given, reasons):
    found, against = judged(**given)
    assert against == reasons
    assert (found.answerable, found.claimed) == (not reasons, not reasons)


def test_the_gravest_reasons_stand_in_the_headline_and_the_others_after_it():
    rated = Rated(completed=1, wanted=3, raters=4, flagged=4)
    found, reasons = judged(study=DISAGREEING, rated=rated)
    assert list(reasons) == ["agreement", "flagged", "plan"]
    assert found.headline == (
        f"These ratings cannot answer it yet: {CHANCE}; 4 of 4 raters are flagged and undecided."
    )
    assert found.sentence == (
        f"{found.headline} Besides, only 1 of 3 planned questionnaires is done. The highest, DEGRESS by "
        "Jensen-Shannon, reaches Kendall's tau 0.60: 95 % interval 0.20 to 0.90, shuffled ratings reach 0.35 "
        "at most in 95 of 100 tries (p 0.002), ceiling 0.83 (10 systems). The order of the measures says "
        "nothing about them."
    )


def test_without_statistics_nobody_judges_and_without_scores_there_is_no_answer():
    assert answer_in_words(correlations({"jsd": 0.6}), None).answerable is None
    found = answer_in_words([], "There are no human scores.")
    assert (found.answerable, [reason.why for reason in found.reasons]) == (
        False,
        ["There are no human scores"],
    )


def test_what_is_not_known_of_uploaded_ratings_is_not_held_against_them():
    plan, ratings = {"completions_wanted": 80}, {"completions": 7, "raters": 3}
    known = {"raters_flagged": 2}
    assert Rated.of(known, plan, ratings) == Rated(completed=7, wanted=80, raters=3, flagged=2)
    uploaded = {**known, "source_file": "a.csv", "raters_known": False}
    assert Rated.of(uploaded, plan, ratings) == Rated(completed=7, flagged=2)
