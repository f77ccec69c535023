"""Stability by draws of pairs, against the released code's steps written out row by row."""

from collections import defaultdict
from statistics import mean

import numpy as np
import pytest

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import compute_distances
from meta_eval.errors import InputError
from meta_eval.measures import make_measure
from meta_eval.scores.contributions import ScoreOptions, score_contributions
from meta_eval.scores.perseval import PenaltyOptions, effective_penalty
from meta_eval.stats.rankings.pair_sampling import gather_pairs, measure_pair_stability
from meta_eval.stats.rankings.stability import measure_stability
from tests.meta_eval.strategies import WORDS, document

# Documents of 2 to 5 readers, so that the arrays of some are wider than of others; one has no pair.
READERS = (3, 2, 5, 4, 1, 5, 3)
# At its usual beta the penalty is nearly 0 or 1; gentle, a change of readers shows.
GENTLE = ScoreOptions(PenaltyOptions(alpha=0.5, beta=0.1, gamma=0.5))


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(5)

    def texts(count):
        return {f"r{number}": " ".join(rng.choice(WORDS, size=5)) for number in range(count)}

    documents = [
        document(f"d{number}", references=texts(count), A=texts(count), B=texts(count), C=texts(count))
        for number, count in enumerate(READERS)
    ]
    return compute_distances(Corpus(tuple(documents)), make_measure("rouge-l"))


@pytest.mark.parametrize("score", ["perseval", "degress", "egises"])
def test_all_pairs_give_the_score_of_the_system(table, score):
    found = measure_pair_stability(
        table, score, rng=np.random.default_rng(1), options=GENTLE, shares=(1.0,), samples=2
    )
    plain = score_contributions(table, GENTLE).system_scores()
    expected = [getattr(plain[name], score) for name in table.systems]
    assert [one.means[0] for one in found.systems] == pytest.approx(expected, abs=1e-12)
    assert [row.means for row in found.shares] == [pytest.approx(tuple(expected), abs=1e-12)] * 2
    assert found.delta == pytest.approx(0.0, abs=1e-12)


def step_by_step(one, drawn, score):
    """As the released code goes: rows of (document, first reader, proportion), grouped again and again."""
    width = one.accuracy.shape[1]
    rows = [(r // width, r % width, p) for r, p in zip(one.reader[drawn], one.degress[drawn], strict=True)]
    by_reader, by_document = defaultdict(list), defaultdict(list)
    for doc, reader, proportion in rows:
        by_reader[doc, reader].append(proportion)
    if score == "degress":  # its mean over a document's rows repeats a reader's mean once for each row
        for doc, reader, _ in rows:
            by_document[doc].append(mean(by_reader[doc, reader]))
        return mean(map(mean, by_document.values()))
    for doc in {doc for doc, _ in by_reader}:
        readers = sorted(reader for known, reader in by_reader if known == doc)
        penalties = effective_penalty(one.accuracy[doc, readers], GENTLE.penalty)
        by_document[doc] = [
            mean(by_reader[doc, reader]) * penalty for reader, penalty in zip(readers, penalties, strict=True)
        ]
    return mean(map(mean, by_document.values()))


@pytest.mark.parametrize("score", ["perseval", "degress"])
@pytest.mark.parametrize("share", [0.1, 0.3, 0.7])
def test_a_draw_of_pairs_scores_as_the_released_code_does(table, score, share):
    for number, one in enumerate(gather_pairs(table, GENTLE)):
        assert len(one.degress) == sum(n * (n - 1) for n in READERS)
        drawn = np.random.default_rng(number).random(len(one.degress)) < share
        found = one.score(drawn, score, GENTLE.penalty)
        assert found == pytest.approx(step_by_step(one, drawn, score), abs=1e-12)


def test_fewer_pairs_move_perseval_where_fewer_documents_do_not(table):
    """Fewer readers have a nearer mean to their least: what protocol 10 calls the bias of this way."""
    how = {"shares": (0.2,), "samples": 400}
    rng = np.random.default_rng(3)
    pairs = measure_pair_stability(table, "perseval", rng=rng, options=GENTLE, **how)
    scores = score_contributions(table, GENTLE)
    documents = measure_stability(scores.perseval, systems=scores.systems, rng=rng, **how)
    drift = [max(abs(one.means[1] - one.means[0]) for one in found.systems) for found in (pairs, documents)]
    assert drift[0] > 3 * drift[1]


def test_the_same_seed_draws_the_same_pairs(table):
    first, again, other = (
        measure_pair_stability(table, "perseval", rng=np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other
    assert [(row.share, row.samples, row.documents) for row in first.shares[::2]] == [
        (share, 10, 6) for share in (0.8, 0.6, 0.4, 0.2)
    ]


def test_without_a_pair_nothing_is_drawn():
    corpus = Corpus((document("d1", references={"r1": "storm"}, A={"r1": "river"}),))
    table = compute_distances(corpus, make_measure("jsd"))
    with pytest.raises(InputError, match="a system has no pair of readers"):
        measure_pair_stability(table, "perseval", rng=np.random.default_rng(1))
