"""The checks before a launch, one rule at a time, and in which order the page lists them."""

from dataclasses import replace

import pytest

from meta_eval.design.telling import Telling
from survey_site.batches.effort import Effort
from survey_site.batches.launch_rules import RULES, EqualPairs, Expected, LaunchFacts, check_launch

GOOD = LaunchFacts(
    systems=5,
    raters=2,
    window_ended="",
    expected=Expected(0.5, 0.1, 0.8),
    effort=Effort(questionnaires=10, items=60, raters=2, minutes_each=3.0),
    rate=None,
    untold=[],
    unwritten={},
    way_in=[],
    equal=EqualPairs(pairs=60, again=5, same=2),
    equal_pairs_once=False,
    same_texts=(),
    telling=None,
    one_typography=False,
    previewed=True,
)


RULE = Telling("the number of words", 12.0, True, 10, 40, gold_marked=8, others_marked=2, is_sure=True)


def said(title, **facts):
    """What a rule finds in facts that are good but for these."""
    found = {one.rule.title: one for one in check_launch(replace(GOOD, **facts))}
    return found[title].level, found[title].sentence


def test_nothing_is_said_against_a_good_draft():
    assert [one.level for one in check_launch(GOOD)] == ["fine"] * len(RULES)


@pytest.mark.parametrize(
    ("title", "facts", "level", "words"),
    [
        ("Systems", {"systems": 1}, "error", "1 system. A correlation over fewer than 3"),
        ("Systems", {"systems": 2}, "error", "2 systems. A correlation over fewer than 3"),
        ("Systems", {"systems": 3}, "warning", "it can hardly tell any of them from chance"),
        ("Systems", {"systems": 4}, "warning", "it can hardly tell any of them from chance"),
        ("Raters", {"raters": 1}, "warning", "nothing can be said about how far raters agree"),
        ("Precision", {"expected": Expected(0.4, 0.0, 0.8)}, "warning", "may not tell it from chance"),
        ("Precision", {"expected": Expected(0.4, 0.01, 0.8)}, "fine", "from 0.01 to 0.80."),
        (
            "Precision",
            {},
            "fine",
            "A measure whose true correlation is 0.7 gets a Kendall's tau of about 0.50",
        ),
        ("Precision", {"expected": None}, "fine", "Not estimated for fewer than 3 systems."),
        ("Time and price", {}, "fine", "About 60 minutes of raters' time, 3 minutes a page. State below"),
        ("Time and price", {"rate": 12.5}, "fine", ": 12.50 at 12.50 an hour."),
        ("Time window", {"window_ended": "1 May"}, "error", "It ended on 1 May, so nobody could take part."),
        ("Consent", {"untold": ["Contact"]}, "warning", "The first page does not say: Contact."),
        ("Languages", {"unwritten": {"Arabic": ["question"]}}, "warning", "Not written in Arabic: question."),
        ("Way in and codes", {"way_in": ["No code."]}, "warning", "No code."),
        ("Equal pairs", {"equal": EqualPairs(60, 6, 0)}, "warning", "6 of 60 pairs show the same two"),
        (
            "Equal pairs",
            {"equal": EqualPairs(60, 6, 0, 3), "equal_pairs_once": True},
            "fine",
            "They are shown once, so raters answer 3 fewer.",
        ),
        ("Equal pairs", {"equal": EqualPairs(60, 0, 20)}, "fine", "in 20 both texts are the same"),
        ("Equal pairs", {"equal": EqualPairs(60, 0, 21, 0, ("lead",))}, "warning", "by lead:"),
        (
            "Equal pairs",
            {"equal": EqualPairs(60, 30, 30, 20, ("lead", "bart")), "equal_pairs_once": True},
            "warning",
            "by lead and bart:",
        ),
        ("Same texts", {"same_texts": [("a", "b"), ("c", "user")]}, "warning", "a and b wrote the same"),
        ("What tells the gold pair", {"telling": RULE}, "warning", "80 % are gold (20 % by chance)"),
        ("What tells the gold pair", {"telling": replace(RULE, gold_marked=3)}, "fine", "The best: of"),
        ("What tells the gold pair", {"telling": replace(RULE, is_sure=False)}, "fine", "The best: of"),
        ("Preview", {"previewed": False}, "warning", "not looked at a preview"),
    ],
)
def test_what_a_rule_says(title, facts, level, words):
    found_level, sentence = said(title, **facts)
    assert (found_level, words in sentence) == (level, True)


def test_what_blocks_stands_first():
    checks = check_launch(replace(GOOD, previewed=False, window_ended="1 May", raters=1))
    assert [(one.level, one.rule.title) for one in checks][:3] == [
        ("error", "Time window"),
        ("warning", "Raters"),
        ("warning", "Preview"),
    ]
