"""The report: both sides joined without loss, and an answer that promises no more than there is."""

import json

import pytest

from meta_eval.corpus.documents import Corpus, Document
from meta_eval.measures import make_measure
from meta_eval.report.assembling import (
    LEFT_OUT,
    ReportFacts,
    count_absent_texts,
    describe_scale,
)
from meta_eval.report.leaderboard import rank_systems
from meta_eval.report.reliability import correlate_records
from meta_eval.report.schema import CERTAINTY_FIELDS, PartFailure
from meta_eval.scores.contributions import OPTIONS_BEFORE
from meta_eval.scores.penalties import penalised_accuracy
from tests.meta_eval.records import assemble_report

SYSTEMS = ("A", "B", "C", "D", "E")
SIGNATURES = {name: make_measure(name).signature for name in ("rouge-l", "jsd", "bleu")}


UNTESTED = "Whether the raters support it could not be tested."


def automatic(values, *, measure="rouge-l", **left_out):
    return [
        {
            "system": system,
            "measure": measure,
            "normalise": "document",
            "documents": 4,
            "pairs": 12,
            "accuracy": value,
            "degress": value,
            "egises": None if value is None else 1 - value,
            "perseval": value,
            "p_acc": penalised_accuracy(value, None if value is None else 1 - value),
            "texts": 40,
            "left_out": {"documents_with_one_reader": 0, "empty_texts": 0, "missing_distances": 0} | left_out,
            "signature": SIGNATURES[measure].as_dict(),
        }
        for system, value in zip(SYSTEMS, values, strict=False)
    ]


def human(values, *, surrogate="jsd", **counts):
    return [
        {
            "system": system,
            "surrogate": surrogate,
            "normalise": "document",
            "documents": 2,
            "pairs": 5,
            "degress_hj": value,
            "egises_hj": None if value is None else 1 - value,
            "perseval_hj": value,
            "pairs_below_full": 0,
            "pairs_too_few": 0,
            "texts": 20,
            "left_out": {"empty_texts": 0, "missing_distances": 0},
            "signature": SIGNATURES[surrogate].as_dict(),
        }
        | counts
        for system, value in zip(SYSTEMS, values, strict=False)
    ]


def facts(**changes):
    values = {
        "scale": "similarity",
        "subject": {"batch": "Pilot"},
        "plan": {"questionnaires": 4},
        "ratings": {"ratings": 48, "simulated_ratings": 0},
        "options": {**OPTIONS_BEFORE, "normalise": "document", "edp_readers": "document"},
        "systems": SYSTEMS,
    }
    return ReportFacts(**(values | changes))


def report(automatic_records, human_records, **changes):
    return assemble_report(automatic=automatic_records, human=human_records, facts=facts(**changes))


def answer(*measures, people=(0.1, 0.2, 0.3, 0.4, 0.5), surrogates=("jsd",)):
    records = [record for name, values in measures for record in automatic(values, measure=name)]
    rated = [record for name in surrogates for record in human(people, surrogate=name)]
    return report(records, rated)["answer"]


def test_correlations_are_those_of_the_library():
    machine = automatic([0.3, 0.1, 0.2]) + automatic([0.5, 0.6, 0.9], measure="jsd")
    people = human([0.2, 0.25, 1 / 3])
    found = [
        {name: value for name, value in row.items() if name not in CERTAINTY_FIELDS}
        for row in report(machine, people)["correlations"]
    ]
    records = correlate_records(people, machine)
    shared = [record.pop("shared") for record in records]
    assert records == found
    assert {row["measure"] for row in found if row["shared_input"]} == {"jsd"}
    assert {(row["measure"], parts) for row, parts in zip(records, shared, strict=True)} == {
        ("rouge-l", None),
        ("rouge-l", "penalty"),
        ("jsd", "distances"),
        ("jsd", "penalty and distances"),
    }


def test_with_bare_distances_only_the_penalty_is_shared():
    people = [{**record, "normalise": "none"} for record in human([0.2, 0.25, 1 / 3])]
    machine = automatic([0.5, 0.6, 0.9], measure="jsd")
    made = assemble_report(automatic=machine, human=people, facts=facts())
    marks = {row["human"]: row["shared_input"] for row in made["correlations"]}
    assert marks == {"degress_hj": False, "egises_hj": False, "perseval_hj": True}


def test_a_report_reads_back_from_json_unchanged():
    made = report(automatic([1 / 3, 0.1, None]), human([0.2, 1e-300, 0.7]))
    assert json.loads(json.dumps(made, allow_nan=False)) == made


def test_the_leaderboard_has_a_row_for_every_score_measure_and_system_best_first():
    rows = report(automatic([0.3, 0.1, 0.2]), human([0.2, 0.9, 0.4]), systems=("A", "B", "C"))["leaderboard"]
    assert len(rows) == (3 + 6) * 3
    by_score = {
        name: [(row["system"], row["rank"], row["value"]) for row in rows if row["score"] == name]
        for name in ("perseval_hj", "egises", "accuracy")
    }
    assert by_score == {
        "perseval_hj": [("B", 1, 0.9), ("C", 2, 0.4), ("A", 3, 0.2)],
        "egises": [("A", 1, 0.7), ("C", 2, 0.8), ("B", 3, 0.9)],
        "accuracy": [("A", 1, 0.3), ("C", 2, 0.2), ("B", 3, 0.1)],
    }
    assert rows[0] == {
        "system": "B",
        "side": "human",
        "measure": "jsd",
        "score": "perseval_hj",
        "value": 0.9,
        "rank": 1,
        "ranked": 3,
        "documents": 2,
        "pairs": 5,
        "higher_is_better": True,
        "reason": None,
    }


@pytest.mark.parametrize(
    ("records", "side", "systems", "reason"),
    [
        ((automatic([0.1, 0.2, 0.3]), human([0.1, 0.2])), "human", "AB", "not in this survey"),
        (
            (automatic([0.1, 0.2, 0.3]), human([0.1, 0.2])),
            "human",
            "ABC",
            "none of its pairs has enough ratings",
        ),
        ((automatic([0.1]), human([0.1, 0.2, None])), "human", "ABC", "no rated pair gives a score"),
        (
            (automatic([0.1, 0.2]), human([0.1, 0.2, 0.3])),
            "automatic",
            "ABC",
            "the corpus has no summaries of it",
        ),
        (
            (automatic([0.1, 0.2, None]), human([0.1, 0.2, 0.3])),
            "automatic",
            "ABC",
            "no document with two readers has its summaries",
        ),
    ],
)
def test_a_missing_score_has_no_rank_and_says_why(records, side, systems, reason):
    rows = report(*records, systems=tuple(systems))["leaderboard"]
    missing = [row for row in rows if row["system"] == "C" and row["side"] == side]
    assert {(row["value"], row["rank"], row["reason"]) for row in missing} == {(None, None, reason)}
    assert {row["ranked"] for row in missing} == {
        len({row["system"] for row in rows if row["side"] == side and row["rank"]})
    }


def test_equal_scores_share_the_better_rank():
    assert rank_systems({"A": 0.5, "B": 0.7, "C": 0.5, "D": None, "E": 0.1}, higher_is_better=True) == {
        "A": 2,
        "B": 1,
        "C": 2,
        "E": 4,
    }
    assert rank_systems({"A": 0.5, "B": 0.7}, higher_is_better=False) == {"A": 1, "B": 2}
    assert rank_systems({"A": None}, higher_is_better=True) == {}


def test_scores_that_only_rounding_tells_apart_share_their_rank_as_they_do_in_coefficients():
    values = {"A": 0.5, "B": 1.6e-21, "C": 0.0, "D": 4e-12}
    assert rank_systems(values, higher_is_better=True) == {"A": 1, "D": 2, "B": 3, "C": 3}


def test_what_was_left_out_is_one_row_where_measures_agree_and_one_each_where_not():
    machine = [
        *automatic([0.1, 0.2], documents_with_one_reader=3, missing_distances=1),
        *automatic([0.1, 0.2], measure="jsd", documents_with_one_reader=3),
    ]
    people = human([0.1, 0.2], pairs_too_few=4, pairs_below_full=2)
    found = report(machine, people, counts={"surplus_questionnaires": 5})["left_out"]
    assert [(row["what"], row["measure"], row["count"]) for row in found] == [
        ("documents_with_one_reader", None, 3),
        ("missing_distances", "rouge-l", 1),
        ("missing_distances", "jsd", 0),
        ("empty_texts", None, 0),
        ("surrogate_missing_distances", None, 0),
        ("surrogate_empty_texts", None, 0),
        ("pairs_too_few", None, 4),
        ("pairs_below_full", None, 2),
        ("surplus_questionnaires", None, 5),
    ]
    assert {row["why"] for row in found} <= set(LEFT_OUT.values())


@pytest.mark.parametrize(
    ("machine", "people", "problem"),
    [
        ([], [0.1, 0.2], "There are no automatic scores, so nothing can be correlated."),
        ([0.1, 0.2], [], "There are no human scores, so nothing can be correlated."),
    ],
)
def test_one_side_alone_is_still_a_report(machine, people, problem):
    made = report(automatic(machine), human(people))
    assert (made["problem"], made["correlations"]) == (problem, [])
    assert problem.rstrip(".") in made["answer"]["sentence"]
    assert {row["side"] for row in made["leaderboard"]} == {"human" if people else "automatic"}


def test_sides_without_a_common_system_are_a_problem_not_a_failure():
    strangers = [{**record, "system": "Z"} for record in human([0.1, 0.2])[:1]]
    made = report(automatic([0.1, 0.2]), strangers)
    assert "no system has both" in made["problem"]
    assert made["answer"]["ranking"] == []


def test_failures_stand_with_their_reason():
    made = assemble_report(
        automatic=automatic([0.1, 0.2]),
        human=human([0.1, 0.2]),
        facts=facts(),
        failures=[PartFailure("automatic", "infolm", "no model")],
    )
    assert made["failures"] == [{"side": "automatic", "measure": "infolm", "reason": "no model"}]


def test_signatures_are_kept_whole_with_their_digest():
    made = report(automatic([0.1, 0.2]), human([0.1, 0.2]))
    assert [(entry["side"], entry["measure"], entry["digest"]) for entry in made["signatures"]] == [
        ("automatic", "rouge-l", SIGNATURES["rouge-l"].digest),
        ("human", "jsd", SIGNATURES["jsd"].digest),
    ]
    assert made["signatures"][0]["signature"] == SIGNATURES["rouge-l"].as_dict()


def test_the_direction_of_the_scale_is_said_in_words_and_as_a_formula():
    assert describe_scale("similarity").in_words == "Raters judged similarity: 1 is low, 6 is very high."
    assert describe_scale("similarity").divergence == "(6 - r) / 5"
    assert describe_scale("dissimilarity").in_words == (
        "Raters judged dissimilarity: 1 is very similar, 6 is very dissimilar."
    )
    assert describe_scale("dissimilarity").divergence == "(r - 1) / 5"


def test_what_a_surrogate_lacks_is_shown_for_each_surrogate():
    lost = human([0.1, 0.2], surrogate="bleu", left_out={"empty_texts": 1, "missing_distances": 7})
    made = report(automatic([0.1, 0.2], empty_texts=3), [*human([0.1, 0.2]), *lost])
    shown = {(row["what"], row["measure"]): row["count"] for row in made["left_out"]}
    assert {key: count for key, count in shown.items() if key[0].startswith(("surrogate", "empty_t"))} == {
        ("empty_texts", None): 3,
        ("surrogate_missing_distances", "jsd"): 0,
        ("surrogate_missing_distances", "bleu"): 7,
        ("surrogate_empty_texts", "jsd"): 0,
        ("surrogate_empty_texts", "bleu"): 1,
    }


def test_the_answer_warns_of_measures_that_find_nothing_in_most_texts():
    blind = human([0.1, 0.2], surrogate="bleu", left_out={"empty_texts": 20, "missing_distances": 0})
    made = report(automatic([0.1, 0.2], empty_texts=39), [*human([0.1, 0.2]), *blind])
    assert [caution.partition(" after ")[0] for caution in made["answer"]["cautions"][:2]] == [
        "Measure rouge-l finds words in only 1 of 40 texts",
        "Surrogate bleu finds words in none of 20 texts",
    ]
    assert "finds words" not in " ".join(
        report(automatic([0.1, 0.2]), human([0.1, 0.2]))["answer"]["cautions"]
    )


def test_absent_texts_are_counted():
    document = Document("d", "t", "b", {"r": "x", "s": "y"}, {"A": {"r": " ", "s": "z"}, "B": {"r": "w"}})
    assert count_absent_texts(Corpus((document,))) == {"empty_summaries": 1, "missing_summaries": 1}
