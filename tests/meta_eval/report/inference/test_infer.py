"""The inference of a report: what is there, one seed, and parts that fail alone."""

import json
from dataclasses import replace

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import compute_distances
from meta_eval.errors import InputError
from meta_eval.measures import make_measure
from meta_eval.report.inference.attempts import Attempts
from meta_eval.report.inference.ceilings import CHANCE
from meta_eval.report.inference.infer import PARTS
from meta_eval.report.inference.inputs import InferenceInputs
from meta_eval.report.inference.ranking import rank_measures
from meta_eval.report.inference.streams import stream
from meta_eval.report.inference.table import JointTable, restrict_to_rated
from meta_eval.report.options import InferenceOptions
from meta_eval.report.schema import CorrelationRow, FurtherQuestions, row_record
from meta_eval.scores.human import replace_by_ratings
from meta_eval.stats.table.schemes import RaterDraws
from meta_eval.stats.table.shuffled import RatingShuffles
from tests.meta_eval.records import infer_report
from tests.meta_eval.report.inference.inferring import QUICK, make_inputs
from tests.meta_eval.stats.resampling.test_rescoring import rate_all


def rng(part, seed=QUICK.seed):
    return stream(seed, part)


def test_nothing_failed_and_every_part_is_there(found):
    assert found["problems"] == []
    assert set(found) == {
        "options",
        "problems",
        "cells",
        "left_out_systems",
        "ceilings",
        "comparisons",
        "found_families",
        "limits",
        "primary_reason",
        "stand_in",  # empty: no model was asked for
        "judged",  # none: no judge was asked for
        *PARTS,
    }


def test_it_is_plain_json_without_loss(found):
    assert json.loads(json.dumps(found, allow_nan=False)) == found


@pytest.mark.parametrize(("part", "scope"), [("cells", "corpus"), ("matched", "matched")])
def test_a_cell_takes_the_first_ceiling_of_its_scope_that_is_defined(found, part, scope):
    names = ("human", "surrogate", "coefficient")
    for cell in found[part]:
        own = [row for row in found["ceilings"] if [row[n] for n in names] == [cell[n] for n in names]]
        both = [row for row in own if row["scope"] == scope]
        first = next((row for row in both if row["ceiling"] is not None), both[0])
        assert (cell["ceiling"], cell["ceiling_method"]) == (first["ceiling"], first["method"])
    other = {"corpus": "matched", "matched": "corpus"}[scope]
    assert [row["ceiling"] for row in found["ceilings"] if row["scope"] == scope] != [
        row["ceiling"] for row in found["ceilings"] if row["scope"] == other
    ]


def test_the_same_inputs_give_the_same_bytes_and_another_seed_others(inputs, found):
    def written(seed):
        return json.dumps(infer_report(inputs, options=replace(QUICK, seed=seed)))

    assert written(3) == json.dumps(found)
    assert written(4) != written(3)


def fail(part, monkeypatch):
    """Let one part divide by zero in place of its work."""
    make = Attempts.make

    def attempt(attempts, name, work, empty):
        return make(attempts, name, (lambda: 1 / 0) if name == part else work, empty)

    monkeypatch.setattr(Attempts, "make", attempt)


@pytest.mark.parametrize("part", [name for name in PARTS if name not in ("cells", "ceilings", "families")])
def test_a_part_that_fails_says_why_and_changes_no_other(part, inputs, found, monkeypatch):
    fail(part, monkeypatch)
    more = {
        "agreement": {"agreement": None},
        "ranking": {"comparisons": []},
        "further": {"further": row_record(FurtherQuestions())},
    }
    made = infer_report(inputs, options=QUICK)
    assert made["problems"] == [
        {"part": part, "reason": "Unexpected error (ZeroDivisionError): division by zero", "failed": True}
    ]
    found = {**found, part: [], **more.get(part, {})}
    # what is said of a part that is not there is left out
    assert set(made["limits"]) <= set(found["limits"])
    assert {**made, "problems": [], "limits": []} == {**found, "limits": []}


def test_raters_who_may_agree_by_chance_alone_set_no_ceiling(corpus):
    at_random = make_inputs(corpus, rate_all(Corpus(corpus.documents[2:]), 5), surrogates=("jsd",))
    made = infer_report(at_random, options=replace(QUICK, resamples=20, shuffles=9))
    assert made["agreement"]["coefficients"][0]["ci_low"] <= 0.0
    assert made["ceilings"] == []
    for part in ("cells", "matched"):
        assert {(cell["ceiling"], cell["ceiling_reason"]) for cell in made[part]} == {(None, CHANCE)}
    assert {row["ceiling"] for row in made["ranking"]} == {None}


def test_without_ceilings_the_cells_say_so(inputs, monkeypatch):
    fail("ceilings", monkeypatch)
    made = infer_report(inputs, options=QUICK)
    assert {(cell["ceiling"], cell["ceiling_reason"]) for cell in made["cells"]} == {
        (None, "no ceiling was computed")
    }
    assert {row["ceiling"] for row in made["ranking"]} == {None}


def test_one_side_alone_gives_reasons_and_no_failure(inputs):
    alone = InferenceInputs(
        automatic=inputs.automatic, matched={}, human={}, corpus=inputs.corpus, ratings=inputs.ratings
    )
    made = infer_report(alone, options=QUICK)
    assert (made["cells"], made["ranking"], made["matched"]) == ([], [], [])
    assert {problem["failed"] for problem in made["problems"]} == {False}
    assert made["paradox"] != []


def test_a_part_has_one_thread_of_linear_algebra_and_the_program_has_its_own_again_afterwards():
    def threads():
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    with threadpool_limits(2, user_api="blas"):
        before = threads()
        within = Attempts(None, total=1).make("levels", threads, [])
        assert (set(before), set(within)) == ({2}, {1})
        assert threads() == before


def test_what_goes_through_is_raised_and_everything_else_is_noted():
    def fail(error):
        raise error

    parts = Attempts(None, total=2, through=lambda error: isinstance(error, OSError))
    assert parts.make("levels", lambda: fail(ValueError("no")), []) == []
    with pytest.raises(OSError, match="the disk is full"):
        parts.make("cells", lambda: fail(OSError("the disk is full")), [])
    assert [problem.part for problem in parts.problems] == ["levels"]


def test_progress_counts_the_parts(inputs):
    seen = []
    infer_report(inputs, options=QUICK, progress=lambda *step: seen.append(step))
    assert seen == [
        *((part, done, len(PARTS)) for done, part in enumerate(PARTS)),
        ("inference", len(PARTS), len(PARTS)),
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"resampled": "people"},
        {"level": 1.0},
        {"resamples": 0},
        {"seed": -1},
        {"adjustment": "none"},
        {"coefficients": ["pearson", "spearman", "kendall", "gamma"]},
    ],
)
def test_options_that_mean_nothing_are_refused(wrong):
    with pytest.raises(InputError):
        InferenceOptions(**wrong)


def test_the_matched_scope_keeps_distances_of_rated_pairs_and_no_others(inputs):
    scores = inputs.human["rouge-l"]
    whole = compute_distances(inputs.corpus, make_measure("jsd"), systems=scores.divergences.systems)
    kept = restrict_to_rated(whole, inputs.corpus, scores.divergences)
    rated = replace_by_ratings(whole, inputs.corpus, scores.divergences)
    for before, after, people in zip(whole.blocks, kept.blocks, rated.blocks, strict=True):
        for name in ("gold", "systems", "systems_gold"):
            where = np.isfinite(getattr(people, name))
            expected = np.where(where, getattr(before, name), np.nan)
            np.testing.assert_array_equal(getattr(after, name), expected)
    unrated = [np.isnan(block.systems).sum() for block in kept.blocks]
    assert sum(unrated) > sum(np.isnan(block.systems).sum() for block in whole.blocks)


def test_the_ranking_counts_and_means_what_its_cells_say(inputs, found):
    stream = rng("cells")
    raters = RaterDraws(inputs.ratings, inputs.corpus, seed=[0])
    shuffles = RatingShuffles(inputs.ratings, inputs.corpus, seed=[0], shuffles=5)
    table = JointTable.resample(
        inputs.automatic, inputs.human, rng=stream, design=QUICK.design, raters=raters, shuffles=shuffles
    )
    cells = [dict(cell) for cell in found["cells"]]
    own = [
        cell
        for cell in cells
        if (cell["human"], cell["coefficient"], cell["measure"]) == ("perseval_hj", "kendall", "jsd")
    ]
    for cell, change in zip(
        own,
        (
            {"ceiling": 0.8, "p_adjusted": 0.01, "carried_by": ["one", "two"]},
            {"ceiling": 0.6, "p_adjusted": 0.05, "carried_by": ["two"]},
        ),
        strict=True,
    ):
        cell.update(change)
    ranking, _ = rank_measures(
        table,
        [CorrelationRow(**cell) for cell in cells],
        inputs.automatic,
        rng=np.random.default_rng(0),
        alpha=0.05,
    )
    (row,) = [row for row in ranking if (row.score, row.measure) == ("perseval", "jsd")]
    assert row.ceiling == pytest.approx(0.7)
    assert (row.significant, row.carried_by, row.surrogates) == (1, ("two",), 2)
