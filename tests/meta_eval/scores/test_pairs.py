"""Scores of single reader pairs: what a document's contribution is the mean of."""

import numpy as np
import pytest
from hypothesis import given

from meta_eval.distances.computing import compute_distances
from meta_eval.measures import make_measure
from meta_eval.scores.contributions import ScoreOptions, score_contributions
from meta_eval.scores.pairs import score_pairs
from tests.meta_eval.strategies import corpora


@pytest.mark.parametrize("include_self", [False, True, "softmax"])
@given(corpus=corpora())
def test_a_document_scores_the_mean_of_its_items(include_self, corpus):
    """Where every pair is there, each reader has as many: the mean over readers is that over items."""
    table = compute_distances(corpus, make_measure("jsd"), normalise="none")
    items = score_pairs(table, ScoreOptions(include_self=include_self))
    whole = score_contributions(table, ScoreOptions(include_self=include_self))
    assert items.documents == whole.documents
    for index in range(len(whole.documents)):
        own = items.at == index
        for row in range(len(whole.systems)):
            values = items.degress[row, own]
            if include_self is True or not values.size or not np.isfinite(values).all():
                continue  # k = j is no item, so it enters the document's mean alone
            assert values.mean() == pytest.approx(whole.degress[row, index], abs=1e-12)
            assert items.perseval[row, own].mean() == pytest.approx(whole.perseval[row, index], abs=1e-12)


@given(corpora())
def test_items_are_the_pairs_that_entered(corpus):
    table = compute_distances(corpus, make_measure("jsd"), normalise="none")
    items, whole = score_pairs(table), score_contributions(table)
    counted = np.zeros_like(whole.pairs)
    for column, document in enumerate(items.at):
        counted[:, document] += np.isfinite(items.degress[:, column])
    np.testing.assert_array_equal(counted, whole.pairs)
    np.testing.assert_array_equal(items.matrix("egises"), 1.0 - items.matrix("degress"))
    there = np.isfinite(items.perseval)
    assert (items.perseval[there] <= items.degress[there] + 1e-12).all()
