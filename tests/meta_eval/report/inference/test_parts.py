"""Families, levels, intervals side by side and systems left out: the library's numbers in a report."""

from dataclasses import replace

import numpy as np
import pytest

from meta_eval.corpus.documents import Corpus
from meta_eval.report.inference import levels
from meta_eval.report.inference.inputs import InferenceInputs
from meta_eval.report.inference.levels import correlate_levels
from meta_eval.report.inference.streams import stream
from meta_eval.report.options import InferenceOptions
from meta_eval.report.primary import Primary
from meta_eval.report.within import within_fields
from meta_eval.scores.contributions import score_contributions
from meta_eval.scores.pairs import score_pairs
from meta_eval.scores.score_id import ScoreId
from meta_eval.stats.coefficients.families import correlate_within_families, pool_within_families
from meta_eval.stats.coefficients.levels import correlate_level
from meta_eval.stats.coefficients.registry import ALL_COEFFICIENTS, COEFFICIENTS
from meta_eval.stats.rankings.sensitivity import leave_one_system_out
from meta_eval.stats.resampling.bootstrap import bootstrap_correlation
from meta_eval.stats.significance.adjustment import adjust_p_values
from meta_eval.stats.significance.within import Matchings, correlation_within_families
from meta_eval.stats.table.schemes import RaterDraws, resample_table
from tests.meta_eval.records import infer_report
from tests.meta_eval.report.inference.inferring import agree, make_inputs
from tests.meta_eval.stats.resampling.test_rescoring import make_corpus, rate_all

FAMILIES = {"one": "odd", "three": "odd", "two": "even"}
OPTIONS = InferenceOptions(
    resamples=80,
    splits=4,
    simulations=4,
    agreement_resamples=60,
    seed=3,
    families=FAMILIES,
    coefficients=ALL_COEFFICIENTS,
)


@pytest.fixture(scope="module")
def inputs():
    corpus = make_corpus(11, documents=14)
    return make_inputs(corpus, list(agree(rate_all(Corpus(corpus.documents[2:]), 5))))


@pytest.fixture(scope="module")
def found(inputs):
    made = infer_report(inputs, options=OPTIONS)
    assert made["problems"] == []
    return made


def scores(inputs, surrogate, measure, name):
    """(S, D) of both sides, systems sorted, over all documents of each."""
    sides = inputs.human[surrogate].contributions, inputs.automatic[measure]
    return [in_order(side, name) for side in sides]


def in_order(side, name):
    """A score with its systems sorted."""
    return side.matrix(name)[[side.systems.index(system) for system in sorted(side.systems)]]


def means(inputs, cell):
    sides = scores(inputs, cell["surrogate"], cell["measure"], cell["automatic"])
    return [list(np.nanmean(side, axis=1)) for side in sides]


def test_every_coefficient_that_was_asked_for_is_in_every_table(found):
    for part in ("cells", "matched", "bare", "interval_methods", "families", "left_out_systems"):
        assert [row["coefficient"] for row in found[part][: len(ALL_COEFFICIENTS)]] == list(ALL_COEFFICIENTS)
    assert {row["coefficient"] for row in found["levels"] if row["level"] != "item"} == set(ALL_COEFFICIENTS)
    assert {row["coefficient"] for row in found["levels"] if row["level"] == "item"} == set(COEFFICIENTS)
    assert {row["coefficient"] for row in found["ceilings"]} == set(ALL_COEFFICIENTS)


def test_every_system_is_left_out_of_every_coefficient(inputs, found):
    assert len(found["left_out_systems"]) == len(found["cells"])
    for row, cell in zip(found["left_out_systems"], found["cells"], strict=True):
        place = ("human", "surrogate", "automatic", "measure", "coefficient", "estimate")
        assert [row[name] for name in place] == [cell[name] for name in place]
        expected = leave_one_system_out(*means(inputs, row), row["coefficient"], systems=sorted(FAMILIES))
        assert [one["system"] for one in row["systems"]] == [one.system for one in expected]
        for one, other in zip(row["systems"], expected, strict=True):
            assert one["estimate"] == pytest.approx(other.correlation.estimate, abs=1e-9)
            assert one["change"] == pytest.approx(other.change, abs=1e-9)
        assert [one["system"] for one in row["systems"] if one["carries"]] == cell["carried_by"]


def test_both_intervals_are_those_of_the_cells_own_resamples(inputs, found):
    raters = RaterDraws(inputs.ratings, inputs.corpus, seed=[0])
    drawn = resample_table(
        inputs.automatic,
        inputs.human,
        resampled="documents",
        raters=raters,
        rng=stream(3, "cells"),
        resamples=80,
    ).samples
    assert len(found["interval_methods"]) == len(found["cells"])
    for row in found["interval_methods"]:
        pair = [
            drawn[ScoreId(row[side], row[which])]
            for side, which in (("human", "surrogate"), ("automatic", "measure"))
        ]
        for method in ("percentile", "bca"):
            interval = bootstrap_correlation(*pair, row["coefficient"], method=method).interval
            assert row[f"{method}_low"] == pytest.approx(interval.low, abs=1e-9)
            assert row[f"{method}_high"] == pytest.approx(interval.high, abs=1e-9)
            assert row[f"{method}_reason"] == interval.reason


def test_within_families_there_are_the_coefficients_of_their_systems(inputs):
    corpus = make_corpus(11, documents=14)
    wide = widen(make_inputs(corpus, rate_all(Corpus(corpus.documents[2:]), 5)))
    systems = wide.human["rouge-l"].contributions.systems
    families = {name: "first" if number < 3 else "second" for number, name in enumerate(systems)}
    rows = infer_report(wide, options=replace(OPTIONS, families=families, coefficients=COEFFICIENTS))[
        "families"
    ]
    assert {row["family"]: tuple(row["systems"]) for row in rows} == {
        "first": tuple(systems[:3]),
        "second": tuple(systems[3:]),
    }
    for row in rows:
        expected = {
            one.family: one.correlation
            for one in correlate_within_families(
                *means(wide, row), row["coefficient"], systems=systems, families=families
            )
        }[row["family"]]
        assert (row["n"], row["reason"]) == (expected.n, expected.reason)
        assert row["estimate"] == pytest.approx(expected.estimate, abs=1e-9)
        assert (row["ci_low"] is None) == (row["ci_reason"] is not None)
    assert any(row["ci_low"] is not None for row in rows)


def widen(inputs):
    """The same study with its three systems twice: a, b, c as they were, d, e, f in another order."""

    def twice(side):
        order = [0, 1, 2, 2, 0, 1]
        return replace(
            side,
            systems=tuple("abcdef"),
            **{
                name: getattr(side, name)[order] * np.linspace(1, 0.9, 6)[:, None]
                for name in ("degress", "perseval", "accuracy", "penalty")
            },
            pairs=side.pairs[order],
        )

    human = {name: replace(one, contributions=twice(one.contributions)) for name, one in inputs.human.items()}
    automatic = {name: twice(one) for name, one in inputs.automatic.items()}
    return InferenceInputs(
        automatic=automatic, matched={}, human=human, corpus=inputs.corpus, ratings=inputs.ratings
    )


def test_cells_know_what_the_families_give_by_themselves(inputs, found):
    """The numbers of the library, which counts the two matchings of two systems in one family."""
    families = [FAMILIES[system] for system in sorted(FAMILIES)]
    for cell in found["cells"]:
        x, y = means(inputs, cell)
        pooled = pool_within_families(x, y, cell["coefficient"], families=families)
        tested = correlation_within_families(
            x, y, cell["coefficient"], families=families, rng=np.random.default_rng(0)
        )
        assert (cell["within"], cell["within_reason"]) == (pytest.approx(pooled.estimate), None)
        assert cell["families_mean"] == pytest.approx(tested.mean, abs=1e-9)
        assert (cell["p_within"], cell["p_within_method"]) == (tested.p, "exact")
        assert cell["families_explain"] is None  # two matchings can give no p below 0.5
    for human in {cell["human"] for cell in found["cells"]}:
        rows = [cell for cell in found["cells"] if cell["human"] == human]
        adjusted = adjust_p_values([cell["p_within"] for cell in rows], method="holm")
        assert [cell["p_within_adjusted"] for cell in rows] == list(adjusted)


def test_families_that_lie_apart_explain_what_is_significant():
    """Of 36 matchings, 26 order at least as many pairs within families alike, or otherwise."""
    x, y = [1, 2, 3, 11, 12, 13], [2, 1, 3, 12, 11, 13]
    matchings = Matchings(list("aaabbb"), rng=np.random.default_rng(0))
    made = within_fields(x, y, "kendall", matchings=matchings, p_value=0.04, alpha=0.2)
    assert made["families_explain"] is True
    assert (made["p_within"], made["families_mean"]) == (pytest.approx(26 / 36), pytest.approx(0.6))


def test_intervals_of_ranks_are_by_family_wherever_all_systems_are(found):
    rank = [name for name in ALL_COEFFICIENTS if name != "pearson"]
    whole = [found[part] for part in ("cells", "matched", "bare")]
    whole.append([row for row in found["levels"] if row["level"] == "system"])
    for rows in whole:
        assert {row["ci_method"] for row in rows if row["coefficient"] in rank} <= BY_FAMILY["kendall"]
        assert {row["ci_method"] for row in rows if row["coefficient"] == "pearson"} == {"hierarchical"}
    assert {row["ci_method"] for row in found["ranking"]} <= BY_FAMILY["kendall"]
    assert "hierarchical-by-family" not in {row["ci_method"] for row in found["families"]}


def test_a_family_of_two_is_undefined_with_its_reason(found):
    assert len(found["families"]) == 2 * len(found["cells"])
    for row in found["families"]:
        n = {"odd": 2, "even": 1}[row["family"]]
        reason = f"{n} system{'s' if n > 1 else ''} of this family, at least 3 are needed"
        assert (row["n"], row["estimate"], row["p_value"], row["ci_low"]) == (n, None, None, None)
        assert (row["reason"], row["ci_reason"]) == (reason, reason)


def test_families_are_drawn_among_themselves_where_systems_are_drawn(inputs):
    options = replace(OPTIONS, resampled="documents and systems", families=dict.fromkeys(FAMILIES, "all"))
    made = infer_report(inputs, options=options)
    for row, cell in zip(made["families"], made["cells"], strict=True):
        assert row["estimate"] == pytest.approx(cell["estimate"], abs=1e-12)
        assert row["ci_over"] == "documents and systems"


def test_without_families_the_table_is_empty_and_nothing_failed(inputs):
    made = infer_report(inputs, options=replace(OPTIONS, families={}))
    assert (made["families"], made["problems"]) == ([], [])


def test_a_system_without_a_family_is_a_problem_of_that_part_alone(inputs):
    made = infer_report(inputs, options=replace(OPTIONS, families={"one": "odd"}))
    assert made["problems"] == [
        {"part": "families", "reason": "no family is given for three, two", "failed": False}
    ]
    assert made["families"] == []


@pytest.mark.parametrize("name", ["degress", "egises", "perseval"])
def test_levels_are_those_of_the_library_over_rated_pairs(inputs, found, name):
    people = inputs.human["rouge-l"]
    machine = score_contributions(inputs.matched["jsd"], people.options)
    items = score_pairs(people.table, people.options), score_pairs(inputs.matched["jsd"], people.options)
    sides = {
        "system": (people.contributions, machine),
        "document": (people.contributions, machine),
        "within-system": (people.contributions, machine),
        "item": items,
    }
    rows = [
        row
        for row in found["levels"]
        if (row["automatic"], row["surrogate"], row["measure"]) == (name, "rouge-l", "jsd")
    ]
    assert len(rows) == 2 * len(ALL_COEFFICIENTS) + 2 * len(COEFFICIENTS)
    for row in rows:
        x, y = (in_order(side, name) for side in sides[row["level"]])
        expected = correlate_level(x, y, row["coefficient"], level=row["level"])
        assert (row["n"], row["undefined"]) == (expected.n, expected.undefined)
        assert row["estimate"] == pytest.approx(expected.estimate, abs=1e-9)
        assert row["ci_low"] - 1e-9 <= row["estimate"] <= row["ci_high"] + 1e-9
    ordered = [(row["coefficient"], row["level"]) for row in rows[:4]]
    levels = ("system", "document", "within-system", "item")
    assert ordered == [("pearson", level) for level in levels]


def test_within_systems_and_over_items_the_first_resamples_stand_for_all(inputs, monkeypatch):
    def intervals(resamples):
        rows = correlate_levels(
            inputs.matched, inputs.human, rng=np.random.default_rng(3), resamples=resamples, level=0.95
        )
        return {
            level: [(row.ci_low, row.ci_high) for row in rows if row.level == level]
            for level in ("system", "document", "within-system", "item")
        }

    monkeypatch.setattr(levels, "ITEM_RESAMPLES", 50)
    all_drawn, first_drawn = intervals(90), intervals(50)
    same = [level for level in all_drawn if all_drawn[level] == first_drawn[level]]
    assert same == ["within-system", "item"]


def test_items_are_of_more_values_and_so_surer_than_systems(found):
    assert min(row["n"] for row in found["levels"] if row["level"] == "item") > 40


BY_FAMILY = {
    "pearson": {"hierarchical"},
    "spearman": {"hierarchical-by-family", "hierarchical-wider"},
    "kendall": {"hierarchical-by-family", "hierarchical-wider"},
}
"""Wider where scores are noisy within families."""


@pytest.mark.parametrize("resampled", ["raters", "raters within documents", "systems"])
def test_every_choice_of_what_is_resampled_is_said_in_each_cell(inputs, resampled):
    made = infer_report(inputs, options=replace(OPTIONS, resampled=resampled, coefficients=COEFFICIENTS))
    assert made["problems"] == []
    for part in ("cells", "matched", "bare"):
        assert {cell["ci_over"] for cell in made[part]} == {resampled}
    methods = BY_FAMILY
    if resampled == "systems":
        methods = {"pearson": {"fisher"}, "spearman": {"fisher"}, "kendall": {"esscher"}}
    for cell in made["cells"]:
        assert cell["ci_method"] in methods[cell["coefficient"]]


def test_without_ratings_raters_are_refused_and_the_rest_stands(inputs):
    alone = InferenceInputs(
        automatic=inputs.automatic,
        matched=inputs.matched,
        human=inputs.human,
        corpus=inputs.corpus,
        ratings=[],
    )
    made = infer_report(alone, options=replace(OPTIONS, resampled="raters"))
    reasons = {problem["part"]: problem["reason"] for problem in made["problems"]}
    assert reasons["cells"].startswith("there are no single ratings, so raters cannot be resampled")
    assert {problem["failed"] for problem in made["problems"]} == {False}
    assert made["stability"] != []


def test_p_may_be_adjusted_for_the_share_of_false_findings(inputs, found):
    made = infer_report(inputs, options=replace(OPTIONS, adjustment="benjamini-hochberg"))
    assert {cell["p_adjustment"] for cell in made["cells"]} == {"benjamini-hochberg"}
    for cell, holm in zip(made["cells"], found["cells"], strict=True):
        assert cell["p_value"] == pytest.approx(holm["p_value"])
        assert cell["p_adjusted"] <= holm["p_adjusted"] + 1e-12


def test_the_usual_coefficients_and_the_primary_one_are_in_every_table():
    primary = Primary(coefficient="pairwise-accuracy", surrogate="rouge-l")
    for given, wanted in (
        ({"coefficients": ("kendall",)}, COEFFICIENTS),
        ({"coefficients": ["kendall-c"]}, (*COEFFICIENTS, "kendall-c")),
        ({"primary": primary}, (*COEFFICIENTS, "pairwise-accuracy")),
    ):
        assert InferenceOptions(**given).coefficients == wanted


def test_other_parts_do_not_change_with_families_or_more_coefficients(inputs, found):
    made = infer_report(inputs, options=replace(OPTIONS, families={}, coefficients=COEFFICIENTS))
    for part in ("agreement", "stability", "paradox", "aggregation", "ablation"):
        assert made[part] == found[part]
