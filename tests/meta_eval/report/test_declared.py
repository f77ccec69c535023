"""The declared primary coefficient in words: what, when, after how many ratings, and what else is left."""

import pytest

from meta_eval.errors import InputError
from meta_eval.report.declared import NONE_DECLARED, declared_in_words, when_in_words
from meta_eval.report.options import InferenceOptions
from meta_eval.report.primary import Declaration, Primary
from meta_eval.report.schema import CorrelationRow, Inference
from meta_eval.stats.coefficients.registry import COEFFICIENTS

EARLY = Primary(
    coefficient="kendall",
    surrogate="rouge-l",
    declared_at="2026-03-03T09:00:00+00:00",
    ratings=0,
    planned=120,
)


def words(primary, reason=None):
    return declared_in_words(Inference(options=InferenceOptions(primary=primary), primary_reason=reason))


def test_without_a_declaration_one_sentence_says_so():
    assert words(None) == NONE_DECLARED
    assert declared_in_words(None) == ""


def test_an_early_declaration_says_what_when_and_that_the_rest_is_exploratory():
    assert words(EARLY) == (
        "Kendall's tau of DEGRESS with DEGRESS-HJ by ROUGE-L was declared as primary on 3 March 2026, before "
        "the first rating. p of its measures is adjusted over them by max-T over permutations of the systems "
        "that they share (p max-T); every other coefficient is exploratory."
    )


@pytest.mark.parametrize(
    ("ratings", "planned", "expected"),
    [
        (0, 120, "on 3 March 2026, before the first rating"),
        (1, 120, "on 3 March 2026, after 1 of 120 ratings"),
        (40, 120, "on 3 March 2026, after 40 of 120 ratings"),
        (1, None, "on 3 March 2026, after 1 rating"),
        (1_040, None, "on 3 March 2026, after 1,040 ratings"),
        (None, None, "on 3 March 2026"),
    ],
)
def test_a_late_declaration_says_after_how_many_ratings(ratings, planned, expected):
    late = Declaration(
        coefficient="pearson",
        surrogate="jsd",
        declared_at="2026-03-03T23:59:00+00:00",
        ratings=ratings,
        planned=planned,
    )
    assert when_in_words(late) == expected


def test_what_was_declared_before_is_told_too():
    before = Declaration(
        coefficient="pearson", surrogate="jsd", declared_at="2026-03-01T08:00:00+00:00", ratings=0, planned=9
    )
    late = Primary(
        coefficient="kendall",
        surrogate="jsd",
        declared_at="2026-03-05T08:00:00+00:00",
        ratings=4,
        planned=9,
        replaced=(before,),
    )
    assert words(late).startswith(
        "Kendall's tau of DEGRESS with DEGRESS-HJ by Jensen-Shannon was declared as primary on 5 March 2026, "
        "after 4 of 9 ratings. It replaces Pearson's r of DEGRESS with DEGRESS-HJ by Jensen-Shannon, "
        "declared on 1 March 2026, before the first rating. p of its measures"
    )


def test_a_declaration_without_numbers_leaves_everything_exploratory():
    found = words(EARLY, "the report has no human scores by ROUGE-L")
    assert found.endswith(
        "None of it is in this report: the report has no human scores by ROUGE-L. Every coefficient is "
        "exploratory."
    )


def test_the_answer_stays_about_degress_where_perseval_was_declared():
    primary = Primary(coefficient="kendall", surrogate="jsd", score="perseval")
    assert words(primary).endswith("So the answer is exploratory, too.")


@pytest.mark.parametrize(
    "wrong", [{"coefficient": "tau"}, {"surrogate": "ROUGE L"}, {"score": "egises"}], ids=str
)
def test_what_cannot_be_declared_is_refused(wrong):
    with pytest.raises(InputError):
        Declaration(**{"coefficient": "kendall", "surrogate": "jsd", **wrong})


def test_a_declared_coefficient_is_in_every_table():
    options = InferenceOptions(primary=Primary(coefficient="kendall-c", surrogate="jsd"))
    assert options.coefficients == (*COEFFICIENTS, "kendall-c")


def test_options_of_a_stored_report_read_back_with_the_declaration():
    asked = InferenceOptions(primary=EARLY)
    assert InferenceOptions.from_record({**asked.asked, "mode": "paper"}) == asked
    assert InferenceOptions.from_record({"seed": 3}) == InferenceOptions(seed=3)


def test_one_family_of_tests_is_covered_measure_by_measure():
    def row(**changes):
        named = {"automatic": "degress", "surrogate": "rouge-l", "coefficient": "kendall", **changes}
        head = {"human": "degress_hj", "measure": "bleu", "shared_input": False, "n": 5}
        return CorrelationRow(**head, **named, estimate=0.5, reason=None)

    assert EARLY.covers(row())
    others = [{"surrogate": name} for name in ("jsd", None)]
    others += [{"automatic": "perseval"}, {"coefficient": "pearson"}]
    assert not any(EARLY.covers(row(**changes)) for changes in others)


def test_where_nothing_could_be_compared_no_p_is_told_of():
    inference = Inference(options=InferenceOptions(primary=EARLY))
    assert declared_in_words(inference, compared=False) == (
        "Kendall's tau of DEGRESS with DEGRESS-HJ by ROUGE-L was declared as primary on 3 March 2026, before "
        "the first rating. No measure could be compared by it, so none has a p."
    )
