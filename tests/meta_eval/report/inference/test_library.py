"""The numbers of the inference are those that the library's own functions give."""

from dataclasses import replace

import numpy as np
import pytest

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import compute_distances
from meta_eval.measures import make_measure
from meta_eval.report.inference.ceilings import Ceilings
from meta_eval.report.inference.streams import stream
from meta_eval.report.inference.studies import study_stability
from meta_eval.report.inference.table import restrict_to_rated, strip_surrogates
from meta_eval.report.options import InferenceOptions
from meta_eval.scores.contributions import score_contributions
from meta_eval.scores.human import replace_by_ratings, score_humans
from meta_eval.scores.score_id import ScoreId
from meta_eval.stats.rankings.ablation import ablate_beta, score_betas
from meta_eval.stats.rankings.sensitivity import leave_one_system_out
from meta_eval.stats.rankings.stability import measure_stability
from meta_eval.stats.raters.agreement import count_ratings, measure_agreement
from meta_eval.stats.resampling.raters import build_panel
from meta_eval.stats.resampling.samples import resample_systems
from meta_eval.stats.resampling.shuffling import RatersPartScorer
from meta_eval.stats.significance.comparison import compare_by_bootstrap, compare_by_permutation
from meta_eval.stats.table.ceiling import corpus_ceilings, split_half_ceilings
from meta_eval.stats.table.inferred import infer_table
from meta_eval.stats.table.joint import resample_both_sides
from meta_eval.stats.table.resampled import INTERVALS
from tests.meta_eval.records import infer_report
from tests.meta_eval.report.inference.inferring import MEASURES, QUICK, make_inputs
from tests.meta_eval.stats.resampling.test_rescoring import GENTLE, rate_all


def rng(part, seed=QUICK.seed):
    return stream(seed, part)


def draw(inputs, stream, *, systems_too=False):
    """Both sides under the draws of a report."""
    documents, systems = stream.spawn(2)
    samples = resample_both_sides(inputs.automatic, people(inputs), rng=documents, resamples=60)
    return resample_systems(samples, rng=systems) if systems_too else samples


def by_system(scores, kind):
    """(S, D) of a score, on the systems in the order of a report's samples."""
    return scores.matrix(kind)[np.argsort(scores.systems)]


def people(inputs):
    return {name: scores.contributions for name, scores in inputs.human.items()}


@pytest.mark.parametrize("systems_too", [False, True])
def test_cells_are_those_of_the_table_of_the_library(inputs, systems_too):
    options = InferenceOptions(
        resamples=60,
        seed=3,
        splits=2,
        simulations=2,
        resampled="documents and systems" if systems_too else "documents",
    )
    cells = infer_report(inputs, options=options)["cells"]
    own = rng("cells")
    samples = draw(inputs, own, systems_too=systems_too)
    over = "documents and systems" if systems_too else "documents"
    intervals = {"intervals": INTERVALS[over], "over": over}
    degress, perseval = (
        infer_table(
            [(ScoreId(f"{kind}_hj", x), ScoreId(kind, y)) for x in inputs.human for y in MEASURES],
            samples,
            rng=own,
            **intervals,
        )
        for kind in ("degress", "perseval")
    )
    expected = [*degress, *degress, *perseval]
    names = ("coefficient", "n", "ci_method", "ci_over")
    assert [[cell[name] for name in names] for cell in cells] == [
        [getattr(cell, name) for name in names] for cell in expected
    ]
    for name in ("estimate", "ci_low", "ci_high", "p_value", "p_adjusted"):
        np.testing.assert_allclose(
            np.array([cell[name] for cell in cells], dtype=float),
            np.array([getattr(cell, name) for cell in expected], dtype=float),
            atol=1e-12,
        )
    assert [(cell["human"], cell["surrogate"], cell["measure"]) for cell in cells] == [
        (f"{kind}_hj", surrogate, measure)
        for kind in ("degress", "egises", "perseval")
        for surrogate in inputs.human
        for measure in MEASURES
        for _ in range(3)
    ]
    assert {cell["shared_input"] for cell in cells if cell["surrogate"] == cell["measure"] == "jsd"} == {True}


def test_a_cell_says_what_becomes_of_it_without_one_system(inputs, found):
    cell = next(cell for cell in found["cells"] if cell["human"] == "degress_hj")
    scores = (
        people(inputs)[cell["surrogate"]].system_scores(),
        inputs.automatic[cell["measure"]].system_scores(),
    )
    systems = sorted(scores[0])
    left = leave_one_system_out(
        *([side[name].degress for name in systems] for side in scores), cell["coefficient"], systems=systems
    )
    values = [one.correlation.estimate for one in left]
    assert [cell["without_low"], cell["without_high"]] == pytest.approx([min(values), max(values)], abs=1e-12)


def test_ceilings_are_those_of_the_library(inputs, found):
    stream = rng("ceilings").spawn(2)[0]
    of_documents = stream.spawn(1)[0]
    scores = inputs.human["rouge-l"]
    panel = build_panel(inputs.ratings, scores.divergences)
    scorer = RatersPartScorer.of_scores(scores, panel, inputs.corpus)
    coefficients = ("pearson", "kendall")
    expected = split_half_ceilings(scorer, coefficients, rng=stream, splits=10)
    of_corpus = corpus_ceilings(
        scorer, expected, rng=of_documents, splits=10, documents=len(inputs.automatic["jsd"].documents)
    )
    for scope, part in (("matched", expected), ("corpus", of_corpus)):
        rows = {
            (row["coefficient"], row["human"]): (row["ceiling"], row["reason"])
            for row in found["ceilings"]
            if (row["surrogate"], row["method"], row["scope"]) == ("rouge-l", "split-half", scope)
            and row["coefficient"] in coefficients
        }
        assert rows == {
            (coefficient, name): (one.ceiling, one.reason)
            for coefficient, by_score in part.items()
            for name, one in by_score.items()
        }


def test_surrogates_of_different_ratings_have_ceilings_of_their_own_ratings(inputs):
    one = next(iter(inputs.human.values()))
    fewer = {pair: value for pair, value in one.divergences.divergences.items() if pair.doc_id != "d3"}
    other = replace(one, divergences=replace(one.divergences, divergences=fewer))

    def second(*human):
        named = dict(zip("ab", human, strict=True))
        ceilings = Ceilings.measure(
            named, inputs.ratings, inputs.corpus, rng=rng("ceilings"), splits=10, simulations=10, documents=9
        )
        return [row for row in ceilings.rows if row.surrogate == "b"]

    assert second(one, other) == second(other, other)
    assert second(other, one) == second(one, one)
    assert second(one, other) != second(one, one)


def test_one_surrogate_is_compared_as_the_library_compares(corpus):
    inputs = make_inputs(corpus, rate_all(Corpus(corpus.documents[2:]), 5), surrogates=("rouge-l",))
    made = infer_report(inputs, options=QUICK)
    samples = draw(inputs, rng("cells"))
    for kind in ("degress", "perseval"):
        assert_compared_as(made, samples, kind)
        (row,) = [row for row in made["comparisons"] if row["score"] == kind]
        swapped = compare_by_permutation(
            *(by_system(inputs.automatic[name], kind) for name in MEASURES),
            samples[ScoreId(f"{kind}_hj", "rouge-l")].observed,
            "kendall",
            rng=np.random.default_rng(0),
        )
        assert row["p_systems"] == swapped.p_value
        assert row["p_adjusted"] == max(row["p_value"], row["p_systems"])  # of one pair


def assert_compared_as(made, samples, kind):
    expected = compare_by_bootstrap(
        samples[ScoreId(kind, "jsd")],
        samples[ScoreId(kind, "bleu")],
        samples[ScoreId(f"{kind}_hj", "rouge-l")],
        "kendall",
        method="hierarchical",
    )
    (row,) = [row for row in made["comparisons"] if row["score"] == kind]
    assert (row["measure"], row["other"]) == MEASURES
    assert (row["difference"], row["p_value"], row["ci_low"], row["ci_high"]) == (
        pytest.approx(expected.difference, abs=1e-12),
        expected.p_value,
        expected.interval.low,
        expected.interval.high,
    )
    cells = {
        cell["measure"]: cell
        for cell in made["cells"]
        if (cell["automatic"], cell["coefficient"]) == (kind, "kendall")
    }
    for row in (row for row in made["ranking"] if row["score"] == kind):
        cell = cells[row["measure"]]
        assert [row[name] for name in ("estimate", "ci_low", "ci_high", "ceiling")] == pytest.approx(
            [cell[name] for name in ("estimate", "ci_low", "ci_high", "ceiling")], abs=1e-12
        )


def test_over_surrogates_the_ranking_is_by_the_mean(found):
    for row in found["ranking"]:
        cells = [
            cell["estimate"]
            for cell in found["cells"]
            if (cell["automatic"], cell["coefficient"], cell["measure"])
            == (row["score"], "kendall", row["measure"])
        ]
        assert row["estimate"] == pytest.approx(sum(cells) / len(cells), abs=1e-12)
    assert [row["score"] for row in found["ranking"]] == ["degress", "degress", "perseval", "perseval"]
    for first, second in (found["ranking"][:2], found["ranking"][2:]):
        assert first["estimate"] >= second["estimate"]
        assert first["group"] == 1


def test_the_matched_scope_scores_rated_pairs_alone(inputs):
    scores = inputs.human["rouge-l"]
    whole = compute_distances(inputs.corpus, make_measure("rouge-l"), systems=scores.divergences.systems)
    matched = score_contributions(restrict_to_rated(whole, inputs.corpus, scores.divergences), GENTLE)
    assert matched.documents == tuple(document.id for document in inputs.corpus.documents)
    np.testing.assert_array_equal(matched.pairs, scores.contributions.pairs)
    again = replace_by_ratings(
        restrict_to_rated(whole, inputs.corpus, scores.divergences), inputs.corpus, scores.divergences
    )
    np.testing.assert_array_equal(score_contributions(again, GENTLE).perseval, scores.contributions.perseval)


def test_bare_human_scores_rest_on_no_surrogate(inputs):
    bare = [strip_surrogates(scores, inputs.corpus).contributions.degress for scores in inputs.human.values()]
    np.testing.assert_array_equal(bare[0], bare[1])
    alone = score_humans(
        inputs.corpus, inputs.human["jsd"].divergences, make_measure("jsd"), normalise="none", options=GENTLE
    )
    np.testing.assert_array_equal(bare[0], alone.contributions.degress)


def test_agreement_is_that_of_the_library(inputs, found):
    counted = count_ratings(inputs.ratings)
    expected = measure_agreement(
        counted.counts, rng=rng("agreement"), clusters=counted.documents, resamples=60
    )
    assert [(row["estimate"], row["ci_low"]) for row in found["agreement"]["coefficients"]] == [
        (one.estimate, one.interval.low if one.interval else None) for one in expected.agreements
    ]
    assert found["agreement"]["table"] == expected.table.tolist()


def test_stability_draws_with_replacement_where_a_report_asks_for_it(inputs, found):
    drawn = study_stability(inputs.automatic, rng("stability"), replace=True)
    scores = inputs.automatic["jsd"]
    expected = measure_stability(scores.perseval, systems=scores.systems, rng=rng("stability"), replace=True)
    assert drawn[0].delta == expected.delta
    assert [one.means for one in drawn[0].systems] == [one.means for one in expected.systems]
    assert [one.means for one in drawn[0].systems] != [
        tuple(row["means"]) for row in found["stability"][0]["systems"]
    ]


def test_stability_and_ablation_are_those_of_the_library(inputs, found):
    scores = inputs.automatic["jsd"]
    expected = measure_stability(scores.perseval, systems=scores.systems, rng=rng("stability"))
    first = found["stability"][0]
    assert (first["score"], first["measure"], first["delta"]) == ("perseval", "jsd", expected.delta)
    assert [row["minimum"] for row in first["shares"]] == [one.minimum for one in expected.shares]
    people = inputs.human["rouge-l"]
    rated = replace_by_ratings(people.surrogate, inputs.corpus, people.divergences)
    points = ablate_beta(
        score_betas(inputs.matched["jsd"], options=GENTLE), score_betas(rated, options=GENTLE)
    )
    assert {row["scope"] for row in found["ablation"]} == {"matched"}
    rows = [row for row in found["ablation"] if (row["surrogate"], row["measure"]) == ("rouge-l", "jsd")]
    assert [(row["beta"], row["coefficient"], row["estimate"]) for row in rows] == [
        (point.beta, point.correlation.coefficient, point.correlation.estimate) for point in points
    ]
