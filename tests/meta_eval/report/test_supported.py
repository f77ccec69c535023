"""What the answer claims where shuffled ratings give as much, and where raters disagree."""

import pytest

from meta_eval.report.answer import answer_in_words
from meta_eval.report.options import InferenceOptions
from meta_eval.report.schema import Inference
from tests.meta_eval.report.test_certainty import (
    AGREEING,
    CHANCE,
    DISAGREEING,
    SHUFFLED,
    answer,
    correlations,
    ranked,
)


def unsupported(measure, **changes):
    return ranked(measure, **{"p_raters": 0.2, "p_raters_adjusted": 0.4, **changes})


@pytest.mark.parametrize(
    ("study", "reasons"),
    [
        (DISAGREEING, [CHANCE, f"{SHUFFLED}, adjusted for all of them"]),
        (AGREEING, [f"{SHUFFLED}, adjusted for all of them"]),
    ],
)
def test_nothing_is_claimed_that_shuffled_ratings_give_too(study, reasons):
    rows = [unsupported("rouge-l"), unsupported("jsd")]
    inference = Inference(options=InferenceOptions(), ranking=tuple(rows), agreement=study)
    found = answer_in_words(correlations({"rouge-l": 0.6, "jsd": 0.3}), None, inference, 20)
    assert found.headline == f"These ratings cannot answer it yet: {'; '.join(reasons)}."
    assert (found.claimed, found.answerable) == (False, False)
    assert [row.why for row in found.reasons] == reasons
    assert found.sentence == (
        f"{found.headline} The highest, DEGRESS by ROUGE-L, reaches Kendall's tau 0.60: shuffled ratings "
        "reach 0.35 at most in 95 of 100 tries (p 0.400). The order of the measures says nothing about them."
    )


def test_where_raters_disagree_no_agreement_of_the_measures_is_no_finding():
    rows = (unsupported("rouge-l"),)
    for study, headline, answerable in (
        (DISAGREEING, f"These ratings cannot answer it yet: {CHANCE}.", False),
        (AGREEING, "No measure agrees with the raters.", True),
    ):
        inference = Inference(options=InferenceOptions(), ranking=rows, agreement=study)
        found = answer_in_words(correlations({"rouge-l": -0.3}), None, inference, 20)
        assert (found.headline, found.claimed, found.answerable) == (headline, False, answerable)


def test_where_raters_disagree_and_nothing_was_shuffled_no_null_is_told_of():
    names = ("null_mean", "null_high", "p_raters", "p_raters_adjusted")
    rows = (ranked("jsd", **dict.fromkeys(names), null_reason="no questionnaire has two systems"),)
    inference = Inference(options=InferenceOptions(), ranking=rows, agreement=DISAGREEING)
    found = answer_in_words(correlations({"jsd": -0.3}), None, inference, 20)
    assert found.sentence == (
        f"These ratings cannot answer it yet: {CHANCE}. No measure agrees with the raters: the best, DEGRESS "
        "by Jensen-Shannon, reaches Kendall's tau −0.30. The order of the measures says nothing about them."
    )


def test_others_are_told_apart_from_the_measure_that_is_named():
    rows = [unsupported("rouge-l", group=1), ranked("jsd", group=2), ranked("bleu", group=3)]
    found = answer({"rouge-l": 0.7, "jsd": 0.5, "bleu": 0.1}, rows)
    assert "cannot be told apart" not in found.sentence
    assert "every other measure" not in found.sentence


def test_a_measure_that_runs_against_the_raters_agrees_with_none_of_them():
    found = answer({"rouge-l": -0.1}, [ranked("rouge-l", null_mean=-0.6, null_high=-0.3)])
    assert (found.headline, found.claimed) == ("No measure agrees with the raters.", False)


def test_a_higher_measure_that_raters_do_not_support_is_named_after_the_one_they_do():
    found = answer({"rouge-l": 0.6, "jsd": 0.5}, [unsupported("rouge-l"), ranked("jsd")])
    assert found.headline == "DEGRESS by Jensen-Shannon agrees best with the raters: Kendall's tau 0.50."
    assert found.sentence.endswith(
        " ROUGE-L has a higher coefficient (0.60), which shuffled ratings reach too often to count (p 0.400)."
    )


def test_where_ratings_cannot_be_shuffled_nothing_is_claimed_and_it_says_why():
    without = {"null_mean": None, "null_high": None, "p_raters": None, "p_raters_adjusted": None}
    found = answer(
        {"jsd": 0.6}, [ranked("jsd", **without, null_reason="there are no single ratings to shuffle")]
    )
    assert found.sentence == (
        "These ratings cannot answer it yet: whether the raters support it could not be tested: there are no "
        "single ratings to shuffle. The highest, DEGRESS by Jensen-Shannon, reaches Kendall's tau 0.60. The "
        "order of the measures says nothing about them."
    )
    assert (found.claimed, found.answerable) == (None, False)


@pytest.mark.parametrize(
    ("supported", "mean", "verdict"),
    [
        (True, 0.8, "more than the penalty alone gives"),
        (False, 0.8, "so most of it is the penalty's work, not the raters'"),
        (False, -0.1, "no more than shuffled ratings may give"),
    ],
)
def test_perseval_stands_beside_the_answer_with_what_shuffled_ratings_give_it(supported, mean, verdict):
    make = ranked if supported else unsupported
    rows = (ranked("jsd"), make("jsd", score="perseval", null_mean=mean, null_high=0.9))
    both = [*correlations({"jsd": 0.6}), *correlations({"jsd": 0.95}, human="perseval_hj")]
    p = "0.002" if supported else "0.400"
    inference = Inference(options=InferenceOptions(), ranking=rows, agreement=AGREEING)
    found = answer_in_words(both, None, inference, 20)
    assert found.sentence.endswith(
        " By PerSEval, as its paper defines it, Jensen-Shannon is best with tau 0.95; both sides hold a "
        "penalty in which no rating has a part, so shuffled ratings alone give "
        f"{'0.80' if mean > 0 else '−0.10'} on average; shuffled ratings reach 0.90 at most in 95 of 100 "
        f"tries (p {p}), {verdict}."
    )
    assert [(entry.measure, entry.mean, entry.supported) for entry in found.beside] == [
        ("jsd", 0.95, supported)
    ]
