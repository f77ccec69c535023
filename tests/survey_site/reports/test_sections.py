"""What sections make of a report: decimals, footnotes, signatures, and how numbers read."""

from dataclasses import replace

import pytest
from django.urls import reverse

from meta_eval.report.schema import SignatureRow, StandIn, report_record
from meta_eval.report.schema.stand_in import (
    AlternativeTestResult,
    LeaningRow,
    MissingAnswersRow,
    StandInAgreement,
    StandInCoefficient,
)
from meta_eval.report.tables.grid import Cell
from meta_eval.stats.raters.agreement_sums import ALPHA
from survey_site.reports.sections.background import list_signatures
from survey_site.reports.sections.section import digits_for, footnotes
from survey_site.reports.templatetags.report_numbers import coefficient, footnote, score


def test_equal_reasons_share_a_footnote():
    reasons = [None, "not rated", "not in this survey", "not rated"]
    notes = footnotes(Cell(value=None if reason else 0.5, reason=reason) for reason in reasons)
    assert notes == {"not rated": "a", "not in this survey": "b"}
    assert [footnote(reason, notes) for reason in reasons] == ["", "a", "b", "a"]


@pytest.mark.parametrize(
    ("values", "digits"), [([0.5, None, 0.0], 3), ([0.005], 3), ([0.5, 0.0049], 4), ([None], 3)]
)
def test_small_scores_get_a_fourth_decimal(values, digits):
    assert digits_for(values) == digits


@pytest.mark.django_db
def test_a_signature_of_both_sides_is_shown_once(report):
    signature = {"measure": "bleu", "options": {"n": 1, "smoothing": "none"}}
    entries = tuple(SignatureRow(side, "bleu", "document", "d", signature) for side in ("automatic", "human"))
    (shown,) = list_signatures(replace(report.read(), signatures=entries))
    assert (shown.measure, shown.sides) == ("bleu", ("automatic", "human"))
    assert shown.line == "bleu|prep:none|mode:paper|v:0.1.0"
    assert shown.fields == (("measure", "bleu"), ("options", "n = 1, smoothing = none"))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((0.12345, "0.123"), (0.0, "0.000"), (-0.0001, "0.000"), (-0.0006, "−0.001"), (1, "1.000")),
        *((0.0004, "< 0.001"), (3.5e-7, "< 0.001"), (1.6e-21, "0.000")),
    ],
)
def test_scores_have_three_decimals_and_a_real_minus_and_are_not_0_above_it(value, text):
    assert score(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.555, "0.56"), (-0.5, "−0.50"), (-0.001, "0.00"), (1.0, "1.00")]
)
def test_coefficients_have_two_decimals_and_a_real_minus(value, text):
    assert coefficient(value) == text


def beside_people():
    """A model beside people, with one number of each kind and one that is missing."""
    agreement = StandInAgreement(
        pairs_of_ratings=40,
        coefficients=(
            StandInCoefficient(
                coefficient=ALPHA, title="Alpha", estimate=0.61, ci_low=0.5, ci_high=0.7, reason=None
            ),
        ),
    )
    test = AlternativeTestResult(
        variant="leave one out",
        epsilon=0.1,
        alignment="rmse",
        winning_rate=None,
        advantage=None,
        passes=None,
        reason="0 of 2 raters have enough",
        raters=(),
        too_few=2,
        items=20,
    )
    return StandIn(
        rater="model:tiny",
        pairs=20,
        people=2,
        scored_pairs=0,
        all_pairs=20,
        agreement_with_people=agreement,
        agreement_of_people=agreement,
        alternative_annotator_test=test,
        leanings=(
            LeaningRow(leaning="position", estimate=-0.25, ci_low=-0.5, ci_high=0.0, n=20, reason=None),
        ),
        missing_answers=(MissingAnswersRow(reason="refused", missing=3, answers=40, share=0.075),),
    )


@pytest.mark.django_db
def test_models_are_on_the_page_only_where_they_were_asked_for(researcher_client, report):
    address = reverse("reports:detail", args=[report.pk])
    assert b"models" not in researcher_client.get(address).content.lower()
    whole = report.read()
    inference = replace(whole.inference, stand_in=(beside_people(),))
    shown = replace(whole, inference=inference)
    type(report).objects.filter(pk=report.pk).update(result=report_record(shown))
    page = researcher_client.get(address).content.decode()
    section = page[page.index('aria-labelledby="models"') :].partition("</section>")[0]
    assert "Every other number of this report rests on people alone" in section
    assert "Whether tiny may stand in for a rater is not decided: 0 of 2 raters have enough." in section
    for text in ("0.61", "(0.50 to 0.70)", "−0.25", "7.5 %", "refused"):
        assert text in section
