"""The answer with its certainty: interval, ceiling and equals are said, and doubt comes before praise."""

from dataclasses import replace

import pytest

from meta_eval.report.answer import answer_in_words
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


ENDS = "ends at the estimate, and that is no error: "


@pytest.mark.parametrize(
    ("changes", "explained"),
    [({"ci_high": 0.604}, True), ({"ci_low": 0.6}, True), ({"ci_high": 0.61}, False), ({}, False)],
)
def test_an_interval_that_ends_at_the_estimate_is_explained(changes, explained):
    found = answer({"rouge-l": 0.6}, [ranked("rouge-l", **changes)])
    said = [caution for caution in found.cautions if caution.startswith(f"The interval of ROUGE-L {ENDS}")]
    assert len(said) == explained
