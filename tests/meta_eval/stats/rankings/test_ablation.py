import numpy as np
import pytest

from meta_eval.distances.computing import compute_distances
from meta_eval.measures import make_measure
from meta_eval.scores.contributions import ScoreOptions, score_contributions
from meta_eval.scores.perseval import PenaltyOptions
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.coefficients.registry import COEFFICIENTS
from meta_eval.stats.rankings.ablation import BETAS, AblationPoint, ablate_beta, score_betas
from tests.meta_eval.stats.resampling.test_rescoring import make_corpus


@pytest.fixture(scope="module")
def tables():
    corpus = make_corpus(3)
    return [compute_distances(corpus, make_measure(name)) for name in ("rouge-l", "jsd")]


def test_betas_are_those_of_the_protocol():
    assert BETAS == (1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0)


def test_each_beta_has_contributions_of_its_own(tables):
    options = ScoreOptions(PenaltyOptions(alpha=2.0), include_self=True)
    found = score_betas(tables[0], betas=(1.0, 1.7), options=options)
    for beta, scores in found.items():
        expected = score_contributions(
            tables[0], ScoreOptions(PenaltyOptions(alpha=2.0, beta=beta), include_self=True)
        )
        np.testing.assert_array_equal(scores.perseval, expected.perseval)
    assert (found[1.0].perseval != found[1.7].perseval).any()
    np.testing.assert_array_equal(found[1.0].degress, found[1.7].degress)


def test_the_ablation_correlates_at_each_beta(tables):
    automatic, human = (score_betas(table, betas=(1.0, 2.0)) for table in tables)
    points = ablate_beta(automatic, human)
    assert [(one.beta, one.correlation.coefficient) for one in points] == [
        (beta, coefficient) for beta in (1.0, 2.0) for coefficient in COEFFICIENTS
    ]
    for point in points:
        x, y = (
            [s.perseval for s in side[point.beta].system_scores().values()] for side in (automatic, human)
        )
        assert point.correlation.estimate == pytest.approx(
            correlate(x, y, point.correlation.coefficient).estimate, abs=1e-12
        )


def test_the_human_side_may_stay_as_it_is(tables):
    automatic = score_betas(tables[0], betas=(1.0, 2.0))
    human = score_contributions(tables[1])
    same = ablate_beta(automatic, {1.0: human, 2.0: human}, coefficients=["kendall"])
    found = ablate_beta(automatic, human, coefficients=["kendall"])
    assert found == same
    assert isinstance(found[0], AblationPoint)
