"""The answer with its certainty: interval, ceiling and equals are said, and doubt comes before praise."""

from dataclasses import replace

import pytest

from meta_eval.report.answer import answer_in_words
from meta_eval.report.answerable import Rated
from meta_eval.report.inference.infer import failed_inference
from meta_eval.report.options import InferenceOptions
from meta_eval.report.schema import AgreementRow, AgreementStudy, CorrelationRow, Inference, RankedMeasure

TITLES = {"rouge-l": "ROUGE-L", "bleu": "BLEU", "jsd": "Jensen-Shannon", "meteor": "METEOR"}


def correlations(estimates, n=10, human="degress_hj"):
    return [
        CorrelationRow(
            **{
                "human": human,
                "surrogate": "rouge-su4",
                "automatic": human.removesuffix("_hj"),
                "measure": measure,
                "coefficient": "kendall",
                "n": n,
                "estimate": estimate,
                "reason": None,
                "shared_input": False,
            }
        )
        for measure, estimate in estimates.items()
    ]


def ranked(measure, **changes):
    values = {
        "measure": measure,
        "estimate": 0.5,
        "n": 10,
        "surrogates": 1,
        "ci_method": "hierarchical",
        "ci_over": "documents",
        "ci_low": 0.2,
        "ci_high": 0.9,
        "ci_level": 0.95,
        "ci_reason": None,
        "ceiling": 0.83,
        "significant": 1,
        "carried_by": [],
        "group": 1,
        "score": "degress",
        "null_mean": 0.05,
        "null_high": 0.35,
        "p_raters": 0.001,
        "p_raters_adjusted": 0.002,
    }
    return RankedMeasure(**values | changes)


def agreement_study(estimate, low, high):
    row = AgreementRow(
        coefficient="krippendorff_ordinal",
        title="Krippendorff's alpha, ordinal",
        estimate=estimate,
        ci_low=low,
        ci_high=high,
        ci_method="percentile",
        ci_level=0.95,
        reason=None,
        ci_reason=None,
    )
    return AgreementStudy(coefficients=(row,), units=20, ratings=40, single=0, repeated=0, table=())


AGREEING = agreement_study(0.6, 0.4, 0.7)
DISAGREEING = agreement_study(0.08, -0.05, 0.2)
CHANCE = (
    "two raters of a pair may agree no more than by chance (Krippendorff's alpha 0.08, 95 % interval "
    "−0.05 to 0.20)"
)
SHUFFLED = "no measure stands above what shuffled ratings give"


def answer(estimates, rows, *, documents=20, resampled="documents"):
    inference = Inference(
        options=InferenceOptions(resampled=resampled), ranking=tuple(rows), agreement=AGREEING
    )
    return answer_in_words(correlations(estimates), None, inference, documents)


def test_the_answer_is_a_headline_with_interval_null_ceiling_and_equals():
    found = answer(
        {"rouge-l": 0.6, "bleu": 0.55, "jsd": 0.5, "meteor": 0.1},
        [ranked("rouge-l"), ranked("bleu"), ranked("jsd"), ranked("meteor", group=2)],
    )
    assert found.sentence == (
        "DEGRESS by ROUGE-L agrees best with the raters: Kendall's tau 0.60. 95 % interval 0.20 to 0.90, "
        "shuffled ratings reach 0.35 at most in 95 of 100 tries (p 0.002), ceiling 0.83 (10 systems); "
        "BLEU (0.55) and Jensen-Shannon (0.50) cannot be told apart from it. "
        "The coefficient is beyond chance after adjustment over the whole table."
    )
    assert found.headline == "DEGRESS by ROUGE-L agrees best with the raters: Kendall's tau 0.60."
    assert found.claimed is True
    assert [entry.group for entry in found.ranking] == [1, 1, 1, 2]


@pytest.mark.parametrize(
    ("changes", "second"),
    [
        (
            {"ci_low": -0.1, "carried_by": ["T5"]},
            "The interval holds 0, so there may be no agreement at all.",
        ),
        ({"carried_by": ["T5"]}, "Without T5 it is another result: do not rely on it."),
        ({"significant": 0}, "The coefficient is not beyond chance after adjustment over the whole table."),
    ],
)
def test_the_second_sentence_is_the_most_serious_doubt(changes, second):
    found = answer({"rouge-l": 0.6}, [ranked("rouge-l", **changes)])
    assert found.sentence.endswith(f". {second}") or found.sentence.endswith(f") {second}")
    assert second in found.sentence


@pytest.mark.parametrize(
    ("estimates", "groups", "said"),
    [
        (
            {"rouge-l": 0.6, "bleu": 0.5},
            (1, 2),
            "; every other measure agrees less than it, beyond chance for these systems and for others.",
        ),
        (
            {"rouge-l": 0.6, "bleu": 0.6, "jsd": 0.5},
            (1, 1, 1),
            "; Jensen-Shannon (0.50) cannot be told apart from them.",
        ),
        (
            {"rouge-l": 0.6, "bleu": 0.5, "jsd": 0.4, "meteor": 0.3, "infolm": 0.2},
            (1, 1, 1, 1, 1),
            "; the 4 others cannot be told apart from it.",
        ),
        (
            {"rouge-l": 0.6, "bleu": 0.5, "jsd": 0.4, "meteor": 0.3, "infolm": 0.2, "bertscore": 0.1},
            (1, 1, 1, 1, 1, 2),
            "; 4 of the 5 others cannot be told apart from it.",
        ),
    ],
)
def test_measures_that_may_be_as_good_are_named_or_counted(estimates, groups, said):
    rows = [ranked(measure, group=group) for measure, group in zip(estimates, groups, strict=True)]
    assert said in answer(estimates, rows).sentence


def test_over_surrogates_it_says_how_many_coefficients_stand():
    rows = [
        replace(row, surrogate=surrogate)
        for surrogate in ("jsd", "bleu", "meteor")
        for row in correlations({"rouge-l": 0.6})
    ]

    def second(count):
        ranking = (ranked("rouge-l", significant=count),)
        inference = Inference(options=InferenceOptions(), ranking=ranking, agreement=AGREEING)
        return answer_in_words(rows, None, inference, 20).sentence

    assert "(10 systems, mean over 3 surrogates)" in second(0)
    assert second(0).endswith(
        "None of its 3 coefficients is beyond chance after adjustment over the whole table: "
        "so few systems cannot show more."
    )
    assert second(1).endswith(
        "1 of its 3 coefficients is beyond chance after adjustment over the whole table."
    )
    assert second(3).endswith(
        "All 3 of its coefficients are beyond chance after adjustment over the whole table."
    )


def test_two_best_measures_are_judged_together():
    rows = [ranked("rouge-l"), ranked("jsd", significant=0)]
    sentence = answer({"rouge-l": 0.6, "jsd": 0.6}, rows).sentence
    assert sentence == (
        "DEGRESS by ROUGE-L and Jensen-Shannon agree equally well with the raters: Kendall's "
        "tau 0.60. 95 % interval 0.20 to 0.90, shuffled ratings reach 0.35 at most in 95 of 100 tries "
        "(p 0.002), ceiling 0.83 (10 systems). "
        "1 of their 2 coefficients is beyond chance after adjustment over the whole table."
    )


def test_no_agreement_is_no_agreement():
    found = answer({"rouge-l": -0.2}, [ranked("rouge-l", ci_low=-0.5, ci_high=0.1, ceiling=None)])
    assert found.sentence == (
        "No measure agrees with the raters. The best, DEGRESS by ROUGE-L, reaches Kendall's tau −0.20, "
        "95 % interval −0.50 to 0.10, shuffled ratings reach 0.35 at most in 95 of 100 tries (p 0.002) "
        "(10 systems)."
    )


@pytest.mark.parametrize(
    ("resampled", "about"),
    [
        ("documents", "other documents of this kind, with systems like these"),
        ("systems", "other systems of this kind, on the same documents"),
        ("documents and systems", "other documents and other systems of these kinds"),
        ("raters", "other raters of this kind, of the same documents, with systems like these"),
        (
            "raters within documents",
            "other documents of this kind and other raters of each, with systems like these",
        ),
    ],
)
def test_cautions_say_what_the_interval_is_about(resampled, about):
    ceiling = "The ceiling is what the raters' own disagreement and the choice of documents allow."
    found = answer({"rouge-l": 0.6}, [ranked("rouge-l")], resampled=resampled)
    assert found.cautions[-2:] == (f"The interval is about {about}.", ceiling)
    without = answer({"rouge-l": 0.6}, [ranked("rouge-l", ceiling=None)], resampled=resampled)
    assert ceiling not in without.cautions


def test_few_documents_and_one_system_that_carries_it_are_cautions():
    found = answer({"rouge-l": 0.6}, [ranked("rouge-l", carried_by=["T5"])], documents=9)
    assert found.cautions[-2:] == (
        "Only 9 documents were rated: intervals from so few are too narrow.",
        "Without T5 the coefficient changes by 0.25 or more, or turns around.",
    )
    assert len(answer({"rouge-l": 0.6}, [ranked("rouge-l")], documents=10).cautions) == 3


def test_without_an_inference_the_answer_is_the_plain_one_and_says_why():
    failed = failed_inference(InferenceOptions(), MemoryError("no memory"))
    found = answer_in_words(correlations({"rouge-l": 0.6}), None, failed.inference, 20)
    assert found.sentence == (
        "These ratings cannot answer it yet: how far raters agree could not be computed; how sure it is "
        "could not be computed (Unexpected error (MemoryError): no memory). The highest, DEGRESS by ROUGE-L, "
        "reaches Kendall's tau 0.60. The order of the measures says nothing about them."
    )
    assert (found.claimed, found.answerable) == (None, False)
    assert found.cautions[-1] == (
        "How sure this is could not be computed: Unexpected error (MemoryError): no memory."
    )


def test_what_the_families_alone_explain_is_a_caution():
    said = "The families of systems alone may explain the agreement by ROUGE-L: it is beyond chance over all "
    rows = correlations({"rouge-l": 0.6, "bleu": 0.5})
    plain = answer_in_words(rows, None)
    marked = [replace(row, families_explain=row.measure == "rouge-l") for row in rows]
    found = answer_in_words(marked, None)
    assert [caution for caution in found.cautions if caution not in plain.cautions] == [
        said + "systems, but not beyond what systems that change places within their family give."
    ]
    twice = [*marked, *(replace(row, surrogate="jsd", families_explain=None) for row in marked)]
    assert "by ROUGE-L (1 of 2 surrogates): it is" in " ".join(answer_in_words(twice, None).cautions)


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


ENDS = "ends at the estimate, and that is no error: "


@pytest.mark.parametrize(
    ("changes", "explained"),
    [({"ci_high": 0.604}, True), ({"ci_low": 0.6}, True), ({"ci_high": 0.61}, False), ({}, False)],
)
def test_an_interval_that_ends_at_the_estimate_is_explained(changes, explained):
    found = answer({"rouge-l": 0.6}, [ranked("rouge-l", **changes)])
    said = [caution for caution in found.cautions if caution.startswith(f"The interval of ROUGE-L {ENDS}")]
    assert len(said) == explained
