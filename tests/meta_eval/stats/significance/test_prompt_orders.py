"""Prompt orders on shared cases: against a plain computation of each document, and by what must hold."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test

from meta_eval.corpus.documents import Corpus, Document
from meta_eval.distances.computing import compute_distances
from meta_eval.measures import make_measure
from meta_eval.scores.contributions import score_contributions
from meta_eval.stats.significance.prompt_orders import (
    compare_egises,
    compare_orders,
    compare_styles,
    shared_egises,
)

WORDS = ("rain", "sun", "wind", "snow", "fog", "hail", "ice", "heat")
DRAWS = {"resamples": 200, "permutations": 256}


def text(*key):
    """A few words that depend on the key alone."""
    drawn = np.random.default_rng([*map(ord, "".join(map(str, key)))]).integers(0, len(WORDS), 5)
    return " ".join(WORDS[place] for place in drawn)


def make_corpus(missing=()):
    """Six documents of four readers; `missing` are (system, document, reader) without a text."""
    documents = []
    for number in range(6):
        readers = [f"r{reader}" for reader in range(4)]
        summaries = {
            system: {
                reader: text(system, number, reader)
                for reader in readers
                if (system, number, reader) not in missing
            }
            for system in ("M: 0-shot", "M: 2-shot w/o")
        }
        references = {reader: text("gold", number, reader) for reader in readers}
        documents.append(Document(f"d{number}", "", text("body", number), references, summaries))
    return Corpus(tuple(documents))


def distances(corpus, normalise="document"):
    return compute_distances(corpus, make_measure("rouge-l"), normalise=normalise)


@settings(max_examples=12, deadline=None)
@given(
    st.sets(
        st.tuples(
            st.sampled_from(("M: 0-shot", "M: 2-shot w/o")),
            st.integers(0, 2),
            st.sampled_from(("r0", "r1", "r2")),
        ),
        max_size=9,
    ),
    st.sampled_from(("document", "none")),
)
def test_shared_scores_are_those_of_a_corpus_without_the_other_readers(missing, normalise):
    """The oracle takes each reader whom either style lacks out of the document, references and all."""
    corpus = make_corpus(missing)
    kept = []
    for number, document in enumerate(corpus.documents):
        gone = {reader for _, at, reader in missing if at == number}
        texts = {
            name: {r: t for r, t in own.items() if r not in gone} for name, own in document.summaries.items()
        }
        references = {r: t for r, t in document.references.items() if r not in gone}
        kept.append(replace(document, references=references, summaries=texts))
    plain = 1 - score_contributions(distances(Corpus(tuple(kept)), normalise)).degress
    ours = shared_egises(distances(corpus, normalise), "M: 0-shot", "M: 2-shot w/o")
    np.testing.assert_allclose(ours, plain, equal_nan=True)


def test_p_is_that_of_a_paired_permutation_and_the_interval_holds_the_difference():
    rng = np.random.default_rng(3)
    egises = rng.random((2, 8))
    found = compare_egises(egises, permutations=256)
    statistic = lambda x, y: (x - y).mean()  # noqa: E731
    oracle = permutation_test(egises[::-1], statistic, permutation_type="samples", n_resamples=256)
    assert found.p == pytest.approx(oracle.pvalue)
    assert found.difference == pytest.approx(egises[1].mean() - egises[0].mean())
    assert found.low < found.difference < found.high


def decided(poorer, richer):
    """The test of one order alone, whose p needs no adjustment."""
    found = compare_egises(np.array([poorer, richer]))
    return replace(found, p_adjusted=found.p)


def test_what_is_clear_is_decided_and_what_is_equal_is_not():
    lower, rng = np.full(12, 0.3), np.random.default_rng(1)
    higher = lower + rng.uniform(0.05, 0.2, 12)
    assert decided(lower, higher).verdict == "paradox"
    assert decided(higher, lower).verdict == "no paradox"
    same = decided(lower, lower)
    assert (same.verdict, same.difference, same.p) == ("not decided", 0.0, 1.0)
    nothing = decided(np.full(3, np.nan), np.full(3, np.nan))
    assert (nothing.documents, nothing.verdict, nothing.p) == (0, None, None)


def test_only_orders_with_both_styles_are_compared_and_p_is_adjusted_over_them():
    table = distances(make_corpus())
    found = compare_styles(table, pairs="all", **DRAWS)
    assert list(found) == [("M", "PX-1")]
    pairs = [("M: 0-shot", "M: 2-shot w/o"), ("M: 2-shot w/o", "M: 0-shot")]
    two = compare_orders(table, pairs, **DRAWS)
    assert [one.p_adjusted for one in two] == [min(1.0, 2 * two[0].p)] * 2
    assert two[0].difference == -two[1].difference
    assert compare_orders(table, pairs, seed=4, **DRAWS) == compare_orders(table, pairs, seed=4, **DRAWS)
