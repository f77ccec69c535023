"""What a report opens with: the headline, and what its ratings can carry."""

from dataclasses import replace

import pytest

from meta_eval.publish.methods import methods_paragraph
from meta_eval.report.answerable import Rated
from meta_eval.report.opening import headline_and_rest, what_ratings_carry
from meta_eval.report.schema import FamilyRow, Reason
from tests.meta_eval.surveys import make_content, with_inference

REPORT = with_inference(make_content()).report


def carried(report):
    return {one.title: (one.text, one.weak) for one in what_ratings_carry(report)}


def with_alpha(**changes):
    study = REPORT.inference.agreement
    rows = tuple(
        replace(row, **changes) if row.coefficient == "krippendorff_ordinal" else row
        for row in study.coefficients
    )
    return replace(REPORT, inference=replace(REPORT.inference, agreement=replace(study, coefficients=rows)))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"estimate": 0.61, "ci_low": 0.52, "ci_high": 0.68}, ("0.61 (0.52 to 0.68)", False)),
        ({"estimate": 0.08, "ci_low": -0.05, "ci_high": 0.2}, ("0.08 (−0.05 to 0.20)", True)),
        ({"estimate": 0.11, "ci_low": 0.004, "ci_high": 0.2}, ("0.11 (0.00 to 0.20)", False)),
        ({"estimate": 0.5, "ci_low": None, "ci_high": None}, ("0.50", True)),
        ({"estimate": None, "reason": "no pair has two"}, ("not known: no pair has two", True)),
    ],
)
def test_raters_who_may_agree_by_chance_alone_are_weak(changes, expected):
    assert carried(with_alpha(**changes))["Agreement of raters (alpha)"] == expected


@pytest.mark.parametrize(
    ("done", "expected"),
    [
        (6, ("2.0 on average, 2 planned; 100 % of the plan done", False)),
        (3, ("2.0 on average, 2 planned; 50 % of the plan done", True)),
    ],
)
def test_ratings_a_pair_and_how_much_of_the_plan_is_done(done, expected):
    report = replace(REPORT, ratings={**REPORT.ratings, "completions": done})
    assert carried(report)["Ratings a pair"] == expected


def test_ratings_alone_are_not_held_against_a_plan_that_nobody_made():
    plan = {**REPORT.plan, "completions_wanted": 120}
    assert Rated.of(REPORT.subject, plan, REPORT.ratings).wanted == 120
    assert Rated.of(REPORT.subject | {"plan_known": False}, plan, REPORT.ratings).done is None
    alone = replace(REPORT, plan=plan, subject={**REPORT.subject, "plan_known": False})
    assert carried(alone)["Ratings a pair"] == ("2.0 on average", False)
    assert "planned" not in methods_paragraph(replace(alone, inference=None))


def test_of_uploaded_ratings_nobody_knows_the_plan_or_the_raters():
    report = replace(REPORT, subject={**REPORT.subject, "source_file": "x.csv", "raters_known": False})
    found = carried(report)
    assert found["Ratings a pair"] == ("2.0 on average", False)
    assert found["Raters"] == ("not known", False)


@pytest.mark.parametrize(
    ("flagged", "expected"),
    [
        (None, ("2", False)),
        (0, ("2, none flagged", False)),
        (2, ("2, 2 flagged and undecided", True)),
    ],
)
def test_flagged_raters_are_said_where_they_are_known(flagged, expected):
    subject = REPORT.subject if flagged is None else {**REPORT.subject, "raters_flagged": flagged}
    assert carried(replace(REPORT, subject=subject))["Raters"] == expected


def test_the_coefficient_and_the_score_of_the_answer_are_named():
    assert carried(REPORT)["The answer goes by"] == ("Kendall’s τ-b of DEGRESS", False)


def test_families_of_the_best_measure_are_meant_over_the_surrogates():
    best = REPORT.answer.ranking[0]
    kept = {"human": REPORT.answer.score, "automatic": "degress", "measure": best.measure}
    rows = tuple(
        FamilyRow(
            **kept,
            surrogate=surrogate,
            shared_input=False,
            coefficient="kendall",
            n=5,
            estimate=estimate,
            reason=None,
            family=family,
            systems=("a",),
        )
        for surrogate, family, estimate in (
            ("rouge-l", "generic", 0.1),
            ("jsd", "generic", 0.3),
            ("jsd", "tiny", None),
        )
    )
    correlations = tuple(
        replace(row, within=0.4, p_within=0.03, families_explain=True) for row in REPORT.correlations
    )
    report = replace(REPORT, correlations=correlations, inference=replace(REPORT.inference, families=rows))
    found = carried(report)
    title = f"Within families, by {best.title}"
    assert found[title] == ("generic 0.20, together 0.40 (p 0.030)", True)
    alone = tuple(replace(row, within=None, p_within=None) for row in REPORT.correlations)
    without = replace(report, correlations=alone, inference=replace(REPORT.inference, families=()))
    assert not any(name.startswith("Within") for name in carried(without))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"answerable": True, "reasons": ()}, ("can be carried", False)),
        (
            {"answerable": False, "reasons": (Reason("systems", "few"),)},
            ("cannot be carried, for 1 reason", True),
        ),
        (
            {"answerable": None, "reasons": ()},
            (
                "was not judged when this report was made; a new report on the same ratings says so first",
                False,
            ),
        ),
    ],
)
def test_whether_an_answer_can_be_carried_stands_first(changes, expected):
    report = replace(REPORT, answer=replace(REPORT.answer, **changes))
    assert carried(report)["An answer"] == expected
    assert what_ratings_carry(report)[0].title == "An answer"


def test_the_headline_is_the_first_sentence_or_all_of_an_older_answer():
    answer = replace(REPORT.answer, headline="So it is.", sentence="So it is. And why.")
    assert headline_and_rest(answer) == ("So it is.", "And why.")
    assert headline_and_rest(replace(answer, headline="")) == ("So it is. And why.", "")


def test_more_ratings_a_pair_than_were_planned_are_explained():
    plan = {**REPORT.plan, "raters_per_questionnaire": 1}
    found = carried(replace(REPORT, plan=plan))
    assert found["Ratings a pair"][0].startswith("2.0 on average (gold pairs have more), 1 planned")
