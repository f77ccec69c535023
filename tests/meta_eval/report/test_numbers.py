"""Numbers as text: what counts is kept, and each medium has its signs."""

import pytest

from meta_eval.report.numbers import (
    LATEX,
    PAGE,
    PDF,
    PLAIN,
    difference_text,
    estimate_text,
    interval_text,
    p_text,
    percent_text,
    range_text,
    rank_correlation_text,
    score_text,
    spread_text,
    stars,
)


@pytest.mark.parametrize(
    ("medium", "texts"),
    [
        (PAGE, ["0.56", "−0.50", "0.00", "–"]),
        (PLAIN, ["0.56", "−0.50", "−0.00", "–"]),
        (PDF, ["0.56", "-0.50", "-0.00", "none"]),
        (LATEX, ["0.56", "-0.50", "-0.00", "--"]),
    ],
)
def test_estimates_have_two_decimals_and_the_signs_of_their_medium(medium, texts):
    assert [estimate_text(value, medium) for value in (0.555, -0.5, -0.001, None)] == texts


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((0.12345, "0.123"), (0.0, "0.000"), (-0.0001, "0.000"), (-0.0006, "−0.001"), (1, "1.000")),
        *((0.0004, "< 0.001"), (3.5e-7, "< 0.001"), (1.6e-21, "0.000"), (None, "–")),
    ],
)
def test_scores_have_three_decimals_and_are_not_0_above_it(value, text):
    assert score_text(value, PAGE) == text


def test_a_score_may_have_more_decimals_and_latex_its_own_sign():
    assert score_text(0.00004, PDF, 4) == "< 0.0001"
    assert score_text(0.0004, LATEX) == "$<$\\,0.001"


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "none"), (2e-7, "< 0.001"), (0.0009, "< 0.001"), (0.001, "0.001"), (1.0, "1.000")],
)
def test_a_small_p_is_never_shown_as_0(value, shown):
    assert p_text(value, PDF) == shown


def test_a_page_rounds_a_p_up_to_what_it_shows():
    assert (p_text(0.0004, PAGE), p_text(0.0009, PAGE)) == ("< 0.001", "0.001")


def test_spreads_and_differences_keep_what_counts():
    assert [spread_text(value, PAGE) for value in (1e-16, 5.81e-6, 0.25, None)] == [
        "0",
        "5.8e-06",
        "0.25",
        "–",
    ]
    assert [difference_text(value, PDF) for value in (1e-5, -0.25, None)] == ["+1e-05", "-0.250", "none"]
    assert difference_text(-5.8e-6, PAGE, spread=True) == "−5.8e−06"


def test_intervals_ranges_shares_and_ranks_in_words():
    assert interval_text(-0.5, 0.25, PAGE) == "−0.50 to 0.25"
    assert interval_text(None, None, PDF) == "none"
    assert [range_text(counts) for counts in ([], [3, 3], [8, 9, 10])] == ["", "3", "8 to 10"]
    assert percent_text(0.95) == "95 %"
    assert rank_correlation_text(0.5, 4, PAGE) == "0.50 (n 4)"
    assert rank_correlation_text(None, 1, PAGE) == "– (n 1)"


def test_stars_follow_the_adjusted_p():
    assert [stars(p) for p in (None, 0.05, 0.049, 0.009, 0.0009)] == ["", "", "*", "**", "***"]
