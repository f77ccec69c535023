"""P-ROUGE over pairs of readers: against plain loops, and what the thesis printed of it."""

import json
import math
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.special import expit

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import compute_distances
from meta_eval.errors import InputError
from meta_eval.measures import make_measure
from meta_eval.scores.penalties import AccuracyPenalty
from meta_eval.studies.thesis import Sampling, penalties_by_pair, study_penalties
from tests.meta_eval.cli.running import run
from tests.meta_eval.strategies import document
from tests.meta_eval.studies.thesis.test_deviation import gappy, sigmas

DEMO = Path("fixtures/demo/corpus.jsonl")
ONE_SAMPLE = Sampling(shares=(1.0,), samples=1, resamples=0)


def plainly(corpus, distances, system, *, alpha, beta):
    """(ROUGE, P-ROUGE) of each ordered pair of readers, by loops over the formulas."""
    rouge, jsd = distances
    gathered = {}
    for one in corpus.documents:
        written = one.summaries.get(system, {})
        for first, second in permutations(one.references, 2):
            if first not in written or second not in written:
                continue
            sides = [(one.references[first], one.references[second]), (written[first], written[second])]
            x, y = (
                between**2 / about if about else 0.0
                for between, about in ((jsd(a, b), jsd(a, one.text)) for a, b in sides)
            )
            ratio = min(x, y) / max(x, y) if max(x, y) else 0.0
            accuracy = 1.0 - rouge(written[first], one.references[first])
            gathered.setdefault((first, second), []).append((accuracy, ratio))
    found = {}
    for pair, rows in gathered.items():
        accuracy, ratio = np.mean(rows, axis=0)
        lost = alpha / (1.0 + math.exp(-beta * (1.0 - ratio) / accuracy)) if accuracy else 0.0
        found[pair] = (accuracy, accuracy * (1.0 - lost))
    return found


@settings(max_examples=20, deadline=None)
@given(gappy())
def test_plain_loops_find_the_same(corpus):
    tables = [compute_distances(corpus, make_measure(name)) for name in ("rouge-l", "jsd")]
    found = penalties_by_pair(corpus, *tables, AccuracyPenalty(0.3, 0.7))
    distances = [sigmas(corpus, name) for name in ("rouge-l", "jsd")]
    for row, system in enumerate(found.systems):
        values = {}
        for place, (first, second) in enumerate(found.pairs.tolist()):
            for order, pair in enumerate(((first, second), (second, first))):
                value = found.rouge[row, order, place], found.penalised[row, order, place]
                if not np.isnan(value[0]):
                    values[found.readers[pair[0]], found.readers[pair[1]]] = value
        expected = plainly(corpus, distances, system, alpha=0.3, beta=0.7)
        assert values.keys() == expected.keys()
        for pair, value in values.items():
            assert value == pytest.approx(expected[pair], abs=1e-12)


def test_a_reader_without_accuracy_has_no_penalty_and_no_pair_counts_twice():
    golds = {"ann": "storm", "bob": "council votes"}
    corpus = Corpus((document("d1", references=golds, one={"ann": "river", "bob": "council votes"}),))
    table = compute_distances(corpus, make_measure("rouge-l"))
    found = penalties_by_pair(corpus, table, table)
    assert found.rouge.tolist() == [[[0.0], [1.0]]]
    assert found.penalised[0, 0].tolist() == [0.0]
    record = study_penalties(found, ONE_SAMPLE)[0]
    assert (record["rouge"], record["pairs"], record["left_out"]) == (0.5, 1, 0)
    assert record["reason"] == "fewer than two reader pairs have both scores"


def test_the_range_of_the_unit_tells_that_the_agreement_is_by_construction():
    done = run("penalties", DEMO, "--share", 0.5, "--resamples", 0, "-s", "half")
    records = json.loads(done.stdout)
    assert {(one["accuracy_measure"], one["egises_measure"]) for one in records} == {("rouge-l", "jsd-oov")}
    assert records[0]["value"] > 0.99
    assert 0.5 <= records[0]["unit_low"] < records[0]["unit_high"] <= 0.75
    assert records[0]["partial"] < 0.0
    assert "note: P-ROUGE is ROUGE times 0.63 to 0.67 here, so the two agree by construction" in done.stderr


def test_egises_needs_the_documents():
    corpus = Corpus((document(one={"r1": "council", "r2": "storm", "r3": "river"}),))
    table = compute_distances(corpus, make_measure("jsd"), normalise="none")
    with pytest.raises(InputError, match="normalise=document, or for weight=softmax"):
        penalties_by_pair(corpus, table, table)


def test_no_alpha_and_beta_turn_the_printed_scores_into_each_other():
    """alpha f(beta EGISES / ROUGE) would have to fall while its argument grows."""
    printed = [(21.62, 0.89908, 12.17), (20.82, 0.99513, 12.15)]
    lost = [1.0 - penalised / rouge for rouge, _, penalised in printed]
    arguments = [egises / rouge for rouge, egises, _ in printed]
    assert [round(one, 4) for one in lost] == [0.4371, 0.4164]
    assert lost[0] > lost[1]
    assert arguments[0] < arguments[1]
    betas = np.linspace(0.01, 1.0, 50)
    assert all(expit(beta * arguments[0]) < expit(beta * arguments[1]) for beta in betas)
