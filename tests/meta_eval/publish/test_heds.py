"""The datasheet: every question of the form once and in order, answers from the report, the rest marked."""

import json
import re
from dataclasses import replace

import pytest

from meta_eval.publish.heds import QUESTIONS, SECTIONS, datasheet_json, datasheet_markdown, fill_datasheet
from meta_eval.publish.heds.answers import ANSWERS
from meta_eval.publish.heds.form import LANGUAGES
from meta_eval.ratings.checks import ATTENTION
from tests.meta_eval.surveys import SYSTEMS, make_content, with_inference

PLAIN = make_content().report
REPORT = with_inference(make_content()).report
PLAN = {"seed": 7, "options": {"documents": 3, "document_keys": None}}
STUDY = {
    "claim_minutes": 45,
    "low_label": "nothing in common",
    "high_label": "the same",
    "instructions": "Read both.\n\nThen rate.",
    "entry": "invitation",
    "practice": True,
    "consent": [{"version": 2, "text": "I take part of my own will."}],
}
FULL = fill_datasheet(REPORT, plan=PLAN, study=STUDY, languages=("en",))
ALONE = fill_datasheet(REPORT)


def answers(entries):
    return {entry.question.number: entry.answer for entry in entries}


def text(number, entries=FULL):
    return answers(entries)[number].text


def number_key(number):
    return [int(part) for part in number.split(".")]


def test_the_questions_are_as_many_as_the_form_asks():
    """The empty form counts 41 blank fields, before a quality criterion is named."""
    numbers = [question.number for question in QUESTIONS]
    assert numbers == sorted(set(numbers), key=number_key)
    assert [sum(number[0] == section for number in numbers) for section in SECTIONS] == [9, 5, 23, 21, 4]
    assert sum(number[0] != "4" for number in numbers) == 41
    assert len({question.field for question in QUESTIONS}) == 62
    labels = [question.label for question in QUESTIONS]
    assert len(set(labels)) == 62
    assert not any("?" in label or len(label) > 50 for label in labels)


@pytest.mark.parametrize("entries", [FULL, ALONE], ids=["with the survey", "report alone"])
def test_each_question_stands_once_and_in_order_on_the_sheet(entries):
    found = re.findall(r"^\*\*([\d.]+) (.+)\*\*$", datasheet_markdown(entries), flags=re.MULTILINE)
    assert found == [(question.number, question.label) for question in QUESTIONS]


def test_no_answer_belongs_to_no_question():
    assert set(ANSWERS) <= {question.number for question in QUESTIONS}


def test_answers_are_those_of_the_report():
    assert text("3.2.1") == str(REPORT.ratings["raters"]) == "2"
    assert text("4.3.7") == REPORT.subject["question"]
    assert text("4.3.3") == "6"
    assert REPORT.scale.divergence in text("4.3.9")
    assert [system for system in SYSTEMS if system not in text("1.1.2")] == []
    assert text("3.1.1") == "3 pairs of summaries, two outputs of the system each."


def test_agreement_is_that_of_the_report_with_its_interval():
    rows = REPORT.inference.agreement.coefficients
    known = [row for row in rows if row.estimate is not None]
    assert text("4.3.11.1") == "; ".join(row.title for row in known)
    for row in known:
        assert f"{row.title} {row.estimate:.2f}" in text("4.3.11.2")
        if row.ci_low is not None:
            assert f"interval {row.ci_low:.2f} to {row.ci_high:.2f}" in text("4.3.11.2")
    bare = fill_datasheet(PLAIN)
    assert text("4.3.11.2", bare) == text("4.3.11.1", bare) == "InterAA not assessed"
    assert answers(bare)["4.3.10"] is None


def test_the_survey_says_what_raters_met():
    assert text("4.3.4") == "1, 2, 3, 4, 5, 6 (1: nothing in common, 6: the same)"
    assert "kept for 45 minutes" in text("3.3.5")
    assert "“Read both.\n\nThen rate.”" in text("4.3.2")
    assert "A practice of three pairs" in text("3.2.4")
    assert "seed 7" in text("3.1.2")
    assert "version 2: “I take part of my own will.”" in text("5.2")


def test_pairs_that_differ_between_systems_are_named_for_each():
    rows = [
        replace(row, pairs=2) if (row.side, row.system) == ("human", "Copy") else row
        for row in REPORT.leaderboard
    ]
    found = text("3.1.1", fill_datasheet(replace(REPORT, leaderboard=tuple(rows))))
    assert "Copy 2, Long & wide 3, Same_50% 3." in found


def test_what_only_the_researcher_knows_is_marked_with_what_is_known():
    sheet = datasheet_markdown(FULL)
    after = dict(zip(answers(FULL), re.split(r"^\*\*.+\*\*$", sheet, flags=re.MULTILINE)[1:], strict=True))
    assert after["3.2.2.2"].strip() == "> To be answered by you."
    assert after["3.3.7"].strip().startswith("> To be answered by you. Known: The survey is open to a link")
    assert "Only people with a personal link" in after["3.2.3"]
    marked = [number for number, lines in after.items() if "To be answered by you." in lines]
    assert marked == [entry.question.number for entry in FULL if not entry.is_answered]
    assert f"{62 - len(marked)} of 62 questions are answered" in sheet


def test_nothing_is_said_of_pages_that_the_raters_never_saw():
    known = {number for number, answer in answers(ALONE).items() if answer is not None}
    assert known & {"3.2.4", "3.3.2", "3.3.4.2", "3.3.5", "4.3.2", "4.3.5", "3.1.2", "5.2"} == set()


def test_documents_chosen_by_hand_are_not_called_random():
    entries = fill_datasheet(REPORT, plan={"seed": 7, "options": {"document_keys": ["bridge"]}})
    assert not answers(entries)["3.1.2"].complete


def test_exclusions_and_simulated_raters_are_named():
    noted = replace(REPORT, notes=("2 completed questionnaires excluded by an admin: bots",))
    assert "2 completed questionnaires excluded by an admin: bots." in text("3.3.3.2", fill_datasheet(noted))
    simulated = replace(REPORT, ratings={**REPORT.ratings, "simulated_raters": 2})
    entries = fill_datasheet(simulated)
    assert text("3.2.5", entries) == "2 of 2 evaluators were simulated by a program."
    assert answers(ALONE)["3.2.5"] is None


def test_the_file_for_the_form_holds_the_answered_fields_alone():
    fields = json.loads(datasheet_json(FULL))
    assert fields.pop("heds-criteria-criterion") == {"data": {}, "control": {"Similarity": True}, "text": {}}
    numbers = {field["number"] for field in fields.values()} - {None}
    assert numbers == {entry.question.number for entry in FULL if entry.is_answered}
    raters = fields["heds-sample_evaluators_design-evaluators-number_of_evaluators"]
    assert raters == {"data": {"": "2"}, "control": {}, "number": "3.2.1"}
    assert fields["heds-criteria-criterion-response_elicitation-form_of_response-2"] == {
        "data": {"Similarity": True},
        "control": {},
        "text": {"Similarity": "2. Direct quality estimation"},
        "number": "4.3.8",
    }


def ticked(tags):
    return answers(fill_datasheet(REPORT, languages=tags))["2.4"], answers(
        fill_datasheet(REPORT, languages=tags)
    )["2.5"]


def test_the_languages_of_the_corpus_are_ticked_on_both_sides():
    """In the form "N/A" stands first and is numbered last, so that English, number 41, is option 42."""
    fields = json.loads(datasheet_json(FULL))
    for side, number in (("input", "2.4"), ("output", "2.5")):
        assert fields[f"heds-system-{side}_languages-42"] == {
            "data": {"": True},
            "control": {},
            "text": {"": "41. English"},
            "number": number,
        }
        assert fields[f"heds-system-{side}_languages-other_text"]["data"] == {"": "The corpus names: en."}
    for answer in ticked(("ar", "pt-BR", "gsw")):
        assert answer.options == {
            8: "7. Arabic",
            130: "129. Portuguese",
            185: "184. Other (please describe)",
        }
    assert (len(LANGUAGES), list(LANGUAGES.values())[-1]) == (183, "Zulu")


def test_a_corpus_that_does_not_name_every_language_ticks_none():
    assert ticked(("",)) == (None, None)
    for answer in ticked(("", "en")):
        assert (answer.complete, answer.options) == (False, {})
        assert answer.text == "The corpus names: en. Some of its documents name none."


def test_control_pairs_are_named_as_a_check_of_quality():
    note = f"{ATTENTION} among the pairs, which enter no score: 12 identical (one text twice)"
    noted = fill_datasheet(replace(REPORT, notes=(note,)))
    for number in ("3.3.3.1", "3.3.3.2"):
        assert text(number, noted) == f"{note}. No questionnaire was excluded."
    assert ATTENTION not in text("3.3.3.2")


def test_every_option_names_its_position_and_every_choice_is_of_a_question_with_options():
    for entry in FULL:
        options = entry.answer.options if entry.answer else {}
        first = 1 if entry.question.number in ("2.4", "2.5") else 0  # "N/A" is first and numbered last
        assert [words.partition(".")[0] for words in options.values()] == [
            str(place - first) for place in options
        ]
        if entry.is_answered:
            assert bool(options) == entry.question.choice


def test_an_answer_in_several_lines_stays_one_paragraph():
    entry = next(entry for entry in FULL if entry.question.number == "4.3.2")
    broken = replace(entry, answer=replace(entry.answer, text="## One\n\n**1.1.1 Two**"))
    assert "\n> ## One **1.1.1 Two**\n" in datasheet_markdown([broken])


def test_the_datasheet_says_what_raters_saw():
    assert text("3.3.4.2").startswith("The document, and beside it pairs of texts")
    assert "the labels 1 “nothing in common”, 6 “the same”;" in text("3.3.4.2")
    words = {f"label_{point}": f"word {point}" for point in range(2, 6)}
    study = STUDY | words | {"document_shown": False}
    alone = fill_datasheet(REPORT, plan=PLAN, study=study, languages=("en",))
    assert text("3.3.4.2", alone).startswith("Pairs of texts side by side")
    assert "1 “nothing in common”, 2 “word 2”, 3 “word 3”" in text("3.3.4.2", alone)
    assert text("4.3.4", alone).endswith("2: word 2, 3: word 3, 4: word 4, 5: word 5, 6: the same)")
